// Changes the dtype of all row partitions in a value.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_CAST_ROW_SPLITS_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_CAST_ROW_SPLITS_H_

#include <cstdint>

#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// The largest nvals() of the row partitions in `value`, fields of structs included; 0 if there are none. Cost: O(partitions).
int64_t MaxPartitionNvals(const Value& value);

// Returns the value with row partitions of that dtype, also in fields of structs. Structs keep the dtype also if they have no
// partitions. Values of extension types stay as they are. Requires: dtype is kInt64, or kInt32 and MaxPartitionNvals(value)
// fits in it.
// Cost: O(partitions), no data is copied.
Value CastRowSplits(const Value& value, DType dtype);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_CAST_ROW_SPLITS_H_
