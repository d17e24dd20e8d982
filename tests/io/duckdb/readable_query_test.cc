#include "structtensor/io/duckdb/readable_query.h"

#include <gtest/gtest.h>

#include <string>

namespace structtensor {
namespace {

TEST(ReadableTypeTest, TypesOfTensorsStay) {
  for (const char* type : {"BIGINT", "VARCHAR", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS", "BLOB[]", "DOUBLE[][]",
                           "STRUCT(a INTEGER, \"b (c\" VARCHAR[])", "MAP(VARCHAR, STRUCT(x BOOLEAN))[]"}) {
    EXPECT_EQ(ReadableType(type), type);
  }
}

TEST(ReadableTypeTest, OtherNumbersBecomeNumbers) {
  EXPECT_EQ(ReadableType("DECIMAL(18,3)"), "DOUBLE");
  EXPECT_EQ(ReadableType("HUGEINT"), "BIGINT");
  EXPECT_EQ(ReadableType("UHUGEINT[]"), "UBIGINT[]");
  EXPECT_EQ(ReadableType("\"NULL\""), "INTEGER");
  EXPECT_EQ(ReadableType("NULL"), "INTEGER");
  EXPECT_EQ(ReadableType("FLOAT[3]"), "FLOAT[]");
}

TEST(ReadableTypeTest, TheRestBecomesText) {
  for (const char* type : {"DATE", "INTERVAL", "UUID", "TIME WITH TIME ZONE", "JSON", "UNION(a INTEGER, b VARCHAR)",
                           "ENUM('a)', 'it''s', '\"')", "GEOMETRY('OGC:CRS84')", "some type of tomorrow", ""}) {
    EXPECT_EQ(ReadableType(type), "VARCHAR") << type;
  }
}

TEST(ReadableTypeTest, ReplacesWithinOthers) {
  EXPECT_EQ(ReadableType("STRUCT(date DATE, \"a\"\"b, c\" DECIMAL(4,1)[], n STRUCT(h HUGEINT))[]"),
            "STRUCT(date VARCHAR, \"a\"\"b, c\" DOUBLE[], n STRUCT(h BIGINT))[]");
  EXPECT_EQ(ReadableType("MAP(ENUM('a', 'b'), MAP(DATE, UUID[2]))"), "MAP(VARCHAR, MAP(VARCHAR, VARCHAR[]))");
  EXPECT_EQ(ReadableType("STRUCT(größe HUGEINT)"), "STRUCT(größe BIGINT)");
}

// No field of a struct here is without a name.
TEST(ReadableTypeTest, StructsWithoutNamesAreText) {
  EXPECT_EQ(ReadableType("STRUCT(INTEGER, VARCHAR)"), "VARCHAR");
  EXPECT_EQ(ReadableType("STRUCT(INTEGER, VARCHAR)[]"), "VARCHAR[]");
}

TEST(ReadableTypeTest, DamagedTextIsText) {
  for (const std::string type : {"STRUCT(", "STRUCT(a", "STRUCT(a INTEGER", "MAP(VARCHAR", "MAP(VARCHAR, ", "DECIMAL(18",
                                 "\"NULL", "INTEGER[", "INTEGER[3", "INTEGER]", "ENUM('a", ")", "STRUCT(\"a INTEGER)"}) {
    EXPECT_EQ(ReadableType(type), "VARCHAR") << type;
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "STRUCT(a ";
  EXPECT_EQ(ReadableType(deep), "VARCHAR");
}

TEST(ReadableQueryTest, CastsWhatIsNotReadable) {
  EXPECT_EQ(ReadableQuery("SELECT 1 AS a, DATE '2026-01-31' AS \"b\"\"c\" -- a comment ; \n ;\n",
                          {{"a", "INTEGER"}, {"b\"c", "DATE"}}),
            "SELECT \"a\", CAST(\"b\"\"c\" AS VARCHAR) AS \"b\"\"c\" FROM (SELECT 1 AS a, DATE '2026-01-31' AS \"b\"\"c\" -- a "
            "comment\n)");
}

TEST(ReadableQueryTest, SemicolonsAtTheEndAreLeftOut) {
  EXPECT_EQ(WithoutSemicolon("SELECT 1 ; ;\n"), "SELECT 1");
  EXPECT_EQ(WithoutSemicolon(" ;"), "");
}

}  // namespace
}  // namespace structtensor
