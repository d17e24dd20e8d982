// The columns of a batch that may have values. Most batches of types with many fields have values in few of them, and a column
// that is exported to Arrow costs microseconds even without values.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_COLUMNS_WITH_VALUES_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_COLUMNS_WITH_VALUES_H_

#include <optional>
#include <vector>

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::column_files_internal {

// Which fields are left out: an entry for each field of a spec, and after a field with structs the entries of their fields.
// Fields that are left out and the entries of maps have no entries below them.
using KeptFields = std::vector<bool>;

// Returns `rows` without the columns that have no value (StructuredTensor::may_have_values), at the top and in structs that are
// not entries of maps, and sets `kept`. Returns nothing if the fields of `rows` are not those of `spec`, as far as that shows
// without making the columns.
// Cost: O(columns).
std::optional<StructuredTensor> WithoutEmptyColumns(const StructuredTensor& rows, const StructuredTensorSpec& spec,
                                                    KeptFields& kept);

// Returns the spec of the rows that WithoutEmptyColumns has returned. `kept` is what it has set.
StructuredTensorSpec SpecOfKept(const StructuredTensorSpec& spec, const KeptFields& kept);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_COLUMNS_WITH_VALUES_H_
