// Messages inside messages as records: the elements of a repeated field of each record of a file.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_NESTED_RECORDS_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_NESTED_RECORDS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/records/record_reader.h"

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

// `path`: names of fields (core/field_path/field_path.h). All are message fields, and the last one is repeated.
// Errors: InvalidArgument if they are not; the message says what they are.
absl::StatusOr<RowPath> ResolveRowPath(const plan::MessagePlan& message, std::string_view path);

// Returns a reader of the elements of `path` in the messages that `records` reads, in order. They are the elements that a
// parser finds: if a message comes in several parts, the elements of all parts; in a oneof, only the elements of the member
// that is set at the end. Each element is a record. Its location has the offset of its first byte, and the number of the record
// that it is part of. The other fields of a message are not looked at, but they must be valid fields.
// If a message on the way to the elements is malformed, the whole record is damaged; `skip_damaged` decides what happens to it.
// The same holds for a message with more than `max_rows` elements, or with elements or groups that are nested deeper than
// `max_depth`. A row is as deep as its path has fields.
// Memory: the memory of the records, and 8 bytes for each element of one record.
std::unique_ptr<RecordReader> MakeNestedRecordReader(std::unique_ptr<RecordReader> records, RowPath path, bool skip_damaged,
                                                     size_t max_rows, int max_depth);

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_NESTED_RECORDS_H_
