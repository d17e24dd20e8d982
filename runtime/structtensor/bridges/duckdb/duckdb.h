// DuckDB, SQL over tables of structured tensors. It is no part of this project: its shared library is loaded when the program
// runs, and rows pass through the Arrow C data interface.
//
//   absl::StatusOr<std::unique_ptr<DuckDb>> db = DuckDb::Open("libduckdb.so");
//   absl::Status added = (*db)->AddTable("t", table, DuckDb::Access::kEachTime);
//   absl::StatusOr<std::unique_ptr<DuckDbRows>> rows = (*db)->Query("SELECT title, count(*) FROM t GROUP BY 1");
//
// This folder may include runtime/base, runtime/type_spec, runtime/tensor and bridges/arrow.
#ifndef STRUCTTENSOR_BRIDGES_DUCKDB_DUCKDB_H_
#define STRUCTTENSOR_BRIDGES_DUCKDB_DUCKDB_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor {

// Rows in batches.
class DuckDbRows {
 public:
  virtual ~DuckDbRows() = default;
  // No rows, of the fields that all batches have. Valid as long as this.
  virtual const StructuredTensor& empty() const = 0;
  // The next rows, of rank 1; nothing at the end. After an error or the end it is not called again.
  virtual absl::StatusOr<std::optional<StructuredTensor>> Next() = 0;
};

// What queries read from. DuckDB calls it from threads of its own, several at a time if a query reads the table in several
// places; each of the passes is read by one thread at a time.
class DuckDbTable {
 public:
  virtual ~DuckDbTable() = default;
  // No rows, of all columns. Valid as long as this.
  virtual const StructuredTensor& empty() const = 0;
  // Begins a pass over all rows. What it returns has at least the fields of these names, of the same types as in empty(); with
  // none, any fields. The order of rows and of fields is free.
  virtual absl::StatusOr<std::unique_ptr<DuckDbRows>> Begin(const std::vector<std::string>& columns) = 0;
};

// A database in memory, with one connection. One thread at a time.
class DuckDb {
 public:
  // Loads the library, by its path or as the system finds its name, for the rest of the process, and opens an empty database.
  // Errors: NotFound if it cannot be loaded; FailedPrecondition if it is older than DuckDB 1.4, or another library.
  static absl::StatusOr<std::unique_ptr<DuckDb>> Open(const std::string& library);

  // Requires: all rows of queries are destroyed.
  virtual ~DuckDb() = default;

  enum class Access {
    kEachTime,  // each place in a query that reads the table is a pass over the columns that it needs
    kOnce,      // one pass over all columns, at once; DuckDB keeps the rows, in memory or in its temporary files
  };

  // Makes a table that queries call `name`. Columns are those of bridges/arrow/export.h, but structs without fields are
  // booleans: true where the struct is present.
  // Errors: InvalidArgument if the table has no columns or Arrow has no type for one; with kOnce those of the pass.
  virtual absl::Status AddTable(const std::string& name, std::shared_ptr<DuckDbTable> table, Access access) = 0;

  // Returns the rows of a query, which must be one statement that gives rows, in types as ReadableQuery says. Rows come as
  // they are computed. They must be destroyed before the next call, and before this.
  // Errors: InvalidArgument with what DuckDB says, on one line; those of tables as they are, here and from Next().
  virtual absl::StatusOr<std::unique_ptr<DuckDbRows>> Query(const std::string& sql) = 0;
};

// An error of DuckDB on one line: without the part of the query that it shows, and the mark below it.
std::string DuckDbErrorLine(std::string text);

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_DUCKDB_DUCKDB_H_
