// Paths and messages for terminals, columns and logs. Names of files may be any bytes.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_PRINTABLE_PATH_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_PRINTABLE_PATH_H_

#include <string>
#include <string_view>

namespace structtensor::base_internal {

// Returns `path` as UTF-8 without control characters. Each byte of a control character (also the ones that change the direction
// of text, and line separators) and each byte that is not part of well-formed UTF-8 becomes \xHH, with two hexadecimal digits
// in lower case. A backslash becomes \x5c if it would otherwise begin such a text: so different paths have different results,
// and nearly all paths stay what they are. "a\n.pb" becomes "a\x0a.pb".
std::string PrintablePath(std::string_view path);

// Returns `text`, a message, with control characters other than '\n' and '\t' as \xHH.
std::string WithoutControlCharacters(std::string_view text);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_PRINTABLE_PATH_H_
