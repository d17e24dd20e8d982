// google.protobuf.Timestamp and google.protobuf.Duration as Abseil's times. Generated headers include this where messages have
// fields of these types. Seconds and nanoseconds as they were sent are in the columns: batch->created().seconds().
#ifndef STRUCTTENSOR_TYPED_TIME_H_
#define STRUCTTENSOR_TYPED_TIME_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "structtensor/typed/rows.h"

namespace structtensor::typed_internal {

// Both messages have the field seconds first and nanos second. An absent message is a duration of zero, and the epoch.
template <>
struct RowValue<absl::Duration> {
  static absl::Duration At(const void* values, const char*, size_t i) {
    const MessageRow time(static_cast<const RowTable*>(values), i);
    return absl::Seconds(RowReader::Get<int64_t>(time, 0)) + absl::Nanoseconds(RowReader::Get<int32_t>(time, 1));
  }
};
template <>
struct RowValue<absl::Time> {
  static absl::Time At(const void* values, const char* bytes, size_t i) {
    return absl::UnixEpoch() + RowValue<absl::Duration>::At(values, bytes, i);
  }
};

}  // namespace structtensor::typed_internal

#endif  // STRUCTTENSOR_TYPED_TIME_H_
