// Text templates for generated code: they look like the output.
#ifndef STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_
#define STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace structtensor::compiler {

using Variables = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Returns `text` with each $name$ replaced by its value. A value of several lines that stands alone on its line is indented as
// the variable was, and an empty one takes its line with it. An unknown variable is our own mistake and aborts.
std::string Fill(std::string_view text, Variables variables);

// `text` as a C++ string literal's content.
std::string EscapeC(std::string_view text);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_EMIT_TEMPLATE_H_
