#include "structtensor/compiler/options.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/compiler/code_generator.h"

namespace structtensor::compiler {
namespace {

struct Choice {
  const char* name;
  const char* on;
  const char* off;
  bool Options::*member;
};

constexpr Choice kChoices[] = {
    {"extensions", "decode", "drop", &Options::extensions},
    {"warnings", "on", "off", &Options::warnings},
};

std::string KnownParameters() {
  std::string text = "converter=MESSAGE";
  for (const Choice& choice : kChoices) absl::StrAppend(&text, ", ", choice.name, "=", choice.on, "|", choice.off);
  return text;
}

}  // namespace

absl::StatusOr<Options> ParseOptions(const std::string& parameter) {
  Options options;
  std::vector<std::pair<std::string, std::string>> pairs;
  google::protobuf::compiler::ParseGeneratorParameter(parameter, &pairs);
  for (const auto& [name, value] : pairs) {
    bool known = name == "converter" && !value.empty();
    if (known) options.converter = value;
    for (const Choice& choice : kChoices) {
      if (name != choice.name) continue;
      known = value == choice.on || value == choice.off;
      if (!known) {
        return absl::InvalidArgumentError(
            absl::StrCat("parameter ", name, " is ", choice.on, " or ", choice.off, "; found '", value, "'"));
      }
      options.*choice.member = value == choice.on;
    }
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown parameter '", name, value.empty() ? "" : "=" + value, "'; known are ", KnownParameters()));
    }
  }
  return options;
}

}  // namespace structtensor::compiler
