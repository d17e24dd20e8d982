// JSON without a protobuf schema.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "structtensor/io/json/read_json.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

nb::tuple RowsOfJson(nb::handle text, nb::handle spec, nb::handle layout, nb::handle on_error, bool infer_timestamps,
                     bool ignore_extra_fields, nb::handle threads) {
  JsonReadOptions options;
  if (!spec.is_none()) {
    const TypeSpec type = SpecOf(spec);
    if (type.structured() == nullptr) ThrowError(PyExc_TypeError, "spec: expected a StructuredTensorSpec");
    options.spec = *type.structured();
  }
  options.layout = static_cast<JsonReadOptions::Layout>(OneOf("layout", layout, {"auto", "lines", "document"}));
  options.on_error = static_cast<JsonReadOptions::OnError>(OneOf("on_error", on_error, {"fail", "skip"}));
  options.infer_timestamps = infer_timestamps;
  options.ignore_extra_fields = ignore_extra_fields;
  options.threads = static_cast<int>(std::clamp<int64_t>(IntegerOf(threads, "threads"), 0, std::numeric_limits<int>::max()));
  std::vector<nb::object> kept;
  const std::string_view view = PyUnicode_Check(text.ptr()) ? TextOf(text, "source") : BytesOf(text, "source", kept);
  absl::StatusOr<JsonRows> read = absl::UnknownError("");
  {
    const WithoutInterpreterLock unlocked;
    read = ReadJson(view, options);
  }
  Check(read.status());
  nb::list errors;
  for (const JsonRowError& error : read->errors) {
    errors.append(nb::make_tuple(error.line, error.column, ErrorTextToPython(error.message)));
  }
  return nb::make_tuple(ToPython(read->rows), errors);
}

}  // namespace

void BindJson(nb::module_& module) {
  module.def("_rows_of_json", RowsOfJson, "text"_a, "spec"_a.none(), "layout"_a, "on_error"_a, "infer_timestamps"_a,
             "ignore_extra_fields"_a, "threads"_a);
}

}  // namespace structtensor::python
