// SQL by the command `duckdb`, where its library is not there. Rows go in and come out through Parquet files without names.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_DUCKDB_COMMAND_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_DUCKDB_COMMAND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/bridges/duckdb/duckdb.h"

namespace structtensor::command {

// Returns the rows of a query, which reads `table` under that name, as DuckDb::Query does.
//   command  a path, or a name that is looked for in PATH
// Errors: NotFound if there is no such command; InvalidArgument with what it says; those of the table, and of temporary files,
//   which are in TMPDIR or /tmp.
absl::StatusOr<std::unique_ptr<DuckDbRows>> QueryByCommand(const std::string& command, const std::string& name,
                                                           DuckDbTable& table, const std::string& sql);

// Whether PATH has an executable of that name, or `command` is the path of one.
bool IsCommand(const std::string& command);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_DUCKDB_COMMAND_H_
