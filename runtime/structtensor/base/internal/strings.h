// Debian's Abseil has a string_view of its own; this is how std::string_view passes into its functions.
#ifndef STRUCTTENSOR_BASE_INTERNAL_STRINGS_H_
#define STRUCTTENSOR_BASE_INTERNAL_STRINGS_H_

#include <string_view>

#include "absl/strings/string_view.h"

#pragma GCC visibility push(default)

namespace structtensor {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_BASE_INTERNAL_STRINGS_H_
