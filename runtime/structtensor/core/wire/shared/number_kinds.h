// Dispatches on a numeric kind to the struct that reads and writes its values. Outside the decode and encode loops, this is the
// only switch over numeric kinds.
#ifndef STRUCTTENSOR_CORE_WIRE_SHARED_NUMBER_KINDS_H_
#define STRUCTTENSOR_CORE_WIRE_SHARED_NUMBER_KINDS_H_

#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/wire/abi/kinds.h"

namespace structtensor::wire_internal {

// A kind whose values have four or eight bytes, which are written as they are.
template <typename T>
struct Fixed {
  using Type = T;
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static T From(uint64_t bits) { return std::bit_cast<T>(static_cast<Bits>(bits)); }
};

template <typename NumberKind>
inline constexpr bool kIsFixed = false;
template <typename T>
inline constexpr bool kIsFixed<Fixed<T>> = true;

// Returns visit(K()), where K is the struct for `kind`: Fixed<T>, or a varint kind. K::Type is the type of a value in its
// column (uint8_t for bools), K::From reads it from Field::bits, and AppendNumber<K>() (append.h) writes it. Requires: `kind`
// is a number, a bool or an enum.
template <typename Visit>
__attribute__((always_inline)) inline decltype(auto) VisitNumberKind(plan::Kind kind, Visit&& visit) {
  switch (plan::ScalarOf(kind)) {
    case plan::Scalar::kFixed32:
      if (kind == plan::Kind::kFloat) return visit(Fixed<float>());
      return kind == plan::Kind::kSfixed32 ? visit(Fixed<int32_t>()) : visit(Fixed<uint32_t>());
    case plan::Scalar::kFixed64:
      if (kind == plan::Kind::kDouble) return visit(Fixed<double>());
      return kind == plan::Kind::kSfixed64 ? visit(Fixed<int64_t>()) : visit(Fixed<uint64_t>());
#define STRUCTTENSOR_CASE(prefix, name) \
  case plan::Scalar::k##name:           \
    return visit(name());
      STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_CASE, ~)
#undef STRUCTTENSOR_CASE
    case plan::Scalar::kNone:
      break;
  }
  assert(false && "not a number");
  return visit(Uint64());
}

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_CORE_WIRE_SHARED_NUMBER_KINDS_H_
