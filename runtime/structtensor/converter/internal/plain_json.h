// Objects of plain values, as `--to jsonl` writes them, as messages.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_PLAIN_JSON_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_PLAIN_JSON_H_

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::converter_internal {

// Returns what appends the message that an object stands for, of which the names are those of columns, and values what columns
// of that type hold: for RecordReaderOptions::message_of_json. A null, or a name left out, is a field that is not set.
// Requires: `message` outlives it. Errors: those of making a decoder or an encoder of the type.
absl::StatusOr<MessageOfText> MessageOfPlainJson(const plan::MessagePlan& message, bool ignore_extra_fields);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_PLAIN_JSON_H_
