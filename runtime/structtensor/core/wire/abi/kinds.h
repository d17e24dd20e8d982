// Kinds of varints. Each has the type of a value in its column, From (varint to value), ToWire (value to varint) and Unpack
// (packed run to values). Generated code names these structs.
#ifndef STRUCTTENSOR_CORE_WIRE_ABI_KINDS_H_
#define STRUCTTENSOR_CORE_WIRE_ABI_KINDS_H_

#include <cstdint>

#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/wire/abi/packed.h"
#include "structtensor/core/wire/abi/varint.h"

#pragma GCC visibility push(default)

namespace structtensor::wire_internal {

struct Int32 {
  using Type = int32_t;
  static Type From(uint64_t v) { return static_cast<int32_t>(v); }
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(int64_t{v}); }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) {
    return reinterpret_cast<Type*>(UnpackUint32(p, end, reinterpret_cast<uint32_t*>(out)));
  }
};
struct Uint32 {
  using Type = uint32_t;
  static Type From(uint64_t v) { return static_cast<uint32_t>(v); }
  static constexpr uint64_t ToWire(Type v) { return v; }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) { return UnpackUint32(p, end, out); }
};
struct Sint32 {
  using Type = int32_t;
  static Type From(uint64_t v) { return ZigZag32(static_cast<uint32_t>(v)); }
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31); }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) { return UnpackSint32(p, end, out); }
};
struct Int64 {
  using Type = int64_t;
  static Type From(uint64_t v) { return static_cast<int64_t>(v); }
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(v); }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) {
    return reinterpret_cast<Type*>(UnpackUint64(p, end, reinterpret_cast<uint64_t*>(out)));
  }
};
struct Uint64 {
  using Type = uint64_t;
  static Type From(uint64_t v) { return v; }
  static constexpr uint64_t ToWire(Type v) { return v; }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) { return UnpackUint64(p, end, out); }
};
struct Sint64 {
  using Type = int64_t;
  static Type From(uint64_t v) { return ZigZag64(v); }
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) { return UnpackSint64(p, end, out); }
};
struct Bool {
  using Type = uint8_t;
  static Type From(uint64_t v) { return v != 0; }
  static constexpr uint64_t ToWire(Type v) { return v; }
  static Type* Unpack(const uint8_t* p, const uint8_t* end, Type* out) { return UnpackBool(p, end, out); }
};

// Returns visit(K()) for the struct K above that reads and writes `kind`. Requires: values of `kind` are varints.
template <typename Visit>
decltype(auto) VisitVarintKind(plan::Kind kind, Visit visit) {
  switch (plan::ScalarOf(kind)) {
#define STRUCTTENSOR_CASE(prefix, name) \
  case plan::Scalar::k##name:           \
    return visit(name());
    STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_CASE, ~)
#undef STRUCTTENSOR_CASE
    case plan::Scalar::kFixed32:
    case plan::Scalar::kFixed64:
    case plan::Scalar::kNone:
      break;
  }
  return visit(Uint64());
}

}  // namespace structtensor::wire_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_WIRE_ABI_KINDS_H_
