// Names that the preprocessor may replace in generated code.
#ifndef STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_
#define STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_

#include <string_view>

namespace structtensor::compiler {

// Whether `name` is a macro of the C library's headers, of a compiler's GNU mode, or of widely used libraries. Enum values and
// fields often have such names: EPERM, INT8_MAX, SIGINT, DOMAIN, errno. A macro that takes arguments does not count if
// accessors and enum values can have its name.
bool IsMacroName(std::string_view name);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_
