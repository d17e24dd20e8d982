// Numbers of columns in Arrow's schemas.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_SCHEMA_IDS_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_SCHEMA_IDS_H_

#include <arrow/result.h>
#include <arrow/type.h>

#include <memory>
#include <vector>

#include "structtensor/bridges/arrow_files/column_id.h"

namespace structtensor::arrow_files_internal {

// `schema` with the numbers of `ids`, which may leave columns out and have others.
arrow::Result<std::shared_ptr<arrow::Schema>> WithIds(const arrow::Schema& schema, const std::vector<ColumnId>& ids);

// The columns of `schema` that have numbers, or structs in which some have. A column without one has 0.
std::vector<ColumnId> IdsOf(const arrow::Schema& schema);

}  // namespace structtensor::arrow_files_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_SCHEMA_IDS_H_
