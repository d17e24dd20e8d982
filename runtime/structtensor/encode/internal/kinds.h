// Kinds of varints: the value type of the column, and what stands on the wire for it.
#ifndef STRUCTTENSOR_ENCODE_INTERNAL_KINDS_H_
#define STRUCTTENSOR_ENCODE_INTERNAL_KINDS_H_

#include <cstdint>

namespace structtensor::encode_internal {

struct Int32 {
  using Type = int32_t;
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(int64_t{v}); }
};
struct Uint32 {
  using Type = uint32_t;
  static constexpr uint64_t ToWire(Type v) { return v; }
};
struct Sint32 {
  using Type = int32_t;
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31); }
};
struct Int64 {
  using Type = int64_t;
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(v); }
};
struct Uint64 {
  using Type = uint64_t;
  static constexpr uint64_t ToWire(Type v) { return v; }
};
struct Sint64 {
  using Type = int64_t;
  static constexpr uint64_t ToWire(Type v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
};
struct Bool {
  using Type = uint8_t;
  static constexpr uint64_t ToWire(Type v) { return v; }
};

}  // namespace structtensor::encode_internal

#endif  // STRUCTTENSOR_ENCODE_INTERNAL_KINDS_H_
