// Messages inside of messages as records: the elements of a repeated field, of each record of a file.
#ifndef STRUCTTENSOR_SCAN_INTERNAL_NESTED_RECORDS_H_
#define STRUCTTENSOR_SCAN_INTERNAL_NESTED_RECORDS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::scan_internal {

// Where the rows are in a message.
struct RowPath {
  // A field and the message type that it is a field of.
  struct Step {
    const plan::MessagePlan* parent;
    const plan::FieldPlan* field;
  };
  std::vector<Step> steps;  // at least one
  std::string text;

  const plan::MessagePlan& row_message() const { return *steps.back().field->message; }
};

// `path`: names of fields (field_path/field_path.h). All are messages, and the last one is repeated.
// Errors: InvalidArgument if it is not so, with what there is instead.
absl::StatusOr<RowPath> ResolveRowPath(const plan::MessagePlan& message, std::string_view path);

// Returns a reader of the elements of `path` in the messages that `records` reads, in their order. They are what a parser makes
// of the field: of a message that comes in several parts the elements of all of them, and of a oneof only those of the member
// that is set at the end. A record is an element; its location is that of its first byte, under the number of the record that
// it is part of. What else is in a message is not looked at, but it has to be fields.
// A message that is not sound there is a damaged record as a whole, which `skip_damaged` says what becomes of.
// A message with more than `max_rows` elements is damaged likewise.
// Memory: that of the records, and 8 bytes for each element of one of them.
std::unique_ptr<RecordReader> MakeNestedRecordReader(std::unique_ptr<RecordReader> records, RowPath path, bool skip_damaged,
                                                     size_t max_rows);

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_SCAN_INTERNAL_NESTED_RECORDS_H_
