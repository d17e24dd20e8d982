// google.protobuf.Timestamp and google.protobuf.Duration as Abseil's times. Generated headers include this where messages have
// fields of these types. The columns have seconds and nanoseconds as they were sent: batch->created().seconds().
#ifndef STRUCTTENSOR_CORE_GENERATED_API_TIME_H_
#define STRUCTTENSOR_CORE_GENERATED_API_TIME_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/time/time.h"
#include "structtensor/core/generated_api/row_builders.h"
#include "structtensor/core/generated_api/rows.h"

#pragma GCC visibility push(default)

namespace structtensor::generated_api_internal {

// Both messages have the field seconds first and nanos second. An absent message is a duration of zero, or the epoch.
template <>
struct RowValue<absl::Duration> {
  static constexpr bool kIsMessage = true;
  static absl::Duration At(const void* values, const char*, size_t i) {
    const MessageRow time(static_cast<const RowTable*>(values), i);
    return absl::Seconds(RowReader::Get<int64_t>(time, 0)) + absl::Nanoseconds(RowReader::Get<int32_t>(time, 1));
  }
};
template <>
struct RowValue<absl::Time> {
  static constexpr bool kIsMessage = true;
  static absl::Time At(const void* values, const char* bytes, size_t i) {
    return absl::UnixEpoch() + RowValue<absl::Duration>::At(values, bytes, i);
  }
};

// A duration's seconds and nanoseconds have the same sign.
inline void StoreTime(const MessageBuilder& message, absl::Duration value) {
  absl::Duration nanos;
  RowWriter::Set(message, 0, absl::IDivDuration(value, absl::Seconds(1), &nanos));
  RowWriter::Set(message, 1, static_cast<int32_t>(absl::ToInt64Nanoseconds(nanos)));
}
// A timestamp's nanoseconds count forward.
inline void StoreTime(const MessageBuilder& message, absl::Time value) {
  const int64_t seconds = absl::ToUnixSeconds(value);
  RowWriter::Set(message, 0, seconds);
  RowWriter::Set(message, 1, static_cast<int32_t>(absl::ToInt64Nanoseconds(value - absl::FromUnixSeconds(seconds))));
}

// The ranges that timestamp.proto and duration.proto state: years 1 to 9999, and about as many years before and after now.
inline bool IsInRange(absl::Time value) {
  return value >= absl::FromUnixSeconds(-62'135'596'800) && value < absl::FromUnixSeconds(253'402'300'800);
}
inline bool IsInRange(absl::Duration value) { return absl::AbsDuration(value) <= absl::Seconds(315'576'000'000); }

// Fractions of a nanosecond are cut off.
template <typename T>
struct TimeInput {
  static void Set(const MessageBuilder& row, uint32_t field, T value) {
    if (Check(row, field, value)) StoreTime(RowWriter::Mutable(row, field), value);
  }
  static void Add(const MessageBuilder& row, uint32_t field, T value) {
    if (Check(row, field, value)) StoreTime(RowWriter::AddMessage(row, field), value);
  }

 private:
  static bool Check(const MessageBuilder& row, uint32_t field, T value) {
    if (IsInRange(value)) return true;
    RowWriter::Fail(row, field,
                    std::is_same_v<T, absl::Time>
                        ? "a Timestamp must be in the years 1 to 9999; leave the field out, or set such a time"
                        : "a Duration has at most 315,576,000,000 seconds; leave the field out, or set such a duration");
    return false;
  }
};
template <>
struct RowInput<absl::Duration> : TimeInput<absl::Duration> {};
template <>
struct RowInput<absl::Time> : TimeInput<absl::Time> {};

}  // namespace structtensor::generated_api_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_TIME_H_
