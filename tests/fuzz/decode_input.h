// What a string of bytes means to the decode fuzzer: a message type, options, and a batch of serialized messages.
//
//     byte 0   index into MessageTypes(), modulo their number
//     byte 1   options, see below
//     then, up to four times: the message's size as a little-endian uint16, and the message. If the bytes end inside a message,
//     it is shorter than its size
#ifndef STRUCTTENSOR_TESTS_FUZZ_DECODE_INPUT_H_
#define STRUCTTENSOR_TESTS_FUZZ_DECODE_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::testing {

struct DecodeInput {
  enum Option : uint8_t {
    kFlat = 1,                  // DecodeOptions::recursion_depth = 1, for the messages that libprotobuf accepts
    kAllowMissingRequired = 2,  // DecodeOptions::allow_missing_required
    kDropUnknown = 4,           // DecodeOptions::unknown_fields = kDrop instead of kKeep; and nothing is encoded
  };
  static constexpr size_t kMaxMessages = 4;
  static constexpr size_t kMaxMessageBytes = 0xffff;

  size_t type = 0;
  uint8_t options = 0;
  std::vector<std::string> messages;
};

DecodeInput ParseDecodeInput(std::string_view bytes);

// Requires: at most kMaxMessages messages of at most kMaxMessageBytes bytes.
std::string SerializeDecodeInput(const DecodeInput& input);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_DECODE_INPUT_H_
