// JSON objects of plain values, as `--to rows` writes them, as messages.
#ifndef STRUCTTENSOR_APP_CONVERT_INTERNAL_PLAIN_JSON_H_
#define STRUCTTENSOR_APP_CONVERT_INTERNAL_PLAIN_JSON_H_

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::convert_internal {

// Returns a function for RecordReaderOptions::message_of_json that converts a JSON object to a message and appends it. The
// object's names are column names, and its values are those that columns of the type hold. A field is not set if its value is
// null or its name is missing. Requires: `message` outlives it. Errors: those of making a decoder or an encoder of the type.
absl::StatusOr<MessageOfText> MessageOfPlainJson(const plan::MessagePlan& message, bool ignore_extra_fields);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_INTERNAL_PLAIN_JSON_H_
