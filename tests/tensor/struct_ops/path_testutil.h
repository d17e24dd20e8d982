// Short ways to write structured tensors, and to see what operations share.
#ifndef STRUCTTENSOR_TESTS_TENSOR_STRUCT_OPS_PATH_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_STRUCT_OPS_PATH_TESTUTIL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

using D = NestedValue::Dict;
using L = NestedValue::List;

inline Value Make(const NestedValue& nested) {
  absl::StatusOr<Value> value = Constant(nested);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}
inline StructuredTensor Structs(const NestedValue& nested) { return *Make(nested).structured(); }

// The value as JSON, or why there is none.
template <typename T>
std::string Json(const absl::StatusOr<T>& value) {
  return value.ok() ? ToJson(*value) : std::string(value.status().ToString());
}

inline Path P(std::string_view text) {
  absl::StatusOr<Path> path = Path::Parse(text);
  EXPECT_TRUE(path.ok()) << path.status();
  return *std::move(path);
}

// A field of the result of an operation, as JSON.
inline std::string FieldOf(const absl::StatusOr<StructuredTensor>& structs, std::string_view path) {
  return structs.ok() ? Json(Select(*structs, P(path))) : std::string(structs.status().ToString());
}

// The memory of the flat elements of a field, or, of a struct, of its first field.
inline const void* Memory(const Value& value) {
  if (value.ragged() != nullptr) return Memory(value.ragged()->flat_values());
  if (value.structured() != nullptr) return Memory(value.structured()->flat_field(0));
  const Tensor& tensor = *value.tensor();
  if (IsStringLike(tensor.dtype())) return tensor.string_bytes().data();
  return VisitStoredType(tensor.dtype(), [&]<typename T>() -> const void* { return tensor.values<T>().data(); });
}
inline const void* Memory(const StructuredTensor& structs, std::string_view path) {
  const absl::StatusOr<Value> field = structs.field_value(path);
  EXPECT_TRUE(field.ok()) << field.status();
  return Memory(*field);
}

// Documents with tags, in the shape of batches of messages: [{id, docs: [{t, tags: [...]}]}].
inline StructuredTensor Docs() {
  return Structs(L{D{{"id", "d0"}, {"docs", L{D{{"t", 1}, {"tags", L{1, 2}}}, D{{"t", 2}, {"tags", L{3}}}}}},
                   D{{"id", "d1"}, {"docs", L{D{{"t", 3}, {"tags", L{7}}}}}}, D{{"id", "d2"}, {"docs", L{}}}});
}
inline constexpr char kDocs[] = R"([{"id":"d0","docs":[{"t":1,"tags":[1,2]},{"t":2,"tags":[3]}]},)"
                                R"({"id":"d1","docs":[{"t":3,"tags":[7]}]},{"id":"d2","docs":[]}])";

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_STRUCT_OPS_PATH_TESTUTIL_H_
