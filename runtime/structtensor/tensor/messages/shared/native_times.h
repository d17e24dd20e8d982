// google.protobuf.Timestamp and Duration as numbers in one unit.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_SHARED_NATIVE_TIMES_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_SHARED_NATIVE_TIMES_H_

#include <cstdint>
#include <vector>

#include "structtensor/core/column/column_view.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::messages_internal {

// The unit of the field's native times: the one of its annotation, or else `unit`.
TimeUnit NativeTimeUnit(const plan::FieldPlan& field, TimeUnit unit);

struct NativeTimes {
  std::vector<int64_t> values;  // [nrows]; 0 where the value does not fit
  // [nrows] bits, 1 where the value fits, and 1 after the last row. Empty if all fit.
  std::vector<uint8_t> fits;
  int64_t out_of_range = 0;  // how many values do not fit
  int64_t truncated = 0;     // how many of the other values were rounded down
};

// Returns the times of `node`, which has columns `seconds` and `nanos`: seconds + nanos / 10^9 in this unit, rounded down
// (towards the past; negative durations become longer). nanos may have any value and sign. Example: -1 seconds and
// 500'000'001 nanoseconds are -500 ms.
NativeTimes ReadTimes(const NodeView& node, TimeUnit unit);

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_SHARED_NATIVE_TIMES_H_
