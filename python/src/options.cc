#include "options.h"

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "convert.h"
#include "structtensor/app/scan/shared/option_table.h"

namespace structtensor::python {
namespace {

using scan_internal::Face;
using scan_internal::Option;
using scan_internal::OptionType;

bool FlagOf(std::string_view name, nb::handle value) {
  if (!PyBool_Check(value.ptr())) ThrowError(PyExc_TypeError, absl::StrCat(std::string(name), ": expected True or False"));
  return value.ptr() == Py_True;
}

// Options whose default is not a value of theirs: no limit, no condition, a format that is found.
bool MayBeNone(const Option& option) {
  return option.none.has_value() || option.type == OptionType::kText || option.type == OptionType::kPatterns ||
         DefaultText(Face::kPython, option).empty();
}

void Set(const Option& option, nb::handle value, ScanOptions& options) {
  const std::string_view name = option.keyword;
  switch (option.type) {
    case OptionType::kFlag:
      option.access.set(options, FlagOf(name, value) ? 1 : 0);
      break;
    case OptionType::kNumber:
      Check(SetNumber(option, WideIntegerOf(value, name), options));
      break;
    case OptionType::kWord:
      Check(SetWord(Face::kPython, option, TextOf(value, name), options));
      break;
    case OptionType::kText:
      option.access.text(options) = option.name == "dead_letters" ? FilePathOf(value, name) : std::string(TextOf(value, name));
      break;
    case OptionType::kPatterns:
      option.access.list(options) = PatternsOf(value, name);
      break;
  }
}

nb::object NumberOrNone(bool is_number, uint64_t number) { return is_number ? nb::object(nb::int_(number)) : nb::none(); }

nb::str Str(std::string_view text) { return nb::str(text.data(), text.size()); }

}  // namespace

ScanOptions ScanOptionsOf(nb::dict options) {
  ScanOptions result = scan_internal::DefaultsIn(Face::kPython);
  for (auto [key, value] : options) {
    const std::string_view name = TextOf(key, "the name of an option");
    const Option* const option = scan_internal::FindOption(name);
    if (option == nullptr) ThrowError(PyExc_TypeError, absl::StrCat("there is no option ", std::string(name)));
    if (!value.is_none() || !MayBeNone(*option)) Set(*option, value, result);
  }
  Check(scan_internal::CheckRowOptions(result.row_options));
  return result;
}

nb::list OptionTable() {
  nb::list table;
  constexpr const char* kTypes[] = {"flag", "number", "word", "text", "patterns"};
  constexpr const char* kGroups[] = {"inputs", "nested rows", "records", "columns", "batches", "limits"};
  for (const Option& option : scan_internal::Options()) {
    const bool is_number = option.type == OptionType::kNumber;
    nb::dict row;
    row["name"] = Str(option.name);
    row["member"] = Str(option.member);
    row["flag"] = Str(option.flag);
    row["keyword"] = Str(option.keyword);
    row["spark"] = Str(option.spark);
    row["group"] = kGroups[static_cast<int>(option.group)];
    row["type"] = kTypes[static_cast<int>(option.type)];
    row["least"] = NumberOrNone(is_number, option.least);
    row["greatest"] = NumberOrNone(is_number, option.greatest);
    row["none"] = option.none.has_value();
    nb::dict words;
    for (const scan_internal::OptionWord& word : option.words) {
      nb::dict facts;
      facts["help"] = Str(word.help);
      facts["in_tensorflow"] = word.in_tensorflow;
      words[Str(word.name)] = facts;
    }
    row["words"] = words;
    row["in_decoders"] = option.in_decoders;
    row["in_tensorflow"] = option.in_tensorflow;
    row["help"] = Str(HelpText(Face::kPython, option));
    row["default"] = Str(DefaultText(Face::kPython, option));
    row["default_in_tensorflow"] = Str(DefaultText(Face::kTensorFlow, option));
    row["alone"] = Str(option.alone);
    row["default_help"] = Str(option.default_help);
    table.append(row);
  }
  return table;
}

RecordFormat FormatOf(nb::handle format) {
  const std::string_view name = TextOf(format, "format");
  std::string known;
  for (const RecordFormat format : RecordFormats()) {
    if (RecordFormatName(format) == name) return format;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(RecordFormatName(format)));
  }
  ThrowError(PyExc_ValueError, absl::StrCat("format=\"", std::string(name), "\": expected one of ", known));
}

std::vector<std::string> PatternsOf(nb::handle patterns, std::string_view what) {
  if (patterns.is_none()) return {};
  if (PyUnicode_Check(patterns.ptr())) return {std::string(TextOf(patterns, what))};
  if (!PyList_Check(patterns.ptr()) && !PyTuple_Check(patterns.ptr())) {
    ThrowError(PyExc_TypeError, absl::StrCat(std::string(what), ": expected a pattern, or a list of patterns"));
  }
  std::vector<std::string> result;
  for (nb::handle pattern : patterns) result.emplace_back(TextOf(pattern, what));
  return result;
}

}  // namespace structtensor::python
