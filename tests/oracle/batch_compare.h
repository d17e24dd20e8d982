// Compares the batches of two decoders with equal plans, byte by byte.
#ifndef STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_
#define STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_

#include <span>
#include <string>
#include <string_view>

#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {

// Decodes with both, and encodes what comes out. "" if results and errors are equal, else the first difference; texts of errors
// may differ within ten bytes of a message's end. The number of
// messages that were refused is added to `refused`, if that is not null.
std::string DifferenceOfDecoders(BatchDecoder& a, BatchDecoder& b, std::span<const std::string_view> messages,
                                 size_t* refused = nullptr);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_BATCH_COMPARE_H_
