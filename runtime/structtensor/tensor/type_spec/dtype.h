// The element types of tensors.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "structtensor/core/base/float16.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The length of one step of a timestamp or duration.
enum class TimeUnit : uint8_t { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

// "s", "ms", "us", "ns".
std::string_view TimeUnitName(TimeUnit unit);
// 1 for seconds to 1'000'000'000 for nanoseconds.
constexpr int64_t UnitsPerSecond(TimeUnit unit) {
  constexpr int64_t kUnits[] = {1, 1'000, 1'000'000, 1'000'000'000};
  return kUnits[static_cast<size_t>(unit)];
}

enum class DType : uint8_t {
  kBool,  // stored as uint8_t, 0 or 1
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,  // UTF-8
  kBytes,
  kTimestampNs,  // int64, nanoseconds since 1970-01-01T00:00:00Z
  kDurationNs,   // int64, nanoseconds
  kFloat16,      // Float16
  kBfloat16,     // BFloat16
  // Like kTimestampNs and kDurationNs, in other units.
  kTimestampS,
  kTimestampMs,
  kTimestampUs,
  kDurationS,
  kDurationMs,
  kDurationUs,
};

// The last one: DTypes are numbered from 0 without gaps.
inline constexpr DType kLastDType = DType::kDurationUs;

// The name in specs and messages: "bool", "int32", ..., "float", "double", "string", "bytes", "timestamp[ns]", "duration[ns]",
// "float16", "bfloat16", "timestamp[s]", ...
std::string_view DTypeName(DType dtype);

// Bytes of one stored element: 1, 2, 4 or 8; 0 for strings and bytes, whose elements have no fixed size.
size_t DTypeSizeBytes(DType dtype);

// Whether elements are strings or bytes, stored as offsets into one run of bytes.
constexpr bool IsStringLike(DType dtype) { return dtype == DType::kString || dtype == DType::kBytes; }

// Whether elements are numbers with a fraction: the four floating point types.
constexpr bool IsFloating(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}
// Whether elements are integers. Timestamps, durations and booleans are not.
constexpr bool IsInteger(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64 || dtype == DType::kUint32 || dtype == DType::kUint64;
}

// Whether elements are points in time (since 1970-01-01T00:00:00Z), or lengths of time: stored as int64_t, counted in a
// TimeUnit.
constexpr bool IsTimestamp(DType dtype) {
  return dtype == DType::kTimestampNs || dtype == DType::kTimestampUs || dtype == DType::kTimestampMs ||
         dtype == DType::kTimestampS;
}
constexpr bool IsDuration(DType dtype) {
  return dtype == DType::kDurationNs || dtype == DType::kDurationUs || dtype == DType::kDurationMs ||
         dtype == DType::kDurationS;
}
constexpr bool IsTime(DType dtype) { return IsTimestamp(dtype) || IsDuration(dtype); }

// The dtype of timestamps, and of durations, in this unit.
constexpr DType TimestampDType(TimeUnit unit) {
  constexpr DType kDTypes[] = {DType::kTimestampS, DType::kTimestampMs, DType::kTimestampUs, DType::kTimestampNs};
  return kDTypes[static_cast<size_t>(unit)];
}
constexpr DType DurationDType(TimeUnit unit) {
  constexpr DType kDTypes[] = {DType::kDurationS, DType::kDurationMs, DType::kDurationUs, DType::kDurationNs};
  return kDTypes[static_cast<size_t>(unit)];
}
// Requires: IsTime(dtype).
constexpr TimeUnit TimeUnitOf(DType dtype) {
  for (const TimeUnit unit : {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds}) {
    if (dtype == TimestampDType(unit) || dtype == DurationDType(unit)) return unit;
  }
  return TimeUnit::kNanoseconds;
}

// Whether elements of `dtype` are stored as T. Timestamps and durations are stored as int64_t, booleans as uint8_t.
template <typename T>
constexpr bool IsStoredAs(DType dtype);

// The default dtype of a buffer of T.
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kDouble;
};

template <>
struct DTypeOf<Float16> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::kBfloat16;
};

template <typename T>
constexpr bool IsStoredAs(DType dtype) {
  if (IsTime(dtype)) return DTypeOf<T>::value == DType::kInt64;
  return DTypeOf<T>::value == dtype;
}

// Returns visitor.operator()<T>(), where T is how elements of `dtype` are stored. Requires: !IsStringLike(dtype).
template <typename Visitor>
decltype(auto) VisitStoredType(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kBool:
      return visitor.template operator()<uint8_t>();
    case DType::kInt32:
      return visitor.template operator()<int32_t>();
    case DType::kInt64:
    case DType::kTimestampNs:
    case DType::kTimestampUs:
    case DType::kTimestampMs:
    case DType::kTimestampS:
    case DType::kDurationNs:
    case DType::kDurationUs:
    case DType::kDurationMs:
    case DType::kDurationS:
      return visitor.template operator()<int64_t>();
    case DType::kUint32:
      return visitor.template operator()<uint32_t>();
    case DType::kUint64:
      return visitor.template operator()<uint64_t>();
    case DType::kFloat:
      return visitor.template operator()<float>();
    case DType::kDouble:
      return visitor.template operator()<double>();
    case DType::kFloat16:
      return visitor.template operator()<Float16>();
    case DType::kBfloat16:
      return visitor.template operator()<BFloat16>();
    case DType::kString:
    case DType::kBytes:
      break;
  }
  assert(false && "strings and bytes have no stored element type");
  return visitor.template operator()<uint8_t>();
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_
