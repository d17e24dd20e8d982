#include "structtensor/compiler/plan/macro_names.h"

#include <algorithm>
#include <iterator>

namespace structtensor::compiler {
namespace {

// Ascending. From the macros that g++ 12 and clang 14 define after the headers of C++'s C library on Debian 12, and after
// Abseil's.
constexpr std::string_view kMacroNames[] = {
#include "macro_names.inc"  // macro_names.txt as string literals
};
static_assert(std::is_sorted(std::begin(kMacroNames), std::end(kMacroNames)));

}  // namespace

bool IsMacroName(std::string_view name) { return std::binary_search(std::begin(kMacroNames), std::end(kMacroNames), name); }

}  // namespace structtensor::compiler
