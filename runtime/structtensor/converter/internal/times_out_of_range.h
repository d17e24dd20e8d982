// Reports times that became null.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_

#include <vector>

#include "structtensor/batch_to_tensor/to_structured_tensor.h"

namespace structtensor::converter_internal {

// Lists them on standard error, one line for each field. They are null in the output, where nobody could tell them from times
// that were never set.
void TellTimesOutOfRange(const std::vector<TimesOutOfRange>& times);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_TIMES_OUT_OF_RANGE_H_
