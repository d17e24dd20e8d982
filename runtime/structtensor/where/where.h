// Which rows are read: a condition over fields, written as in SQL.
//
//   duration_ms > 100 AND (status = STATUS_ERROR OR name IN ('login', 'logout')) AND NOT starts_with(url, '/health')
//   any(spans.attributes.key) = 'http.url' AND resource IS NOT NULL
#ifndef STRUCTTENSOR_WHERE_WHERE_H_
#define STRUCTTENSOR_WHERE_WHERE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/plan/plan.h"

namespace structtensor {

namespace where_internal {
class Condition;
}  // namespace where_internal

// A condition over the messages of one type.
//
//   condition    comparisons, joined by AND, OR, NOT and parentheses; a field of booleans stands for itself
//   comparison   operand = <> != < <= > >= literal;  operand [NOT] IN (literal, ...);  path IS [NOT] NULL;
//                starts_with(operand, 'text')
//   operand      a field path (field_path/field_path.h), `labels["env"]` among them; of a path through repeated fields,
//                any(path): whether one of its values is like that
//   literal      12, -1.5e3, 'text' (with '' for one '), TRUE, FALSE; of an enum, the name of a value or its number; of a
//                google.protobuf.Timestamp '2026-01-31T12:00:00Z', of a google.protobuf.Duration '1.5s'
//
// Keywords are written in any case; a field that is named like one stands in double quotes: "in". A field that can be absent
// and is, or that lies in an absent message, is NULL, and what is compared with it neither true nor false, as in SQL: such a
// row is not read. Other fields that are not set have their default. Wrappers (Int32Value, ...) are their values. Strings are
// compared byte by byte.
//
// Cheap to copy, immutable.
class Where {
 public:
  // `message` must outlive the condition.
  // Errors: InvalidArgument, with the place, if `text` is no condition, or compares what cannot be compared; NotFound, with the
  //   names that there are, if it names a field that the message type does not have.
  static absl::StatusOr<Where> Parse(std::string_view text, const plan::MessagePlan& message);

  // The paths of all fields in it, for DecodeOptions::fields of the decoder whose batches Evaluate() takes.
  const std::vector<std::string>& fields() const;

  // For each row, whether the condition is true: 1 or 0. Requires: `batch` is of the message type, and was decoded with the
  // fields that fields() returns and with recursion_depth = 0.
  // Cost: O(values of those fields).
  std::vector<uint8_t> Evaluate(const DecodedBatch& batch) const;

 private:
  explicit Where(std::shared_ptr<const where_internal::Condition> condition) : condition_(std::move(condition)) {}

  std::shared_ptr<const where_internal::Condition> condition_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_WHERE_WHERE_H_
