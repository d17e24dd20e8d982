// What a message type tells about the columns of its rows: field numbers, in both directions, and the names of enums.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_IDS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_IDS_H_

#include <string>
#include <vector>

#include "structtensor/bridges/arrow/arrow_layout.h"
#include "structtensor/bridges/arrow_files/column_id.h"
#include "structtensor/plan/plan.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::converter_internal {

// Returns the numbers of the columns of `schema`, the schema of rows of `message`. Columns that are not fields (the case of a
// oneof, the value of one key of a map, unknown fields) have none. Columns named in `without` have none. Columns of flattened
// messages have none either: their numbers may also be numbers of fields beside them.
std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without = {});

// Returns the Arrow layouts of columns whose fields are annotated for it: dictionaries of the names of their enums, by numbers,
// and fixed-size binary.
std::vector<ArrowLayout> ArrowLayoutsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                        const std::vector<std::string>& without = {});

// Returns `rows` with each numbered column renamed to the column name that `message` has for that field: the name may have
// changed since they were written. A column whose number `message` does not have gets a name that no field has.
StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message);

// Returns `rows` for people: columns of enums become strings, the names of their numbers. A number without a name becomes its
// digits. A column stays as it is if its names would take more than 2 GiB. `message`, `without`: as above.
// Cost: O(elements of enums + columns).
StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without = {});

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_IDS_H_
