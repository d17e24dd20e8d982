// Which columns of a Parquet file have to be read.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PRESENT_COLUMNS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PRESENT_COLUMNS_H_

#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <vector>

namespace structtensor::column_files_internal {

// Returns the indices of the columns of `group` without those that have no value in it, in ascending order; at least one. Of a
// struct that may be present, and of a list that may have elements, at least one column is among them, because it says where. A
// list without elements may be missing. A column is left out if its statistics say that it has no value, and nothing in its
// metadata contradicts that; its histogram of levels says which structs around it are absent, too. Requires: the group has the
// columns of `schema`, and `schema` has columns.
// Throws: parquet::ParquetException for damaged metadata.
std::vector<int> PresentColumns(const parquet::RowGroupMetaData& group, const parquet::SchemaDescriptor& schema);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PRESENT_COLUMNS_H_
