// Text as a JSON string. Both functions append to `out`.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_JSON_STRING_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_JSON_STRING_H_

#include <string>
#include <string_view>

namespace structtensor {

// `text` in quotes, with quotes, backslashes and control characters escaped. Each byte that is not part of well-formed UTF-8
// becomes U+FFFD, so that the output is always valid JSON.
void AppendJsonString(std::string_view text, std::string& out);
// For people: like AppendJsonString, but without the quotes around the text, and quotes and backslashes in it are not escaped.
void AppendPrintable(std::string_view text, std::string& out);

}  // namespace structtensor

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_JSON_STRING_H_
