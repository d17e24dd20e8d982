// Queries whose results ImportBatch reads: DuckDB has more types than structured tensors.
#ifndef STRUCTTENSOR_BRIDGES_DUCKDB_READABLE_QUERY_H_
#define STRUCTTENSOR_BRIDGES_DUCKDB_READABLE_QUERY_H_

#include <string>
#include <string_view>
#include <vector>

namespace structtensor {

// A column of a result, as DuckDB's DESCRIBE tells it.
struct DuckDbColumn {
  std::string name;
  std::string type;  // as SQL writes it: "STRUCT(a INTEGER, b DATE)[]"
};

// Without semicolons and white space at the end.
std::string_view WithoutSemicolon(std::string_view sql);

// That in parentheses, as a table that another query reads from.
std::string SubqueryOf(std::string_view sql);

// The query whose result is what DescribeQuery asks for: a row for each column of `sql`, with column_name and column_type.
std::string DescribeQuery(std::string_view sql);

// Returns a query with the rows of `sql`, whose columns are `columns`, in types that ImportBatch reads:
//   DECIMAL                   DOUBLE
//   HUGEINT (sums), UHUGEINT  BIGINT, UBIGINT; a number beyond that is an error of the query
//   NULL                      INTEGER
//   T[N]                      T[]
//   DATE, TIME, INTERVAL, UUID, ENUM, BIT, UNION, and what else there is
//                             VARCHAR, as a cast writes them
// and the same within lists, structs and maps. Other types stay as they are.
std::string ReadableQuery(std::string_view sql, const std::vector<DuckDbColumn>& columns);

// The type in the right column of that table, or the same type if it is readable.
std::string ReadableType(std::string_view type);

// "a b" -> "\"a b\"", with quotes in it doubled.
std::string QuotedName(std::string_view name);

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_DUCKDB_READABLE_QUERY_H_
