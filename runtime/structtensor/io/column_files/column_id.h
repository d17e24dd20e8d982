// Column numbers that files store beside the column names.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_ID_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_ID_H_

#include <cstdint>
#include <string>
#include <vector>

namespace structtensor {

// A column that has a number, and the numbered columns of the structs in it, however deep in lists. Parquet calls the number
// field_id; readers find a column by it after the column was renamed. Arrow keeps it in a field's metadata, as
// "PARQUET:field_id".
struct ColumnId {
  std::string name;
  int32_t id = 0;
  std::vector<ColumnId> fields = {};

  friend bool operator==(const ColumnId&, const ColumnId&) = default;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_COLUMN_ID_H_
