// Text templates for generated code: they look like the output.
#ifndef STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_
#define STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace structtensor::compiler {

using Variables = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Returns `text` with each $name$ replaced by its value. If a variable is alone on its line, all lines of its value get the
// variable's indentation, and an empty value removes the line. An unknown variable is a bug of the emitter: the program aborts.
std::string Fill(std::string_view text, Variables variables);

// `text` as a C++ string literal's content.
std::string EscapeC(std::string_view text);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_
