#include "structtensor/compiler/emit/template.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {
namespace {

std::string_view Lookup(std::string_view name, Variables variables) {
  for (const auto& [variable, value] : variables) {
    if (variable == name) return value;
  }
  std::fprintf(stderr, "protoc-gen-structtensor: no value for template variable $%.*s$\n", static_cast<int>(name.size()),
               name.data());
  std::abort();
}

// `line` is `indentation` + "$name$" and nothing else.
void AppendBlock(std::string_view indentation, std::string_view value, std::string& out) {
  while (!value.empty()) {
    const size_t line_end = value.find('\n');
    const std::string_view line = value.substr(0, line_end);
    if (!line.empty()) {
      out += indentation;
      out += line;
    }
    out += '\n';
    value = line_end == std::string_view::npos ? std::string_view() : value.substr(line_end + 1);
  }
}

void AppendLine(std::string_view line, Variables variables, std::string& out) {
  const size_t first = line.find_first_not_of(' ');
  if (first != std::string_view::npos && line[first] == '$' && line.find('$', first + 1) == line.size() - 1) {
    AppendBlock(line.substr(0, first), Lookup(line.substr(first + 1, line.size() - first - 2), variables), out);
    return;
  }
  while (true) {
    const size_t begin = line.find('$');
    out += line.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const size_t end = line.find('$', begin + 1);
    out += Lookup(line.substr(begin + 1, end - begin - 1), variables);
    line = line.substr(end + 1);
  }
  out += '\n';
}

}  // namespace

std::string Fill(std::string_view text, Variables variables) {
  if (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  std::string out;
  while (!text.empty()) {
    const size_t line_end = text.find('\n');
    AppendLine(text.substr(0, line_end), variables, out);
    text = line_end == std::string_view::npos ? std::string_view() : text.substr(line_end + 1);
  }
  return out;
}

std::string EscapeC(std::string_view text) {
  // "??/" would be a trigraph. Compilers warn about trigraphs.
  return absl::StrReplaceAll(absl::CEscape(ToAbsl(text)), {{"?", "\\?"}});
}

}  // namespace structtensor::compiler
