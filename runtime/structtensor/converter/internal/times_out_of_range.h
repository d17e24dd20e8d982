// What people are told of times that became null.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_

#include <vector>

#include "structtensor/batch_to_tensor/to_structured_tensor.h"

namespace structtensor::converter_internal {

// Lists them on standard error, a line for each field: they are null in the output, which nobody would see there beside the
// times that were never set.
void TellTimesOutOfRange(const std::vector<TimesOutOfRange>& times);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_
