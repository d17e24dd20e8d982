// The parts of the static half of an extension type, in a form that all such types share.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_STATIC_STATE_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_STATIC_STATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// One of: a boolean, an integer, a floating point number, a text, a shape, a dtype, a spec. Nothing is an empty nest.
class StaticState {
 public:
  StaticState(bool value) : value_(value) {}                           // NOLINT: written as literals, here and below
  StaticState(int value) : value_(int64_t{value}) {}                   // NOLINT
  StaticState(int64_t value) : value_(value) {}                        // NOLINT
  StaticState(double value) : value_(value) {}                         // NOLINT
  StaticState(const char* value) : value_(std::string(value)) {}       // NOLINT
  StaticState(std::string value) : value_(std::move(value)) {}         // NOLINT
  StaticState(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  StaticState(Shape value) : value_(std::move(value)) {}               // NOLINT
  StaticState(DType value) : value_(value) {}                          // NOLINT
  StaticState(TypeSpec value) : value_(std::move(value)) {}            // NOLINT

  // Without moves, as Shape: gcc 12 takes the unused storage of a moved variant for a read of uninitialized memory, and warns.
  StaticState(const StaticState&) = default;
  StaticState& operator=(const StaticState&) = default;

  // The value if it is of that kind, else null. The pointer lives as long as this.
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }

  // Floating point numbers compare by their bits: a number that was serialized and read again is equal, also NaN.
  friend bool operator==(const StaticState& a, const StaticState& b);
  template <typename H>
  friend H AbslHashValue(H h, const StaticState& state) {
    h = H::combine(std::move(h), state.value_.index());
    if (const double* number = state.get_if<double>()) return H::combine(std::move(h), Bits(*number));
    return std::visit([&h](const auto& value) { return H::combine(std::move(h), value); }, state.value_);
  }

  // "3", "'text'", "[2, None]", "int64", "TensorSpec([3], int64)".
  std::string DebugString() const;

 private:
  static uint64_t Bits(double number);

  std::variant<bool, int64_t, double, std::string, Shape, DType, TypeSpec> value_;
};

template <typename H>
H AbslHashValue(H h, const Nest<StaticState>& nest) {
  h = H::combine(std::move(h), nest.kind(), nest.names(), nest.items());
  return nest.is_leaf() ? H::combine(std::move(h), nest.leaf()) : std::move(h);
}

// "{'name': 'x', 'sizes': (3, 4)}".
std::string DebugString(const Nest<StaticState>& state);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_STATIC_STATE_H_
