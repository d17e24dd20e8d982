// SQL by the command `duckdb`, for systems without its library. Rows go in and come out through Parquet files without names.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_DUCKDB_COMMAND_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_DUCKDB_COMMAND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/io/duckdb/duckdb.h"

namespace structtensor::convert_internal {

// Returns the rows of a query, like DuckDb::Query. The query reads `table` as `name`. DuckDB does not outlive this process,
// however it ends.
//   command           a path, or a name that is looked up in PATH
//   temporary_folder  where DuckDB puts data that exceeds its memory limit
//   memory_limit      that limit, as for DuckDb::Open; "" for DuckDB's default
// Errors: NotFound if there is no such command; InvalidArgument with the command's own message; those of the table, and of
//   temporary files, which are in TMPDIR or /tmp.
absl::StatusOr<std::unique_ptr<DuckDbRows>> QueryByCommand(const std::string& command, const std::string& temporary_folder,
                                                           const std::string& memory_limit, const std::string& name,
                                                           DuckDbTable& table, const std::string& sql);

// Whether PATH has an executable of that name, or `command` is the path of one.
bool IsCommand(const std::string& command);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_DUCKDB_COMMAND_H_
