// Timestamps in whole seconds, for formats that do not have this unit.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_TIMESTAMP_SECONDS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_TIMESTAMP_SECONDS_H_

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::column_files_internal {

// Whether a field at any depth below `spec` is timestamp[s].
bool HasTimestampSeconds(const StructuredTensorSpec& spec);

// Return the spec or batch with each timestamp[s] field replaced by a nullable timestamp[ms] field. A time is absent if its
// milliseconds do not fit in int64: more than 292 million years from 1970. Arrow's own writer lets such a time wrap around to
// another one.
StructuredTensorSpec TimestampSecondsToMilliseconds(const StructuredTensorSpec& spec);
StructuredTensor TimestampSecondsToMilliseconds(const StructuredTensor& batch);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_TIMESTAMP_SECONDS_H_
