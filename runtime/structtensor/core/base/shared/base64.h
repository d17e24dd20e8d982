// Reads base64 (RFC 4648, sections 4 and 5).
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_BASE64_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_BASE64_H_

#include <cstddef>
#include <string_view>

namespace structtensor::base_internal {

// How many bytes the text decodes to, if it is base64.
size_t DecodedBase64Bytes(std::string_view text);

// Writes the bytes that the text decodes to. Either alphabet is taken, even both in one text, as some writers mix them; with or
// without padding; nothing else, no white space. Bits of the last character that no byte has do not matter. Returns where the
// bytes end; null if the text is not base64. Requires: room for DecodedBase64Bytes(text).
char* DecodeBase64(std::string_view text, char* at);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_BASE64_H_
