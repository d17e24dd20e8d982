// Names of options in messages. The library writes them in backquotes, as its option structs call them: `format`,
// `on_error=kSkip`. The command shows the same message with --from and --on-error=skip, and Python with framing= and
// on_error="skip".
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace structtensor::base_internal {

// An option that a caller calls by another name than the library.
struct OptionName {
  std::string_view library;
  std::string_view callers;
};

// Returns the value of an option as callers write it: "skip" for the enum value "kSkip", "null" for "kNull". Other values stay.
inline std::string ValueOfCallers(std::string_view value) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (value.size() < 2 || value[0] != 'k' || !is_upper(value[1])) return std::string(value);
  std::string result;
  for (const char c : value.substr(1)) {
    if (is_upper(c) && !result.empty()) result += '_';
    result += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

// Returns `text` with each option in backquotes as `show(name, value)` returns it. `value` is empty for `name` alone. `names`
// has the options, those with the same name included: other words in backquotes stay, because they may come from the data.
template <size_t kCount, typename Show>
std::string WithOptionNames(std::string_view text, const OptionName (&names)[kCount], const Show& show) {
  std::string result;
  while (true) {
    const size_t open = text.find('`');
    const size_t close = open == text.npos ? text.npos : text.find('`', open + 1);
    if (close == text.npos) return result.append(text);
    const std::string_view quoted = text.substr(open + 1, close - open - 1);
    const std::string_view name = quoted.substr(0, quoted.find('='));
    const OptionName* known = std::begin(names);
    while (known != std::end(names) && known->library != name) ++known;
    if (known == std::end(names)) {
      // The second backquote may open an option.
      result.append(text.substr(0, close));
      text.remove_prefix(close);
      continue;
    }
    result.append(text.substr(0, open));
    result.append(show(known->callers, ValueOfCallers(quoted.substr(name.size() + (name.size() < quoted.size() ? 1 : 0)))));
    text.remove_prefix(close + 1);
  }
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_
