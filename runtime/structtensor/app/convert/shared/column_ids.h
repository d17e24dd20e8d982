// Applies a message type to the columns of its rows: column names by field number, and enums as names.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "structtensor/core/plan/plan.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::convert_internal {

// Renames the columns of a file by their numbers, because fields may have been renamed since it was written.
class ColumnsByNumber {
 public:
  ColumnsByNumber() = default;  // renames nothing
  // `ids`: the column numbers in the file. `message` must outlive this object.
  ColumnsByNumber(const std::vector<ColumnId>& ids, const plan::MessagePlan& message);

  // Returns `rows` with each numbered column renamed to the column name that the message type has for that field. A column
  // whose number the type does not have gets a name that no field has.
  StructuredTensor Renamed(const StructuredTensor& rows) const;

 private:
  struct Column {
    std::string name;  // the new one
    bool is_numbered;
    std::unique_ptr<const ColumnsByNumber> columns;  // of its structs, if the field is a message
  };

  std::unordered_map<std::string, Column> by_name_;  // in the file
};

// Returns `rows` for people: columns of enums become strings, the names of their numbers, and the cases of oneofs become the
// column names of their members. A number without a name becomes its digits. A column stays as it is if its names would take
// more than 2 GiB. Columns named in `without` are not fields of `message`. Cost: O(elements of enums + columns).
StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without = {});

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_
