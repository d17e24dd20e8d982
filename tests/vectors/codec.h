// Encoded values of the vectors: what op.h declares as Decode..., and the parts that ops need for their arguments.
#ifndef STRUCTTENSOR_TESTS_VECTORS_CODEC_H_
#define STRUCTTENSOR_TESTS_VECTORS_CODEC_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "op.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/nested_value.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::vectors {

// The dtype's name in TensorFlow: "float32", "string" (also of bytes), "int64", ...
std::string DTypeText(DType dtype);
// Errors: InvalidArgument if there is no such dtype.
absl::StatusOr<DType> DecodeDType(const Json& json);

// The content of "$shape", or a shape: a list of sizes and nulls; null is unknown rank.
absl::StatusOr<Shape> DecodeShape(const Json& json);

// {name: encoded value}
absl::StatusOr<std::vector<Field>> DecodeFields(const Json& json);
// The content of "$stf": FromFields of {fields, shape, nrows, row_partitions}, all but the first optional.
absl::StatusOr<Value> DecodeFromFields(const Json& json);

// A Python value. "$tuple" becomes a list, "$float" and "$bytes" what they encode. Errors: InvalidArgument for anything
// else ("$object", values of other kinds).
absl::StatusOr<NestedValue> DecodeNested(const Json& json);
Json EncodeNested(const NestedValue& nested);

// One scalar as JSON: a number, {"$float": "nan"}, a text, or, if it is not UTF-8, {"$bytes": hex}.
Json EncodeFloat(double value);
Json EncodeText(std::string_view text);

// An InvalidArgument that says what was expected and shows `json`.
absl::Status Malformed(const Json& json, std::string_view expected);

// json[key], or null if json is no object or has no such key.
const Json* FindMember(const Json& json, const char* key);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_CODEC_H_
