// Nested values: what Python calls dicts, lists and scalars. For tests, examples, JSON and bindings, not for bulk data.
#ifndef STRUCTTENSOR_TENSOR_VALUES_NESTED_VALUE_H_
#define STRUCTTENSOR_TENSOR_VALUES_NESTED_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "structtensor/tensor/type_spec/dtype.h"

#pragma GCC visibility push(default)

namespace structtensor {

// One of: nothing, a boolean, an integer, a floating point number, a text, bytes, a time, a list, a dict. Plain data, compared
// by value.
//
//   NestedValue::Dict{{"title", "Cookies"}, {"amounts", NestedValue::List{3.0, 0.5}}}
class NestedValue {
 public:
  using List = std::vector<NestedValue>;
  // In the order of insertion. Requires, when a dict is read: names are unique.
  using Dict = std::vector<std::pair<std::string, NestedValue>>;
  struct Bytes {
    std::string value;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  // A timestamp or a duration.
  struct Time {
    int64_t count = 0;                  // of the unit of dtype
    DType dtype = DType::kTimestampNs;  // Requires: IsTime(dtype)
    friend bool operator==(const Time&, const Time&) = default;
  };

  NestedValue() = default;                                             // nothing
  NestedValue(std::nullptr_t) {}                                       // NOLINT: written as literals, here and below
  NestedValue(bool value) : value_(value) {}                           // NOLINT
  NestedValue(int value) : value_(int64_t{value}) {}                   // NOLINT
  NestedValue(int64_t value) : value_(value) {}                        // NOLINT
  NestedValue(uint64_t value) : value_(value) {}                       // NOLINT
  NestedValue(double value) : value_(value) {}                         // NOLINT
  NestedValue(const char* value) : value_(std::string(value)) {}       // NOLINT
  NestedValue(std::string value) : value_(std::move(value)) {}         // NOLINT
  NestedValue(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  NestedValue(Bytes value) : value_(std::move(value)) {}               // NOLINT
  NestedValue(Time value) : value_(value) {}                           // NOLINT
  NestedValue(List value) : value_(std::move(value)) {}                // NOLINT
  NestedValue(Dict value) : value_(std::move(value)) {}                // NOLINT

  // The value if it is of that kind, else null. The pointer lives as long as this.
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  const List* list() const { return get_if<List>(); }
  const Dict* dict() const { return get_if<Dict>(); }
  // The dict's value of that name; null if the dict lacks it or this is not a dict.
  const NestedValue* Find(std::string_view name) const {
    if (dict() == nullptr) return nullptr;
    for (const auto& [key, value] : *dict()) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  friend bool operator==(const NestedValue&, const NestedValue&) = default;

 private:
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Bytes, Time, List, Dict> value_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_NESTED_VALUE_H_
