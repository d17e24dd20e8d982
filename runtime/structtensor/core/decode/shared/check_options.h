// The ranges of options, for all that takes DecodeOptions.
#ifndef STRUCTTENSOR_CORE_DECODE_SHARED_CHECK_OPTIONS_H_
#define STRUCTTENSOR_CORE_DECODE_SHARED_CHECK_OPTIONS_H_

#include "absl/status/status.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor::decode_internal {

// Returns InvalidArgument, with the option, its value and its range, if an option is out of its range. `options.fields` is not
// looked at.
absl::Status CheckOptions(const DecodeOptions& options);

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_CORE_DECODE_SHARED_CHECK_OPTIONS_H_
