#include "options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "convert.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor::python {
namespace {

// Sets an option to an integer from `least` to `most`.
template <typename Number>
void SetNumber(const std::string& name, nb::handle value, uint64_t least, uint64_t most, Number& option) {
  std::visit(
      [&](auto number) {
        if (std::cmp_less(number, least) || std::cmp_greater(number, most)) {
          ThrowError(PyExc_ValueError, absl::StrCat(name, " = ", number, "; expected ", least, " to ", most));
        }
        option = static_cast<Number>(number);
      },
      WideIntegerOf(value, name));
}

bool FlagOf(const std::string& name, nb::handle value) {
  if (!PyBool_Check(value.ptr())) ThrowError(PyExc_TypeError, absl::StrCat(name, ": expected True or False"));
  return value.ptr() == Py_True;
}

using SetOption = std::function<void(const std::string& name, nb::handle value, RowOptions& options)>;

const std::map<std::string, SetOption, std::less<>>& Setters() {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  constexpr uint64_t kMostErrors = std::numeric_limits<int64_t>::max();
  static const std::map<std::string, SetOption, std::less<>> kSetters = {
      {"select", [](const std::string& name, nb::handle value,
                    RowOptions& options) { options.selection.select = PatternsOf(value, name); }},
      {"drop", [](const std::string& name, nb::handle value,
                  RowOptions& options) { options.selection.drop = PatternsOf(value, name); }},
      {"where",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         if (!value.is_none()) options.where = std::string(TextOf(value, name));
       }},
      {"threads", [](const std::string& name, nb::handle value,
                     RowOptions& options) { SetNumber(name, value, 1, kMaxScanThreads, options.threads); }},
      {"on_error",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.on_error = static_cast<DecodeOptions::OnError>(OneOf(name, value, {"fail", "skip", "null"}));
       }},
      {"max_errors",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         if (value.is_none()) {
           options.decode.max_errors = -1;
         } else {
           SetNumber(name, value, 0, kMostErrors, options.decode.max_errors);
         }
       }},
      {"max_depth",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         SetNumber(name, value, 0, DecodeOptions::kGreatestMaxDepth, options.decode.max_depth);
       }},
      {"max_rows",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         SetNumber(name, value, 0, DecodeOptions::kGreatestMaxRows, options.decode.max_rows);
       }},
      {"max_cells", [](const std::string& name, nb::handle value,
                       RowOptions& options) { SetNumber(name, value, 0, kAny, options.decode.max_cells); }},
      {"max_memory_bytes", [](const std::string& name, nb::handle value,
                              RowOptions& options) { SetNumber(name, value, 0, kAny, options.decode.max_memory_bytes); }},
      {"max_paths", [](const std::string& name, nb::handle value,
                       RowOptions& options) { SetNumber(name, value, 0, UINT32_MAX, options.decode.max_paths); }},
      {"max_message_bytes",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         SetNumber(name, value, 1, DecodeOptions::kGreatestMaxMessageBytes, options.decode.max_message_bytes);
       }},
      {"recursion_depth",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         SetNumber(name, value, 1, DecodeOptions::kGreatestRecursionDepth, options.decode.recursion_depth);
       }},
      {"allow_missing_required", [](const std::string& name, nb::handle value,
                                    RowOptions& options) { options.decode.allow_missing_required = FlagOf(name, value); }},
      {"ignore_extra_fields", [](const std::string& name, nb::handle value,
                                 RowOptions& options) { options.ignore_extra_fields = FlagOf(name, value); }},
      {"unknown_fields",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.tensor.unknown_fields = FlagOf(name, value);
         options.decode.unknown_fields =
             options.tensor.unknown_fields ? DecodeOptions::UnknownFields::kKeep : DecodeOptions::UnknownFields::kDrop;
       }},
      {"optionals",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.tensor.optionals = static_cast<Optionals>(OneOf(name, value, {"ragged", "nullable", "default"}));
       }},
      {"well_known_types",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.tensor.well_known_types = static_cast<WellKnownTypes>(OneOf(name, value, {"native", "structs"}));
       }},
      {"timestamps",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.tensor.timestamps = static_cast<TimeUnit>(OneOf(name, value, {"s", "ms", "us", "ns"}));
       }},
  };
  return kSetters;
}

}  // namespace

RowOptions RowOptionsOf(nb::dict options) {
  RowOptions result;
  result.decode.recursion_depth = 1;
  result.tensor.optionals = Optionals::kNullable;
  for (auto [key, value] : options) {
    const std::string name(TextOf(key, "the name of an option"));
    const auto setter = Setters().find(name);
    if (setter == Setters().end()) {
      ThrowError(
          PyExc_TypeError,
          absl::StrCat("there is no option ", name, "; there are ",
                       absl::StrJoin(Setters(), ", ", [](std::string* out, const auto& known) { *out += known.first; })));
    }
    setter->second(name, value, result);
  }
  if (result.decode.max_errors >= 0 && result.decode.on_error == DecodeOptions::OnError::kFail) {
    ThrowError(PyExc_ValueError,
               absl::StrCat("max_errors = ", result.decode.max_errors,
                            "; it goes with on_error=\"skip\" or \"null\": \"fail\" stops at the first error"));
  }
  return result;
}

RecordFormat FramingOf(nb::handle framing) {
  const std::string_view name = TextOf(framing, "framing");
  std::string known;
  for (const RecordFormat format : RecordFormats()) {
    if (RecordFormatName(format) == name) return format;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(RecordFormatName(format)));
  }
  ThrowError(PyExc_ValueError, absl::StrCat("framing = \"", std::string(name), "\"; expected one of ", known));
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
