// What a field of an extension type may be: tensors, and static values in lists, tuples and dicts.
#ifndef STRUCTTENSOR_TESTS_VECTORS_FIELD_VALUE_H_
#define STRUCTTENSOR_TESTS_VECTORS_FIELD_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "structtensor/construct/nested_value.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/nest.h"

namespace structtensor {

// One of: a boolean, an integer, a floating point number, a text, bytes, a shape, a dtype, a value. Nothing is an empty nest.
class FieldLeaf {
 public:
  using Bytes = NestedValue::Bytes;

  FieldLeaf(bool value) : value_(value) {}                           // NOLINT: written as literals, here and below
  FieldLeaf(int value) : value_(int64_t{value}) {}                   // NOLINT
  FieldLeaf(int64_t value) : value_(value) {}                        // NOLINT
  FieldLeaf(double value) : value_(value) {}                         // NOLINT
  FieldLeaf(const char* value) : value_(std::string(value)) {}       // NOLINT
  FieldLeaf(std::string value) : value_(std::move(value)) {}         // NOLINT
  FieldLeaf(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  FieldLeaf(Bytes value) : value_(std::move(value)) {}               // NOLINT
  FieldLeaf(Shape value) : value_(std::move(value)) {}               // NOLINT
  FieldLeaf(DType value) : value_(value) {}                          // NOLINT
  FieldLeaf(Value value) : value_(std::move(value)) {}               // NOLINT

  // The value if it is of that kind, else null. The pointer lives as long as this.
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  // As messages call it: "bool", "int", "float", "str", "bytes", "TensorShape", "DType", "Tensor", "RaggedTensor", ...
  std::string_view type_name() const;

  friend bool operator==(const FieldLeaf&, const FieldLeaf&) = default;

 private:
  std::variant<bool, int64_t, double, std::string, Bytes, Shape, DType, Value> value_;
};

// A nest of those.
using FieldValue = Nest<FieldLeaf>;

// The leaf's type_name(), or "list", "tuple", "dict", "NoneType".
std::string_view TypeName(const FieldValue& value);

// The same as a nested value, tuples as lists. Errors: InvalidArgument if there are shapes, dtypes or values in it.
absl::StatusOr<NestedValue> ToNestedValue(const FieldValue& value);

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_VECTORS_FIELD_VALUE_H_
