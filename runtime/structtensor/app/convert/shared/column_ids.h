// Applies a message type to the columns of its rows: column names by field number, and enums as names.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_

#include <string>
#include <vector>

#include "structtensor/core/plan/plan.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::convert_internal {

// Returns `rows` with each numbered column renamed to the column name that `message` has for that field: the name may have
// changed since they were written. A column whose number `message` does not have gets a name that no field has.
StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message);

// Returns `rows` for people: columns of enums become strings, the names of their numbers, and the cases of oneofs become the
// column names of their members. A number without a name becomes its digits. A column stays as it is if its names would take
// more than 2 GiB. Columns named in `without` are not fields of `message`. Cost: O(elements of enums + columns).
StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without = {});

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_COLUMN_IDS_H_
