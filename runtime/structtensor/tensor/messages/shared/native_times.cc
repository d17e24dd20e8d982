#include "structtensor/tensor/messages/shared/native_times.h"

#include <cstddef>

namespace structtensor::messages_internal {
namespace {

// The unit is a constant here, because dividing by a constant costs little.
template <TimeUnit kUnit>
bool Convert(int64_t seconds, int32_t nanos, int64_t* value) {
  constexpr int64_t kUnitsPerSecond = UnitsPerSecond(kUnit);
  constexpr int64_t kNanosPerUnit = 1'000'000'000 / kUnitsPerSecond;
  int64_t units = nanos / kNanosPerUnit;
  if (nanos % kNanosPerUnit < 0) --units;  // division rounds towards zero
  if (!__builtin_mul_overflow(seconds, kUnitsPerSecond, value) && !__builtin_add_overflow(*value, units, value)) return true;
  // The seconds alone may be just out of range although the sum is not.
  const __int128 exact = static_cast<__int128>(seconds) * kUnitsPerSecond + units;
  *value = static_cast<int64_t>(exact);
  return exact == *value;
}

template <TimeUnit kUnit>
NativeTimes ReadTimesIn(const NodeView& node) {
  const int64_t* const seconds = static_cast<const int64_t*>(node.column(0).values);
  const int32_t* const nanos = static_cast<const int32_t*>(node.column(1).values);
  NativeTimes times;
  times.values.resize(node.nrows());
  for (size_t row = 0; row < times.values.size(); ++row) {
    if (Convert<kUnit>(seconds[row], nanos[row], &times.values[row])) {
      constexpr int64_t kNanosPerUnit = 1'000'000'000 / UnitsPerSecond(kUnit);
      if (nanos[row] % kNanosPerUnit != 0) ++times.truncated;
      continue;
    }
    if (times.fits.empty()) times.fits.assign(times.values.size() / 8 + 1, 0xff);
    times.fits[row / 8] &= static_cast<uint8_t>(~(1u << (row % 8)));
    times.values[row] = 0;
    ++times.out_of_range;
  }
  return times;
}

}  // namespace

TimeUnit NativeTimeUnit(const plan::FieldPlan& field, TimeUnit unit) {
  using Timestamps = plan::FieldAnnotations::Timestamps;
  switch (field.annotations == nullptr ? Timestamps::kUnspecified : field.annotations->timestamps) {
    case Timestamps::kSeconds:
      return TimeUnit::kSeconds;
    case Timestamps::kMilliseconds:
      return TimeUnit::kMilliseconds;
    case Timestamps::kMicroseconds:
      return TimeUnit::kMicroseconds;
    case Timestamps::kNanoseconds:
      return TimeUnit::kNanoseconds;
    case Timestamps::kUnspecified:
      break;
  }
  return unit;
}

NativeTimes ReadTimes(const NodeView& node, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return ReadTimesIn<TimeUnit::kSeconds>(node);
    case TimeUnit::kMilliseconds:
      return ReadTimesIn<TimeUnit::kMilliseconds>(node);
    case TimeUnit::kMicroseconds:
      return ReadTimesIn<TimeUnit::kMicroseconds>(node);
    case TimeUnit::kNanoseconds:
      break;
  }
  return ReadTimesIn<TimeUnit::kNanoseconds>(node);
}

}  // namespace structtensor::messages_internal
