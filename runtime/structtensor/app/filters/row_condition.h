// Selects the rows to read by a condition over fields, written as in SQL.
//
//   duration_ms > 100 AND (status = STATUS_ERROR OR name IN ('login', 'logout')) AND NOT starts_with(url, '/health')
//   any(spans.attributes.key) = 'http.url' AND resource IS NOT NULL
#ifndef STRUCTTENSOR_APP_FILTERS_ROW_CONDITION_H_
#define STRUCTTENSOR_APP_FILTERS_ROW_CONDITION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor {

namespace filters_internal {
class Condition;
}  // namespace filters_internal

// A condition over the messages of one type.
//
//   condition    comparisons, joined by AND, OR, NOT and parentheses; a boolean field alone is a condition too
//   comparison   operand = <> != < <= > >= literal;  operand [NOT] IN (literal, ...);  path IS [NOT] NULL;
//                starts_with(operand, 'text')
//   operand      a field path (core/field_path/field_path.h), also with map keys: `labels["env"]`; for a path through repeated
//                fields, any(path): whether the comparison is true for one of its values
//   literal      12, -1.5e3, 'text' (with '' for one '), TRUE, FALSE; for an enum, the name of a value or its number; for a
//                google.protobuf.Timestamp '2026-01-31T12:00:00Z', for a google.protobuf.Duration '1.5s', '250ms' or '-1h30m'
//
// Keywords may be in upper or lower case. A field with the name of a keyword is written in double quotes: "in". A field is NULL
// if it has presence and is absent, or if it is in an absent message. As in SQL, a comparison with NULL is neither true nor
// false, and a row whose condition is not true is not read. Other fields that are not set have their default. Wrappers
// (Int32Value, ...) are their values. Strings are compared byte by byte.
//
// Cheap to copy, immutable.
class RowCondition {
 public:
  // `message` must outlive the condition.
  // Errors: InvalidArgument, with the place, if `text` is not a condition or compares values that cannot be compared; NotFound,
  //   with the names of the fields, if `text` names a field that the message type does not have.
  static absl::StatusOr<RowCondition> Parse(std::string_view text, const plan::MessagePlan& message);

  // The paths of all fields in the condition, for DecodeOptions::fields of the decoder whose batches are passed to Evaluate().
  const std::vector<std::string>& fields() const;

  // For each row, whether the condition is true: 1 or 0. Requires: `batch` is of the message type, and was decoded with the
  // fields that fields() returns and with recursion_depth = 0.
  // Cost: O(values of those fields).
  std::vector<uint8_t> Evaluate(const DecodedBatch& batch) const;

 private:
  explicit RowCondition(std::shared_ptr<const filters_internal::Condition> condition) : condition_(std::move(condition)) {}

  std::shared_ptr<const filters_internal::Condition> condition_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_FILTERS_ROW_CONDITION_H_
