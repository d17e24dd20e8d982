// What files with the columns of a message type need from it: field numbers, and how columns are stored.
#ifndef STRUCTTENSOR_APP_SINKS_MESSAGE_COLUMNS_H_
#define STRUCTTENSOR_APP_SINKS_MESSAGE_COLUMNS_H_

#include <string>
#include <vector>

#include "structtensor/app/sinks/sink.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor {

// The metadata key under which a column file stores the full name of its rows' message type. Column numbers count as field
// numbers only in files that name the type that is read.
inline constexpr char kMessageMetadataKey[] = "structtensor.message";

// Returns `options` for files of columns of `message`: metadata with the type's name, and the ids and layouts below, which
// replace those of `options`. Such files are read back by field number, so fields may be renamed in between.
//   schema   the spec of the rows, as Scan::empty() or ToStructuredTensor() has it
//   without  columns that are not fields, such as ScanOptions::filename_column and offset_column
//   enums    TensorOptions::enums of the rows
SinkOptions WithMessage(SinkOptions options, const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                        const std::vector<std::string>& without = {}, Enums enums = Enums::kNumbers);

// Returns the numbers of the columns of `schema`, the schema of rows of `message`. Columns that are not fields (the case of a
// oneof, the value of one key of a map, unknown fields) have none. Columns named in `without` have none. Columns of flattened
// messages have none either: their numbers may also be numbers of fields beside them.
std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without = {});

// Returns the Arrow layouts of columns that are not what their TypeSpecs say: fixed-size binary, by annotation, and
// dictionaries of the names of enums, in the order of their numbers, by annotation or for all enums and cases of oneofs
// (`enums`, as in TensorOptions).
std::vector<ArrowLayout> ArrowLayoutsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                        const std::vector<std::string>& without = {}, Enums enums = Enums::kNumbers);

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SINKS_MESSAGE_COLUMNS_H_
