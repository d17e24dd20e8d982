// What a message type knows of the columns of its rows: the numbers of fields, there and back, and the names of enums.
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

// The numbers of the columns of `schema`, which rows of `message` have. Columns that are no field (the case of a oneof, the
// value of one key of a map, unknown fields) have none, nor have those of flattened messages, whose numbers may be those of
// fields beside them, and those that are called as one of `without`.
std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without = {});

// What columns are in Arrow whose fields are annotated so: dictionaries of the names of their enums, by numbers, and binary of
// a fixed size.
std::vector<ArrowLayout> ArrowLayoutsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                        const std::vector<std::string>& without = {});

// `rows` with columns that have a number called as `message` calls the column of that field: it may have another name since
// they were written. A column of a number that `message` does not have gets a name that no field has.
StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message);

// `rows` for people: the columns of enums are strings, the names of their numbers. A number without a name is its digits. A
// column stays as it is if its names would take more than 2 GiB. `message`, `without`: as above. Cost: O(elements of enums +
// columns).
StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without = {});

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_IDS_H_
