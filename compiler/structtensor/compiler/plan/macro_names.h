// Names that the preprocessor may replace in generated code.
#ifndef STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_
#define STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_

#include <string_view>

namespace structtensor::compiler {

// Whether `name` is a macro of the C library's headers, of a compiler's GNU mode, or of widely used libraries. Enum values and
// fields are often called like these: EPERM, INT8_MAX, SIGINT, DOMAIN, errno. Macros that take arguments are not meant where
// accessors and enum values can be named like them.
bool IsMacroName(std::string_view name);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_PLAN_MACRO_NAMES_H_
