#include "option_names.h"

#include <cstddef>
#include <utility>

namespace structtensor::python {
namespace {

// A name that begins with another name comes before it.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"--on-error=skip", "on_error=\"skip\""},
    {"--max-message-bytes", "max_message_bytes="},
    {"--max-errors=", "max_errors = "},
    {"--message", "message="},
    {"--rows", "rows"},
    {"--from", "framing="},
    {"ScanOptions::decode.", ""},
    {"ScanOptions::", ""},
    {"MessageDecoderOptions::", ""},
    {"DecodeOptions::", ""},
    {"TensorOptions::", ""},
};

bool IsPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '/' ||
         c == '.';
}

// The entry of kNames whose name is at `position` and is not part of another name, such as a path; or null.
const std::pair<std::string_view, std::string_view>* NameAt(std::string_view text, size_t position) {
  if (position > 0 && IsPartOfName(text[position - 1])) return nullptr;
  for (const auto& entry : kNames) {
    const std::string_view name = entry.first;
    if (!text.substr(position).starts_with(name)) continue;
    const size_t end = position + name.size();
    const bool is_prefix = name.ends_with(':') || name.ends_with('.') || name.ends_with('=');
    if (is_prefix || end == text.size() || !IsPartOfName(text[end])) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string WithPythonNames(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (const auto* const entry = NameAt(text, i)) {
      result += entry->second;
      i += entry->first.size();
    } else {
      result += text[i++];
    }
  }
  return result;
}

}  // namespace structtensor::python
