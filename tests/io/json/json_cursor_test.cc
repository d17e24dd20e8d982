#include "structtensor/io/json/internal/json_cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace structtensor::json_internal {
namespace {

TEST(JsonCursorTest, SkipFindsErrors) {
  JsonCursor cursor;
  for (const std::string_view good :
       {R"({"a": [1, -2.5e3, "x\u00e9", true, false, null, {}], "b": {"c": []}})", "1", "\"\"", "[[]]"}) {
    Problem problem;
    ASSERT_TRUE(cursor.Start(good, problem));
    EXPECT_TRUE(cursor.Skip(0, 10, problem)) << good << problem.text;
    EXPECT_TRUE(cursor.at_end()) << good;
  }
  for (const std::string_view bad :
       {R"({"a": 01})", R"({"a": tru})", R"(["\q"])", R"({"\q": 1})", "[1,]", "[1", "{\"a\" 1}", "nul", "{1: 2}", "]", ""}) {
    Problem problem;
    EXPECT_FALSE(cursor.Start(bad, problem) && cursor.Skip(0, 10, problem)) << bad;
    EXPECT_TRUE(problem.is_syntax) << bad;
    EXPECT_FALSE(problem.text.empty()) << bad;
    EXPECT_LE(cursor.byte(), bad.size()) << bad;
  }
}

TEST(JsonCursorTest, SkipHasALimitOfDepth) {
  const std::string deep = std::string(12, '[') + std::string(12, ']');
  JsonCursor cursor;
  Problem problem;
  ASSERT_TRUE(cursor.Start(deep, problem));
  EXPECT_TRUE(cursor.Skip(0, 12, problem));
  ASSERT_TRUE(cursor.Start(deep, problem));
  EXPECT_FALSE(cursor.Skip(0, 10, problem));
  EXPECT_EQ(problem.text, "lists and objects are deeper than 10");
}

TEST(JsonCursorTest, ReturnsToAMark) {
  const std::string_view text = R"([{"a": [1, 2]}, 3])";
  JsonCursor cursor;
  Problem problem;
  ASSERT_TRUE(cursor.Start(text, problem));
  std::vector<size_t> begins;
  ASSERT_TRUE(cursor.ForEachItem(problem, [&] {
    const uint32_t* const item = cursor.mark();
    cursor.Peek();
    begins.push_back(cursor.byte());
    if (!cursor.Skip(0, 10, problem)) return false;
    cursor.ReturnTo(item);
    cursor.PassOver();
    return true;
  }));
  EXPECT_EQ(begins, (std::vector<size_t>{1, 16}));
  EXPECT_TRUE(cursor.at_end());
}

TEST(JsonCursorTest, HowMuchMayBeRead) {
  const std::string text = R"({"name": 1})";
  JsonCursor cursor;
  Problem problem;
  ASSERT_TRUE(cursor.Start(text, problem));
  EXPECT_EQ(cursor.ReadableFrom(text), text.size());
  EXPECT_EQ(cursor.ReadableFrom(std::string_view(text).substr(2, 4)), text.size() - 2);
  EXPECT_EQ(cursor.ReadableFrom(std::string_view(text).substr(text.size())), 0u);
  const std::string elsewhere = "name";
  EXPECT_EQ(cursor.ReadableFrom(elsewhere), 0u);
}

}  // namespace
}  // namespace structtensor::json_internal
