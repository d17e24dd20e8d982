// Column numbers in Arrow schemas.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_SCHEMA_IDS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_SCHEMA_IDS_H_

#include <arrow/result.h>
#include <arrow/type.h>

#include <memory>
#include <vector>

#include "structtensor/io/column_files/column_id.h"

namespace structtensor::column_files_internal {

// Returns `schema` with the numbers of `ids`, which may lack columns of `schema` and may have other columns.
arrow::Result<std::shared_ptr<arrow::Schema>> WithIds(const arrow::Schema& schema, const std::vector<ColumnId>& ids);

// Returns the columns of `schema` that have a number, and structs in which a column has one. A column without a number has 0.
std::vector<ColumnId> IdsOf(const arrow::Schema& schema);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_SCHEMA_IDS_H_
