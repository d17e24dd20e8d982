#include "structtensor/io/duckdb/duckdb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Queries need a DuckDB that is installed: tests/python/test_sql.py.
namespace structtensor {
namespace {

using ::testing::HasSubstr;

TEST(DuckDbTest, ALibraryThatIsNotThereIsNotFound) {
  const absl::Status status = DuckDb::Open("/none/libduckdb.so").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/none/libduckdb.so"));
}

TEST(DuckDbTest, AnotherLibraryIsRefused) {
  const absl::Status status = DuckDb::Open("libc.so.6").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("libc.so.6 is not DuckDB: it has no function duckdb_"));
}

TEST(DuckDbTest, ErrorsAreOneLine) {
  EXPECT_EQ(DuckDbErrorLine("\nBinder Error: no column \"x\"\nCandidates: \"y\"\n\nLINE 1: SELECT x\n               ^"),
            "Binder Error: no column \"x\" Candidates: \"y\"");
  EXPECT_EQ(DuckDbErrorLine("Parser Error: near \"b\"\nLINE 1: a b"), "Parser Error: near \"b\"");
  EXPECT_EQ(DuckDbErrorLine("Invalid Input Error: \x1b[2J"), "Invalid Input Error:  [2J");
  EXPECT_EQ(DuckDbErrorLine(" \n"), "");
}

}  // namespace
}  // namespace structtensor
