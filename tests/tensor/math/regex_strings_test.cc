#include "structtensor/tensor/math/regex_strings.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "ops_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

std::string Message(const absl::StatusOr<Value>& value) { return std::string(value.status().message()); }

Tensor Absent(const std::vector<std::string>& strings, const std::vector<bool>& present) {
  const Tensor all = Tensor::FromVector(strings);
  return Tensor::FromStrings(all.string_offsets(), all.string_bytes(), DType::kString, Bits(present));
}

TEST(RegexFullMatch, OfWholeStrings) {
  EXPECT_EQ(Json(RegexFullMatch(Make(R"([["ab","abb","ba"],[],[""]])"), "ab*")), "[[true,true,false],[],[false]]");
  EXPECT_EQ(Json(RegexFullMatch(Tensor::Scalar("x"), "")), "false");
  EXPECT_EQ(Json(RegexFullMatch(Absent({"a", "a"}, {true, false}), "a")), "[true,null]");
  EXPECT_EQ(Json(RegexFullMatch(MakeTensor(R"([["größe"],["grosse"]])"), "gr.+.e")), "[[true],[true]]");
}

TEST(RegexFullMatch, OfBytes) {
  const Tensor bytes = Tensor::Scalar(std::string_view("a\xff", 2), DType::kBytes);
  EXPECT_EQ(Json(RegexFullMatch(bytes, "a.")), "true");
  EXPECT_EQ(Json(RegexFullMatch(bytes, "a\\C")), "true");
}

TEST(RegexReplace, AllMatchesOrTheFirst) {
  const Value x = Make(R"([["banana","x"],[],["aa"]])");
  EXPECT_EQ(Json(RegexReplace(x, "a", "-")), R"([["b-n-n-","x"],[],["--"]])");
  EXPECT_EQ(Json(RegexReplace(x, "a", "-", false)), R"([["b-nana","x"],[],["-a"]])");
  EXPECT_EQ(Json(RegexReplace(x, "(a)(n)", "\\2\\1<\\0>\\\\")), R"([["bna<an>\\na<an>\\a","x"],[],["aa"]])");
  EXPECT_EQ(Json(RegexReplace(Absent({"ab", "ab"}, {true, false}), "b", "")), R"(["a",null])");
}

TEST(RegexReplace, EmptyMatches) {
  EXPECT_EQ(Json(RegexReplace(MakeTensor(R"(["abc","","größe"])"), "", "-")), R"(["-a-b-c-","-","-g-r-ö-ß-e-"])");
  EXPECT_EQ(Json(RegexReplace(MakeTensor(R"(["baac"])"), "a*", "-")), R"(["-b-c-"])");
  EXPECT_EQ(Json(RegexReplace(MakeTensor(R"(["ab"])"), "^", "<")), R"(["<ab"])");
  EXPECT_EQ(Json(RegexReplace(MakeTensor(R"(["ab"])"), "$", ">")), R"(["ab>"])");
}

TEST(RegexReplace, AGroupThatMatchesNothing) {
  EXPECT_EQ(Json(RegexReplace(MakeTensor(R"(["ac"])"), "a(b)?c", "[\\1]")), R"(["[]"])");
}

TEST(RegexReplace, MoreThanATensorCanHaveIsAnError) {
  const std::string text(1 << 16, 'a');
  std::string rewrite;
  for (int i = 0; i < 1 << 15; ++i) rewrite += "\\0";
  EXPECT_EQ(RegexReplace(Tensor::Scalar(std::string_view(text)), "a*", rewrite).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Regex, Errors) {
  const Tensor x = MakeTensor(R"(["a"])");
  EXPECT_THAT(Message(RegexFullMatch(x, "(")), HasSubstr("RegexFullMatch(): \"(\" is not a regular expression: missing )"));
  EXPECT_THAT(Message(RegexReplace(x, "[", "")), HasSubstr("is not a regular expression"));
  EXPECT_THAT(Message(RegexReplace(x, "a", "\\1")), HasSubstr("RegexReplace(): \"\\1\" cannot replace a match"));
  EXPECT_FALSE(RegexReplace(x, "a", "\\x").ok());
  EXPECT_FALSE(RegexReplace(x, "a", "b\\").ok());
  EXPECT_THAT(Message(RegexReplace(MakeTensor("[1]"), "a", "")), HasSubstr("RegexReplace is not defined for int64"));
  EXPECT_FALSE(RegexFullMatch(Make(R"([{"a":"b"}])"), "a").ok());
}

}  // namespace
}  // namespace structtensor
