#include "options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "convert.h"
#include "structtensor/scan/scan.h"

namespace structtensor::python {
namespace {

// An integer from `least` to `most`.
int64_t NumberOf(const std::string& name, nb::handle value, int64_t least, int64_t most) {
  const int64_t number = IntegerOf(value, name);
  if (number < least || number > most) {
    ThrowError(PyExc_ValueError, absl::StrCat(name, " = ", number, "; expected ", least, " to ", most));
  }
  return number;
}

bool FlagOf(const std::string& name, nb::handle value) {
  if (!PyBool_Check(value.ptr())) ThrowError(PyExc_TypeError, absl::StrCat(name, ": expected True or False"));
  return value.ptr() == Py_True;
}

using SetOption = std::function<void(const std::string& name, nb::handle value, RowOptions& options)>;

const std::map<std::string, SetOption, std::less<>>& Setters() {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
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
                     RowOptions& options) { options.threads = static_cast<int>(NumberOf(name, value, 1, kMaxScanThreads)); }},
      {"on_error",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.on_error = static_cast<DecodeOptions::OnError>(OneOf(name, value, {"fail", "skip", "null"}));
       }},
      {"max_errors",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.max_errors = value.is_none() ? -1 : NumberOf(name, value, 0, kAny);
       }},
      {"max_depth", [](const std::string& name, nb::handle value,
                       RowOptions& options) { options.decode.max_depth = static_cast<int>(NumberOf(name, value, 0, 1000)); }},
      {"max_rows",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.max_rows = static_cast<uint32_t>(NumberOf(name, value, 0, 0x7fffffff));
       }},
      {"max_cells",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.max_cells = static_cast<uint64_t>(NumberOf(name, value, 0, kAny));
       }},
      {"max_memory_bytes",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.max_memory_bytes = static_cast<size_t>(NumberOf(name, value, 0, kAny));
       }},
      {"max_message_bytes",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.max_message_bytes = static_cast<size_t>(NumberOf(name, value, 1, 0x7fffffff));
       }},
      {"recursion_depth",
       [](const std::string& name, nb::handle value, RowOptions& options) {
         options.decode.recursion_depth = static_cast<int>(NumberOf(name, value, 1, 10));
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
