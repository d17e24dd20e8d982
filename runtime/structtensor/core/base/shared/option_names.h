// Names of options in messages. The library writes them in backquotes, as its option structs call them: `format`,
// `on_error=kSkip`, `max_depth=100`. Users set options in other places, which have names of their own: the command shows the
// same message with --from, --on-error=skip and --max-depth=100, and Python with format=, on_error="skip" and max_depth=100.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::base_internal {

// An option with its value, as messages have it: "`max_depth=100`".
template <typename Value>
std::string OptionText(std::string_view name, const Value& value) {
  return absl::StrCat("`", ToAbsl(name), "=", value, "`");
}

// InvalidArgument for an option with a value that it does not take: "`max_depth=-1`: expected 0 to 1000".
inline absl::Status UnexpectedOption(std::string_view name, std::string_view value, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(OptionText(name, Shortened(value)), ": expected ", ToAbsl(expected)));
}

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

// Returns `text` with each option in backquotes as `show(name, value, next)` returns it. `value` is nothing for `name`
// alone, and `next` is what follows in the text. `show` returns nothing for words that are no options: they stay, with their
// backquotes, because they may come from the data.
template <typename Show>
std::string WithOptionNames(std::string_view text, const Show& show) {
  std::string result;
  while (true) {
    const size_t open = text.find('`');
    const size_t close = open == text.npos ? text.npos : text.find('`', open + 1);
    if (close == text.npos) return result.append(text);
    const std::string_view quoted = text.substr(open + 1, close - open - 1);
    const std::string_view name = quoted.substr(0, quoted.find('='));
    std::optional<std::string> value;
    if (name.size() < quoted.size()) value = ValueOfCallers(quoted.substr(name.size() + 1));
    const std::optional<std::string> shown = show(name, value, text.substr(close + 1));
    if (!shown.has_value()) {
      // The second backquote may open an option.
      result.append(text.substr(0, close));
      text.remove_prefix(close);
      continue;
    }
    result.append(text.substr(0, open)).append(*shown);
    text.remove_prefix(close + 1);
  }
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_OPTION_NAMES_H_
