#include "option_names.h"

#include "absl/strings/str_replace.h"
#include "structtensor/core/base/shared/option_names.h"

namespace structtensor::python {
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

}  // namespace

std::string WithPythonNames(std::string_view text) {
  const std::string known = absl::StrReplaceAll(
      WithoutStructs(text), {{"(ignore_unknown_names passes over it)", "(ignore_extra_fields=True passes over it)"},
                             {"(ignore_extra_fields passes over it)", "(ignore_extra_fields=True passes over it)"}});
  return base_internal::WithOptionNames(known, kArguments, [](std::string_view argument, std::string_view value) {
    std::string shown(argument);
    if (!value.empty()) shown.append(argument.ends_with('=') ? "\"" : "=\"").append(value).append("\"");
    return shown;
  });
}

}  // namespace structtensor::python
