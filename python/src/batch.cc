#include "batch.h"

#include <nanobind/nanobind.h>

#include <type_traits>

#include "convert.h"
#include "option_names.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {
namespace {

template <typename T, typename Row, typename Get>
Value Column(const std::vector<Row>& rows, const Get& get) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(get(row));
  if constexpr (std::is_same_v<T, std::string>) {
    return Tensor::FromVector(values);
  } else {
    return Tensor::FromVector<T>(std::move(values));
  }
}

// A problem with the names that options have in Python. It names no functions, so it needs nothing from the interpreter.
std::string OptionsShown(std::string_view problem) {
  return scan_internal::WithOptionNames(scan_internal::Face::kPython, problem);
}

// The rows of the messages. Absent for messages without a row.
Value RowsOf(const std::vector<BrokenMessage>& messages) {
  std::vector<int64_t> rows;
  std::vector<uint8_t> bits(messages.size() / 8 + 1, 0);
  for (size_t i = 0; i < messages.size(); ++i) {
    rows.push_back(messages[i].row);
    if (messages[i].row >= 0) bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  return Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(rows)), DType::kInt64,
                            Validity(Buffer<uint8_t>::FromVector(std::move(bits))));
}

}  // namespace

StructuredTensor TableOf(const std::vector<BrokenMessage>& messages, bool from_files) {
  using Broken = BrokenMessage;
  std::vector<Field> fields;
  if (from_files) fields.push_back({"file", Column<std::string>(messages, [](const Broken& m) { return m.file; })});
  fields.push_back({"message_index", Column<int64_t>(messages, [](const Broken& m) { return m.message; })});
  if (!from_files) fields.push_back({"row", RowsOf(messages)});
  fields.push_back({"byte", Column<int64_t>(messages, [](const Broken& m) { return m.byte; })});
  fields.push_back({"path", Column<std::string>(messages, [](const Broken& m) { return m.path; })});
  fields.push_back({"code", Column<std::string>(messages, [](const Broken& m) { return m.code; })});
  fields.push_back({"problem", Column<std::string>(messages, [](const Broken& m) { return OptionsShown(m.problem); })});
  return *StructuredTensor::FromFields(static_cast<int64_t>(messages.size()), std::move(fields));
}

StructuredTensor TableOf(const std::vector<DroppedValues>& values) {
  using Values = DroppedValues;
  std::vector<Field> fields;
  fields.push_back({"message", Column<std::string>(values, [](const Values& v) { return v.message_type; })});
  fields.push_back({"unknown_fields", Column<int64_t>(values, [](const Values& v) { return v.unknown_fields; })});
  fields.push_back({"unknown_enum_numbers", Column<int64_t>(values, [](const Values& v) { return v.unknown_enum_numbers; })});
  fields.push_back({"field", Column<std::string>(values, [](const Values& v) { return v.first_field_path; })});
  fields.push_back({"first", Column<std::string>(values, [](const Values& v) { return v.first; })});
  return *StructuredTensor::FromFields(static_cast<int64_t>(values.size()), std::move(fields));
}

StructuredTensor TableOf(const std::vector<InexactTimes>& times) {
  using Times = InexactTimes;
  std::vector<Field> fields;
  fields.push_back({"field", Column<std::string>(times, [](const Times& t) { return t.field_path; })});
  fields.push_back({"unit", Column<std::string>(times, [](const Times& t) { return std::string(TimeUnitName(t.unit)); })});
  fields.push_back({"set_to_null", Column<int64_t>(times, [](const Times& t) { return t.out_of_range; })});
  fields.push_back({"truncated", Column<int64_t>(times, [](const Times& t) { return t.truncated; })});
  return *StructuredTensor::FromFields(static_cast<int64_t>(times.size()), std::move(fields));
}

nb::list ListOf(const std::vector<DamagedFile>& files) {
  nb::list result;
  for (const DamagedFile& file : files) {
    nb::dict described;
    described["file"] = ErrorTextToPython(file.file);
    described["message_index"] = file.location.record_number;
    described["byte"] = file.location.byte_offset;
    described["code"] = TextToPython(file.code);
    described["problem"] = ErrorTextToPython(OptionsShown(file.problem));
    described["left_out"] = file.skipped ? "file" : "rest";
    result.append(described);
  }
  return result;
}

std::vector<ArrowLayout> Batch::ArrowLayouts() const {
  return plan == nullptr ? std::vector<ArrowLayout>() : ArrowLayoutsOf(*plan, spec(), {}, enums);
}

void ThrowDecodeError(std::string_view status, const BrokenMessage* message) {
  const std::string text = WithPythonNames(status);
  const nb::object type = nb::module_::import_("structtensor._errors").attr("DecodeError");
  const nb::object error = message == nullptr ? type(ErrorTextToPython(text))
                                              : type(ErrorTextToPython(text), message->message, message->byte,
                                                     ErrorTextToPython(message->path), TextToPython(message->code));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace structtensor::python
