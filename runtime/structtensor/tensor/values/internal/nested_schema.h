// The schema that a nested value will have: inferred from the value, or from a spec.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_SCHEMA_H_
#define STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_SCHEMA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/nested_value.h"

namespace structtensor::values_internal {

// A place in a nested value: a linked chain of steps on the stack, the innermost step last.
struct NestedPath {
  const NestedPath* parent = nullptr;
  const std::string* name = nullptr;  // the key of a value in a dict; null: element `index` of a list
  int64_t index = 0;
};

// "a.b[3]". A null path is the whole value.
std::string NestedPlace(const NestedPath* path);
// Returns InvalidArgument: "a.b[3]: what".
absl::Status NestedError(const NestedPath* path, std::string_view what);
// "a list", "the integer 5", "a dict": for messages.
std::string DescribeNested(const NestedValue& value);

// One axis of lists.
struct NestedAxis {
  bool partition = true;              // kept as a row partition, even if it is uniform; else a dense axis
  int64_t size = kUnknownDimension;   // that every list must have; if unknown, lists of a dense axis must agree
  int64_t nvals = kUnknownDimension;  // that all lists together must have, if known
  bool optional = false;
  DType dtype = DType::kInt64;
};

// Lists around scalars or structs. Among the axes of a leaf, dense axes come last.
struct NestedSchema {
  std::vector<NestedAxis> axes;
  bool is_struct = false;
  DType dtype = DType::kFloat;  // of a leaf
  bool nullable = false;
  bool may_be_deeper = false;  // only empty lists were seen: there may be more axes
  StructKind kind = StructKind::kStruct;
  DType shape_dtype = DType::kInt64;  // of structs
  std::vector<std::string> names;
  std::vector<NestedSchema> fields;  // as many as names
};

struct InferOptions {
  DType int_dtype;
  DType float_dtype;
  bool dtype_is_given = false;  // the caller gives the dtype of leaves: it is not inferred, and integers may be any
  bool dense_axes = false;      // lists of one length become dense or uniform axes; else all lists in lists are ragged
};

// The schema of the whole value; the axis of a top-level list is the first. Errors: see Constant.
absl::StatusOr<NestedSchema> InferSchema(const NestedValue& nested, const InferOptions& options);
// The schema of a value that has that spec. Errors: InvalidArgument if the spec is too deep, or it is or holds a spec of row
// partitions, of an extension type or of unknown rank.
absl::StatusOr<NestedSchema> SchemaOfSpec(const TypeSpec& spec);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_INTERNAL_NESTED_SCHEMA_H_
