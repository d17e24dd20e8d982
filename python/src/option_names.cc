#include "option_names.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_replace.h"
#include "structtensor/app/scan/shared/option_table.h"

namespace structtensor::python {

namespace nb = nanobind;

namespace {

// C++'s functions that begin a message and whose names in Python are not their own words.
constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
    {"JoinStrings", "strings.join"},
    {"ReduceJoin", "strings.reduce_join"},
    {"RegexFullMatch", "strings.regex_full_match"},
    {"RegexReplace", "strings.regex_replace"},
    {"SelectElements", "where"},
    {"SplitStrings", "strings.split"},
    {"TruncateDiv", "truncatediv"},
};

// "ReduceSum" as "reduce_sum"; empty if it is not the name of a function in C++.
std::string SnakeCase(std::string_view name) {
  std::string snake;
  for (const char c : name) {
    if (c == '_' || c == ':' || (snake.empty() && !(c >= 'A' && c <= 'Z'))) return "";
    if (c >= 'A' && c <= 'Z') {
      if (!snake.empty()) snake += '_';
      snake += static_cast<char>(c - 'A' + 'a');
    } else {
      snake += c;
    }
  }
  return snake;
}

// The message with the name of the function in Python, if it begins with that of C++. Nothing else in a message is changed: it
// may be the name of a user's field.
std::string WithFunctionName(std::string_view text) {
  const size_t end = std::min(text.find_first_of(" ("), text.size());
  const std::string_view name = text.substr(0, end);
  const std::string_view after = text.substr(end);
  if (!after.starts_with(" is not defined") && !after.starts_with(" needs ") && !after.starts_with("(): ")) {
    return std::string(text);
  }
  for (const auto& [in_cpp, in_python] : kFunctions) {
    if (name == in_cpp) return std::string(in_python).append(after);
  }
  const std::string snake = SnakeCase(name);
  if (snake.empty() || !nb::hasattr(nb::module_::import_("structtensor._core"), snake.c_str())) return std::string(text);
  constexpr std::string_view kPrefix = "string_";
  const std::string shown = snake.starts_with(kPrefix) ? "strings." + snake.substr(kPrefix.size()) : snake;
  return shown + std::string(after);
}

}  // namespace

std::string WithPythonNames(std::string_view text) {
  const std::string known =
      absl::StrReplaceAll(WithFunctionName(text),
                          {// Advice that names a function.
                           {"; AsString converts", "; strings.as_string converts"},
                           {"; SortByField sorts", "; sort_by_field sorts"},
                           {"bincount(): min_length and max_length", "bincount(): minlength and maxlength"},
                           {"strings.split(): max_splits = ", "strings.split(): maxsplit = "},
                           {"strings.substr(): size = ", "strings.substr(): len = "},
                           {"; JoinStrings concatenates", "; strings.join concatenates"},
                           {"; ReduceJoin concatenates", "; strings.reduce_join concatenates"},
                           {"with MergeDims or pad it with ToTensor", "with merge_dims or pad it with to_tensor"},
                           {"give it an axis with ExpandDims", "give it an axis with expand_dims"},
                           {"for example Cast(", "for example cast("},
                           {"make it with RowPartition::FromRowSplits", "make it with RowPartition.from_row_splits"},
                           {"are made by FromFields", "are made by StructuredTensor.from_fields"}});
  return scan_internal::WithOptionNames(scan_internal::Face::kPython, known);
}

}  // namespace structtensor::python
