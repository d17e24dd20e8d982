// Compares what two decoders with equivalent plans made of the same messages.
#ifndef STRUCTTENSOR_TESTS_ORACLE_BATCH_DIFFERENCE_H_
#define STRUCTTENSOR_TESTS_ORACLE_BATCH_DIFFERENCE_H_

#include <span>
#include <string>
#include <string_view>

#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {

// "" if all buffers of all columns are equal, byte by byte, else where they first differ: "a.b: validity".
// Cost: O(size of the batches).
std::string DifferenceOfBatches(const DecodedBatch& a, const DecodedBatch& b);

// "" if the errors of the two batches of `messages` are equal, else the first difference. The wording of errors within ten
// bytes of a message's end may differ: decoders read past the end of a message, so what they make of a varint that is cut off
// depends on the bytes there.
std::string DifferenceOfErrors(std::span<const MessageError> a, std::span<const MessageError> b,
                               std::span<const std::string_view> messages);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_BATCH_DIFFERENCE_H_
