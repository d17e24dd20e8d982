// Queries whose results ImportBatch can read: DuckDB has more types than structured tensors.
#ifndef STRUCTTENSOR_IO_DUCKDB_READABLE_QUERY_H_
#define STRUCTTENSOR_IO_DUCKDB_READABLE_QUERY_H_

#include <string>
#include <string_view>
#include <vector>

namespace structtensor {

// A column of a result, as DuckDB's DESCRIBE lists it.
struct DuckDbColumn {
  std::string name;
  std::string type;  // as SQL writes it: "STRUCT(a INTEGER, b DATE)[]"
};

// Returns `sql` without semicolons and white space at the end.
std::string_view WithoutSemicolon(std::string_view sql);

// Returns `sql` in parentheses, without semicolons at the end, as a table that another query reads from.
std::string SubqueryOf(std::string_view sql);

// Returns the query that describes `sql`: it gives a row for each column of `sql`, with column_name and column_type.
std::string DescribeQuery(std::string_view sql);

// Returns a query with the rows of `sql`, whose columns are `columns`, in types that ImportBatch reads:
//   DECIMAL                   DOUBLE
//   HUGEINT (sums), UHUGEINT  BIGINT, UBIGINT; larger numbers are an error of the query
//   NULL                      INTEGER
//   T[N]                      T[]
//   DATE, TIME, INTERVAL, UUID, ENUM, BIT, UNION, and all others that ImportBatch does not read
//                             VARCHAR, as a cast writes them
// The same applies within lists, structs and maps. Types that ImportBatch reads stay as they are.
std::string ReadableQuery(std::string_view sql, const std::vector<DuckDbColumn>& columns);

// The type in the right column of that table, or `type` itself if it is readable.
std::string ReadableType(std::string_view type);

// "a b" -> "\"a b\"", quotes inside are doubled.
std::string QuotedName(std::string_view name);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_DUCKDB_READABLE_QUERY_H_
