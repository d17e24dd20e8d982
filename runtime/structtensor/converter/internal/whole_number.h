// Numbers on the command line, refused in words that people understand.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_WHOLE_NUMBER_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_WHOLE_NUMBER_H_

#include <cstdint>
#include <string>

namespace structtensor::converter_internal {

// The whole numbers that an option takes, both ends among them.
struct NumberRange {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;

  // "from 1 to 1000"; "1 or more" if only the type of the number ends the range.
  std::string Text() const;
};

// Makes a number out of what somebody typed: digits and nothing else. Rewrites `text` without leading zeros, which some readers
// of numbers take for octal. Returns what is wrong, "" if nothing is: "'-5' is not allowed: it takes a whole number from 1 to
// 1000".
std::string ReadWholeNumber(const NumberRange& range, std::string& text);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_WHOLE_NUMBER_H_
