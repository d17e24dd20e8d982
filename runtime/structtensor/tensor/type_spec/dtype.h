// The element types of tensors.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

namespace type_spec_internal {

// The category of a dtype.
enum class DTypeFamily : uint8_t { kBool, kInteger, kFloating, kString, kTimestamp, kDuration };

struct DTypeFacts {
  DType dtype;
  std::string_view name;  // in specs and messages
  DTypeFamily family;
  DType stored_as;         // itself; for times, kInt64
  size_t size_bytes;       // of a stored element; 0 for strings and bytes, whose elements have no fixed size
  TimeUnit unit;           // of timestamps and durations
  const char* arrow;       // the format string of Arrow's C data interface; null if it has none
  std::string_view numpy;  // NumPy's type string; "" if NumPy has no such type
};

// All facts about dtypes, by number.
inline constexpr DTypeFacts kDTypeFacts[] = {
    {DType::kBool, "bool", DTypeFamily::kBool, DType::kBool, 1, {}, "b", "|b1"},
    {DType::kInt32, "int32", DTypeFamily::kInteger, DType::kInt32, 4, {}, "i", "<i4"},
    {DType::kInt64, "int64", DTypeFamily::kInteger, DType::kInt64, 8, {}, "l", "<i8"},
    {DType::kUint32, "uint32", DTypeFamily::kInteger, DType::kUint32, 4, {}, "I", "<u4"},
    {DType::kUint64, "uint64", DTypeFamily::kInteger, DType::kUint64, 8, {}, "L", "<u8"},
    {DType::kFloat, "float", DTypeFamily::kFloating, DType::kFloat, 4, {}, "f", "<f4"},
    {DType::kDouble, "double", DTypeFamily::kFloating, DType::kDouble, 8, {}, "g", "<f8"},
    {DType::kString, "string", DTypeFamily::kString, DType::kString, 0, {}, "u", ""},
    {DType::kBytes, "bytes", DTypeFamily::kString, DType::kBytes, 0, {}, "z", ""},
    {DType::kTimestampNs, "timestamp[ns]", DTypeFamily::kTimestamp, DType::kInt64, 8, TimeUnit::kNanoseconds, "tsn:UTC",
     "<M8[ns]"},
    {DType::kDurationNs, "duration[ns]", DTypeFamily::kDuration, DType::kInt64, 8, TimeUnit::kNanoseconds, "tDn", "<m8[ns]"},
    {DType::kFloat16, "float16", DTypeFamily::kFloating, DType::kFloat16, 2, {}, "e", "<f2"},
    {DType::kBfloat16, "bfloat16", DTypeFamily::kFloating, DType::kBfloat16, 2, {}, nullptr, ""},
    {DType::kTimestampS, "timestamp[s]", DTypeFamily::kTimestamp, DType::kInt64, 8, TimeUnit::kSeconds, "tss:UTC", "<M8[s]"},
    {DType::kTimestampMs, "timestamp[ms]", DTypeFamily::kTimestamp, DType::kInt64, 8, TimeUnit::kMilliseconds, "tsm:UTC",
     "<M8[ms]"},
    {DType::kTimestampUs, "timestamp[us]", DTypeFamily::kTimestamp, DType::kInt64, 8, TimeUnit::kMicroseconds, "tsu:UTC",
     "<M8[us]"},
    {DType::kDurationS, "duration[s]", DTypeFamily::kDuration, DType::kInt64, 8, TimeUnit::kSeconds, "tDs", "<m8[s]"},
    {DType::kDurationMs, "duration[ms]", DTypeFamily::kDuration, DType::kInt64, 8, TimeUnit::kMilliseconds, "tDm", "<m8[ms]"},
    {DType::kDurationUs, "duration[us]", DTypeFamily::kDuration, DType::kInt64, 8, TimeUnit::kMicroseconds, "tDu", "<m8[us]"},
};

constexpr bool DTypeFactsAreInOrder() {
  size_t number = 0;
  for (const DTypeFacts& facts : kDTypeFacts) {
    if (static_cast<size_t>(facts.dtype) != number++) return false;
  }
  return true;
}
static_assert(DTypeFactsAreInOrder(), "FactsOf() needs them by number");

constexpr const DTypeFacts& FactsOf(DType dtype) { return kDTypeFacts[static_cast<size_t>(dtype)]; }
constexpr DTypeFamily FamilyOf(DType dtype) { return FactsOf(dtype).family; }

}  // namespace type_spec_internal

// DTypes are numbered from 0 to this one.
inline constexpr DType kLastDType = DType::kDurationUs;
static_assert(std::size(type_spec_internal::kDTypeFacts) == static_cast<size_t>(kLastDType) + 1, "each dtype has its facts");

// "bool", "int32", "float", "timestamp[ns]", ...
constexpr std::string_view DTypeName(DType dtype) { return type_spec_internal::FactsOf(dtype).name; }
constexpr size_t DTypeSizeBytes(DType dtype) { return type_spec_internal::FactsOf(dtype).size_bytes; }

// Whether elements are strings or bytes, stored as offsets into one run of bytes.
constexpr bool IsStringLike(DType dtype) {
  return type_spec_internal::FamilyOf(dtype) == type_spec_internal::DTypeFamily::kString;
}
// Whether elements are numbers with a fraction: the four floating point types.
constexpr bool IsFloating(DType dtype) {
  return type_spec_internal::FamilyOf(dtype) == type_spec_internal::DTypeFamily::kFloating;
}
// Whether elements are integers. Timestamps, durations and booleans are not.
constexpr bool IsInteger(DType dtype) {
  return type_spec_internal::FamilyOf(dtype) == type_spec_internal::DTypeFamily::kInteger;
}
// Whether elements are points in time (since 1970-01-01T00:00:00Z), or lengths of time: stored as int64_t, counted in a
// TimeUnit.
constexpr bool IsTimestamp(DType dtype) {
  return type_spec_internal::FamilyOf(dtype) == type_spec_internal::DTypeFamily::kTimestamp;
}
constexpr bool IsDuration(DType dtype) {
  return type_spec_internal::FamilyOf(dtype) == type_spec_internal::DTypeFamily::kDuration;
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
constexpr TimeUnit TimeUnitOf(DType dtype) { return type_spec_internal::FactsOf(dtype).unit; }

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
  return DTypeOf<T>::value == type_spec_internal::FactsOf(dtype).stored_as;
}

// Returns visitor.operator()<T>(), where T is how elements of `dtype` are stored. Requires: !IsStringLike(dtype).
template <typename Visitor>
decltype(auto) VisitStoredType(DType dtype, Visitor&& visitor) {
  switch (type_spec_internal::FactsOf(dtype).stored_as) {
    case DType::kInt32:
      return visitor.template operator()<int32_t>();
    case DType::kInt64:
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
    default:
      break;
  }
  assert(dtype == DType::kBool && "strings and bytes have no stored element type");
  return visitor.template operator()<uint8_t>();
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_DTYPE_H_
