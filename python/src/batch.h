// Decoded rows, and the errors of their messages.
#ifndef STRUCTTENSOR_PYTHON_BATCH_H_
#define STRUCTTENSOR_PYTHON_BATCH_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structtensor/app/scan/scan.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::python {

// A message that could not be decoded.
struct BrokenMessage {
  std::string file;     // "" if it came from memory
  int64_t message = 0;  // its number, in the batch or in the file
  int64_t row = -1;     // the row in its place, or -1
  int64_t byte = 0;     // in the message
  std::string path;
  std::string code;  // as in MessageError and BrokenRecord
  std::string problem;
};

// The table of broken messages: message, row, byte, path, code, problem; and file, if they came from files.
StructuredTensor TableOf(const std::vector<BrokenMessage>& messages, bool from_files);

// The table of dropped values: message, unknown_fields, unknown_enum_numbers, field and first.
StructuredTensor TableOf(const std::vector<DroppedValues>& values);
// The table of times that differ from those of the messages: field, unit, set_to_null and truncated.
StructuredTensor TableOf(const std::vector<InexactTimes>& times);

// What rows do not have of their messages, as tables.
struct LostValues {
  StructuredTensor dropped_values = TableOf(std::vector<DroppedValues>());
  StructuredTensor inexact_times = TableOf(std::vector<InexactTimes>());
};

// A dict for each damaged file: file, message, byte, problem, and left_out, which is "file" or "rest".
nanobind::list ListOf(const std::vector<DamagedFile>& files);

// Throws DecodeError. `message`: null if it is not about one message.
[[noreturn]] void ThrowDecodeError(std::string_view text, const BrokenMessage* message);

// A StructuredTensor that knows its message type, its broken messages and what it lost of the others. Slices and the like are
// plain StructuredTensors.
struct Batch : StructuredTensor {
  Batch(StructuredTensor rows, StructuredTensor errors, LostValues lost, std::shared_ptr<const plan::MessagePlan> plan,
        Enums enums, std::vector<DamagedFile> damaged_files = {})
      : StructuredTensor(std::move(rows)),
        errors(std::move(errors)),
        lost(std::move(lost)),
        damaged_files(std::move(damaged_files)),
        message(plan->full_name),
        plan(std::move(plan)),
        enums(enums) {}
  // For messages whose plan is not known.
  Batch(StructuredTensor rows, StructuredTensor errors, std::string message)
      : StructuredTensor(std::move(rows)), errors(std::move(errors)), message(std::move(message)) {}

  // The Arrow types of columns whose TypeSpecs do not determine them.
  std::vector<ArrowLayout> ArrowLayouts() const;

  StructuredTensor errors;
  LostValues lost;
  std::vector<DamagedFile> damaged_files;
  std::string message;  // the full name of its type
  std::shared_ptr<const plan::MessagePlan> plan;
  Enums enums = Enums::kNumbers;  // TensorOptions::enums of the rows
};

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_BATCH_H_
