// Debian's Abseil has its own string_view. ToAbsl() passes a std::string_view into its functions.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_STRINGS_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_STRINGS_H_

#include <cstddef>
#include <string_view>

#include "absl/strings/string_view.h"

#pragma GCC visibility push(default)

namespace structtensor {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

// The beginning of a text for an error message: at most 100 bytes. A UTF-8 character is not cut.
inline absl::string_view Shortened(std::string_view text) {
  constexpr size_t kShownBytes = 100;
  size_t end = text.size() < kShownBytes ? text.size() : kShownBytes;
  constexpr size_t kMaxContinuationBytes = 3;
  const auto continues = [&text](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
  for (size_t cut = 0; cut < kMaxContinuationBytes && end < text.size() && end > 0 && continues(end); ++cut) --end;
  return {text.data(), end};
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_STRINGS_H_
