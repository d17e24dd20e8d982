// Debian's Abseil has its own string_view. ToAbsl() passes a std::string_view into its functions.
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
