// DuckDB: SQL over tables of structured tensors. DuckDB is not part of this project: its shared library is loaded when the
// program runs, and rows pass through the Arrow C data interface.
//
//   absl::StatusOr<std::unique_ptr<DuckDb>> db = DuckDb::Open("libduckdb.so");
//   absl::Status added = (*db)->AddTable("t", table, DuckDb::Access::kEachTime);
//   absl::StatusOr<std::unique_ptr<DuckDbRows>> rows = (*db)->Query("SELECT title, count(*) FROM t GROUP BY 1");
#ifndef STRUCTTENSOR_IO_DUCKDB_DUCKDB_H_
#define STRUCTTENSOR_IO_DUCKDB_DUCKDB_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// Rows in batches.
class DuckDbRows {
 public:
  virtual ~DuckDbRows() = default;
  // A batch without rows that has the fields of all batches. Valid as long as this object.
  virtual const StructuredTensor& empty() const = 0;
  // Returns the next rows, of rank 1, or nothing at the end. It is not called again after an error or the end.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next() = 0;
};

// A table that queries read. DuckDB calls it from its own threads, from several at a time if a query reads the table in several
// places. Each pass is read by one thread at a time.
class DuckDbTable {
 public:
  virtual ~DuckDbTable() = default;
  // A batch without rows that has all columns. Valid as long as this object.
  virtual const StructuredTensor& empty() const = 0;
  // Begins a pass over all rows. The rows have at least the fields that `columns` names, of the same types as in empty(); if
  // `columns` is empty, any fields. Rows and fields may come in any order.
  virtual absl::StatusOr<std::unique_ptr<DuckDbRows>> Begin(const std::vector<std::string>& columns) = 0;
};

// A database in memory, with one connection. To be used by one thread at a time.
class DuckDb {
 public:
  // Loads the library, a path or a name that the system finds, for the rest of the process. Opens an empty database.
  //   temporary_folder  where DuckDB puts data that exceeds its memory limit; "" for its default, .tmp in the current folder
  //   memory_limit      how much memory DuckDB may use, as its setting of that name says it ("4GB"); "" for its default
  // Errors: NotFound if it cannot be loaded; FailedPrecondition if it is not DuckDB 1.4 or newer, or if another one is loaded;
  //   InvalidArgument if it does not accept the memory limit.
  static absl::StatusOr<std::unique_ptr<DuckDb>> Open(const std::string& library, const std::string& temporary_folder = "",
                                                      const std::string& memory_limit = "");

  // Requires: all results of queries are destroyed.
  virtual ~DuckDb() = default;

  enum class Access {
    kEachTime,  // each place in a query that reads the table is a pass over the columns that it needs
    kOnce,      // one pass over all columns, at once; DuckDB keeps the rows, in memory or in its temporary files
  };

  // Makes a table that queries call `name`. Its columns have the types of io/arrow/export.h, except that structs without
  // fields are booleans: true where the struct is present.
  // Errors: InvalidArgument if the table has no columns or Arrow has no type for one; with kOnce also the errors of the pass.
  virtual absl::Status AddTable(const std::string& name, std::shared_ptr<DuckDbTable> table, Access access) = 0;

  // Returns the rows of `sql`, one statement that gives rows, with the types that ReadableQuery describes. Rows come as they
  // are computed. They must be destroyed before the next call, and before this object.
  // Errors: InvalidArgument with DuckDB's message, on one line; errors of tables, unchanged, here and from Next().
  virtual absl::StatusOr<std::unique_ptr<DuckDbRows>> Query(const std::string& sql) = 0;
};

// Returns the statement that makes DuckDB use this folder for temporary files.
std::string SetTemporaryFolder(const std::string& folder);

// Returns the statement that limits DuckDB's memory. `limit`: as for DuckDb::Open.
std::string SetMemoryLimit(const std::string& limit);

// Returns DuckDB's error text on one line: without the part of the query that it shows, and the mark below it. A second line
// has a hint for sums that are too large for 64 bits.
std::string DuckDbErrorLine(std::string text);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_DUCKDB_DUCKDB_H_
