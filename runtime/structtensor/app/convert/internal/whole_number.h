// Numbers on the command line, with error messages that people understand.
#ifndef STRUCTTENSOR_APP_CONVERT_INTERNAL_WHOLE_NUMBER_H_
#define STRUCTTENSOR_APP_CONVERT_INTERNAL_WHOLE_NUMBER_H_

#include <cstdint>
#include <string>

namespace structtensor::convert_internal {

// The whole numbers that an option takes, inclusive.
struct NumberRange {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;

  // "from 1 to 1000"; "1 or more" if only the type of the number ends the range.
  std::string Text() const;
};

// Checks that `text`, which a user typed, is a whole number in `range`: digits and nothing else. Removes leading zeros, which
// some parsers read as octal. Returns what is wrong, or "": "'-5' is not allowed: it takes a whole number from 1 to 1000".
std::string ReadWholeNumber(const NumberRange& range, std::string& text);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_INTERNAL_WHOLE_NUMBER_H_
