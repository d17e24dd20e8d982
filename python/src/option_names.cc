#include "option_names.h"

#include <nanobind/nanobind.h>

#include <utility>

#include "absl/strings/str_replace.h"
#include "structtensor/core/base/shared/option_names.h"

namespace structtensor::python {

namespace nb = nanobind;

namespace {

constexpr base_internal::OptionName kArguments[] = {{"batch_size", "rows="},
                                                    {"confluent_headers", "confluent="},
                                                    {"dead_letters", "dead_letters"},
                                                    {"drop", "drop="},
                                                    {"format", "framing="},
                                                    {"max_message_bytes", "max_message_bytes="},
                                                    {"message", "message="},
                                                    {"on_damaged_file", "on_damaged_file="},
                                                    {"on_error", "on_error="},
                                                    {"overwrite", "overwrite="},
                                                    {"partition_by", "partition_by"},
                                                    {"rows", "rows"},
                                                    {"select", "select="},
                                                    {"where", "where="}};

// Which option structs the library has does not matter in Python.
constexpr std::string_view kStructs[] = {"ScanOptions::decode.",
                                         "ScanOptions::", "MessageDecoderOptions::", "DecodeOptions::", "TensorOptions::"};

bool IsPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '/' ||
         c == '.';
}

std::string WithoutStructs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (result.empty() || !IsPartOfName(result.back())) {
      for (const std::string_view name : kStructs) {
        if (text.starts_with(name)) text.remove_prefix(name.size());
      }
    }
    if (text.empty()) break;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

// C++'s functions whose names in Python are not their own words.
constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
    {"FromFields", "StructuredTensor.from_fields"},
    {"JoinStrings", "string_join"},
    {"ReduceJoin", "string_reduce_join"},
    {"RegexFullMatch", "string_regex_full_match"},
    {"RegexReplace", "string_regex_replace"},
    {"RowPartition::FromRowSplits", "RowPartition.from_row_splits"},
    {"SplitStrings", "string_split"},
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

// The name in Python of a function of C++; empty if there is none. `after`: the text that follows the name. A word such as
// "Add" may also begin a sentence.
std::string FunctionInPython(std::string_view name, std::string_view after) {
  for (const auto& [in_cpp, in_python] : kFunctions) {
    if (name == in_cpp) return std::string(in_python);
  }
  std::string snake = SnakeCase(name);
  const bool is_word = snake.find('_') == std::string::npos;
  const bool names_a_function = after.starts_with(':') || after.starts_with('(') || after.starts_with(" is not defined") ||
                                after.starts_with(" needs ") || after.starts_with(" of ");
  if (snake.empty() || (is_word && !names_a_function)) return "";
  // Only functions of the package: RaggedTensor is a class, and Spanner a name.
  if (!nb::hasattr(nb::module_::import_("structtensor._core"), snake.c_str())) return "";
  return snake;
}

std::string WithFunctionNames(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() &&
           (IsPartOfName(text[end]) || text.substr(end, 2) == "::" || (end > 0 && text[end - 1] == ':' && text[end] == ':'))) {
      ++end;
    }
    if (end == 0) {
      result += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::string in_python = FunctionInPython(text.substr(0, end), text.substr(end));
    result.append(in_python.empty() ? text.substr(0, end) : std::string_view(in_python));
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace

std::string WithPythonNames(std::string_view text) {
  const std::string known =
      absl::StrReplaceAll(WithFunctionNames(WithoutStructs(text)),
                          {{"(ignore_unknown_names passes over it)", "(ignore_extra_fields=True passes over it)"},
                           {"(ignore_extra_fields passes over it)", "(ignore_extra_fields=True passes over it)"}});
  return base_internal::WithOptionNames(known, kArguments, [](std::string_view argument, std::string_view value) {
    std::string shown(argument);
    if (!value.empty()) shown.append(argument.ends_with('=') ? "\"" : "=\"").append(value).append("\"");
    return shown;
  });
}

}  // namespace structtensor::python
