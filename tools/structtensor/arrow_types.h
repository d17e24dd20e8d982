// The columns of an Arrow schema as other systems declare them.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_ARROW_TYPES_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_ARROW_TYPES_H_

#include <string>

#include "command.h"
#include "structtensor/io/arrow/c_data.h"

namespace structtensor::command {

enum class TypeDialect {
  kArrow,  // as pyarrow prints types
  kSpark,  // Spark SQL's DDL
  kSql,    // DuckDB's
};

// The type of a column: "list<item: int32>", "ARRAY<INT>", "INTEGER[]". Requires: a schema that ExportSchema made.
std::string TypeText(const ArrowSchema& column, TypeDialect dialect);

// All columns, one per line: "title: string not null"; "`title` STRING NOT NULL,"; or a whole CREATE TABLE statement.
std::string ColumnsText(const ArrowSchema& schema, TypeDialect dialect, const std::string& table);

// {"name", "type", "nullable"} of each column, with Arrow's name of the type. Nested columns also have "fields".
Json ColumnsJson(const ArrowSchema& schema);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_ARROW_TYPES_H_
