// Distinguishes JSON lines from a JSON document.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_JSON_LINES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_JSON_LINES_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace structtensor::base_internal {

// Whether the object or list at the beginning of the text ends in a later line.
inline bool BeginsWithLongValue(std::string_view text) {
  size_t open = 0;
  bool in_string = false;
  bool in_first_line = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if (c == '}' || c == ']') {
      if (open <= 1) return open == 1 && !in_first_line;
      --open;
    }
    if (c == '\n' && open > 0) in_first_line = false;
  }
  return false;
}

// Whether most lines of the text, or of its beginning, are a whole object: they begin with "{" and end with "}". Documents have
// few such lines, because brackets and commas surround their objects. So a few damaged lines, even the first one, do not
// matter. False if there are as many others, and if the first value goes over several lines.
inline bool HasObjectsOnLines(std::string_view text) {
  constexpr size_t kBytes = size_t{64} << 10;
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const bool is_whole = text.size() <= kBytes;
  text = text.substr(0, kBytes);
  const std::string_view beginning = text;
  size_t objects = 0;
  size_t others = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos && !is_whole) break;  // the line goes on
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end == std::string_view::npos ? end : end + 1));
    const size_t first = line.find_first_not_of(kWhiteSpace);
    if (first == std::string_view::npos) continue;
    const bool is_object = line[first] == '{' && line[line.find_last_not_of(kWhiteSpace)] == '}';
    ++(is_object ? objects : others);
  }
  return objects > others && !BeginsWithLongValue(beginning);
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_JSON_LINES_H_
