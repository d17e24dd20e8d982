// Reports times that differ in columns from those in messages.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_INEXACT_TIMES_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_INEXACT_TIMES_H_

#include <vector>

#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::convert_internal {

// Lists them on standard error, one line for each field and each kind of loss: times that are null, as if they had never been
// set, and times without their last digits.
void ReportInexactTimes(const std::vector<InexactTimes>& times);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_INEXACT_TIMES_H_
