// Compares the batches of two decoders with equal plans, byte by byte.
#ifndef STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_
#define STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_

#include <span>
#include <string>
#include <string_view>

#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {

// Decodes with both and encodes the results. Returns "" if results and errors are equal, else the first difference. The wording
// of errors within ten bytes of a message's end may differ. Adds the number of refused messages to `refused`, if not null.
std::string DifferenceOfDecoders(BatchDecoder& a, BatchDecoder& b, std::span<const std::string_view> messages,
                                 size_t* refused = nullptr);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_
