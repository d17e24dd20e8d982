#include "structtensor/tensor/math/string_parts.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

// Strings, some of them absent.
Tensor NullableStrings(const std::vector<std::string>& strings, const std::vector<bool>& present) {
  const Tensor all = Tensor::FromVector(strings);
  return Tensor::FromStrings(all.string_offsets(), all.string_bytes(), DType::kString, Bits(present));
}

TEST(StringStrip, TakesSpacesOffBothEnds) {
  EXPECT_EQ(Json(StringStrip(Make(R"([[" a b\t","\n"],[],["c"]])"))), R"([["a b",""],[],["c"]])");
  EXPECT_EQ(Json(StringStrip(Tensor::Scalar(" x "))), R"("x")");
  EXPECT_EQ(Json(StringStrip(MakeTensor(R"([[" a"],["b "]])"))), R"([["a"],["b"]])");
  EXPECT_EQ(Json(StringStrip(NullableStrings({" a", " "}, {true, false}))), R"(["a",null])");
  EXPECT_THAT(Message(StringStrip(MakeTensor("[1]"))), HasSubstr("StringStrip is not defined for int64"));
}

TEST(StringSubstr, CountsBytesOrCharacters) {
  const Value x = Make(R"([["abcd","ab"],[],["xyz"]])");
  EXPECT_EQ(Json(StringSubstr(x, 1, 2)), R"([["bc","b"],[],["yz"]])");
  EXPECT_EQ(Json(StringSubstr(x, -2, 1)), R"([["c","a"],[],["y"]])");
  EXPECT_EQ(Json(StringSubstr(x, 2, 0)), R"([["",""],[],[""]])");
  EXPECT_EQ(Json(StringSubstr(MakeTensor(R"(["größe","日本"])"), 1, 2, StringUnit::kUtf8Char)), R"(["rö","本"])");
  EXPECT_EQ(Json(StringSubstr(MakeTensor(R"(["größe","日本"])"), -2, 9, StringUnit::kUtf8Char)), R"(["ße","日本"])");
  EXPECT_EQ(Json(StringSubstr(MakeTensor(R"(["a"])"), 0, std::numeric_limits<int64_t>::max())), R"(["a"])");
}

TEST(StringSubstr, ABeginOutsideOfAStringIsAnErrorUnlessAbsent) {
  EXPECT_THAT(Message(StringSubstr(MakeTensor(R"(["abc","a"])"), 2, 1)),
              HasSubstr("element 1, counted through all rows, has 1 bytes; a substring cannot begin at 2"));
  EXPECT_FALSE(StringSubstr(MakeTensor(R"(["abc"])"), -4, 1).ok());
  EXPECT_FALSE(StringSubstr(MakeTensor(R"(["abc"])"), std::numeric_limits<int64_t>::min(), 1).ok());
  EXPECT_FALSE(StringSubstr(MakeTensor(R"(["abc"])"), 0, -1).ok());
  EXPECT_EQ(Json(StringSubstr(NullableStrings({"abc", ""}, {true, false}), 2, 1)), R"(["c",null])");
  EXPECT_EQ(Json(StringSubstr(NullableStrings({"abc", ""}, {true, false}), -2, 1)), R"(["b",null])");
}

TEST(StringStartsWith, IsABoolean) {
  EXPECT_EQ(Json(StringStartsWith(Make(R"([["ab","b"],[],[""]])"), "a")), "[[true,false],[],[false]]");
  EXPECT_EQ(Json(StringEndsWith(Make(R"([["ab","b"],[],[""]])"), "b")), "[[true,true],[],[false]]");
  EXPECT_EQ(Json(StringStartsWith(NullableStrings({"a", "a"}, {true, false}), "")), "[true,null]");
  EXPECT_FALSE(StringEndsWith(MakeTensor("[1]"), "b").ok());
}

TEST(SplitStrings, AtSpaces) {
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"(["a b","","  c\t\nd "])"))), R"([["a","b"],[],["c","d"]])");
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"(["a b  c ","d "])"), {.separator = "", .max_splits = 1})),
            R"([["a","b  c "],["d"]])");
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"([" a b "])"), {.separator = "", .max_splits = 0})), R"([["a b "]])");
}

TEST(SplitStrings, AtASeparator) {
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"(["a,b","","c,",",,"])"), {.separator = ","})),
            R"([["a","b"],[""],["c",""],["","",""]])");
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"(["a--b--c"])"), {.separator = "--", .max_splits = 1})), R"([["a","b--c"]])");
  EXPECT_EQ(Json(SplitStrings(MakeTensor(R"(["a,b"])"), {.separator = ",", .max_splits = 0})), R"([["a,b"]])");
}

TEST(SplitStrings, OfAllShapes) {
  EXPECT_EQ(Json(SplitStrings(Tensor::Scalar("a b"))), R"(["a","b"])");
  const absl::StatusOr<Value> matrix = SplitStrings(MakeTensor(R"([["a b","c"],["","d"]])"));
  EXPECT_EQ(Json(matrix), R"([[["a","b"],["c"]],[[],["d"]]])");
  EXPECT_EQ(matrix->shape(), Shape({2, 2, kUnknownDimension}));
  EXPECT_EQ(Json(SplitStrings(Make(R"([["a b"],[],["c","d e"]])"))), R"([[["a","b"]],[],[["c"],["d","e"]]])");
  EXPECT_EQ(Json(SplitStrings(Tensor::Empty({0}, DType::kString))), "[]");
  EXPECT_EQ(Json(SplitStrings(NullableStrings({"a b", "c d"}, {true, false}))), R"([["a","b"],[]])");
}

TEST(SplitStrings, Errors) {
  EXPECT_THAT(Message(SplitStrings(MakeTensor("[1]"))), HasSubstr("SplitStrings is not defined for int64"));
  EXPECT_THAT(Message(SplitStrings(Tensor::Scalar("a"), {.separator = "", .max_splits = -1})), HasSubstr("max_splits = -1"));
  EXPECT_FALSE(SplitStrings(Make(R"([{"a":"b"}])")).ok());
}

TEST(ReduceJoin, AlongAnyAxis) {
  const Value x = Make(R"([["a","b"],[],["c"]])");
  EXPECT_EQ(Json(ReduceJoin(x, "-")), R"("a-b-c")");
  EXPECT_EQ(Json(ReduceJoin(x, "-", {.axes = {1}})), R"(["a-b","","c"])");
  EXPECT_EQ(Json(ReduceJoin(x, "-", {.axes = {0}})), R"(["a-c","b"])");
  const Tensor dense = MakeTensor(R"([["a","b"],["c","d"]])");
  EXPECT_EQ(Json(ReduceJoin(dense, "", {.axes = {0}})), R"(["ac","bd"])");
  EXPECT_EQ(Json(ReduceJoin(dense, "", {.axes = {-1}, .keep_dims = true})), R"([["ab"],["cd"]])");
  EXPECT_EQ(Json(ReduceJoin(Make(R"([[["a"],["b","c"]],[],[["d"]]])"), "+", {.axes = {1}})), R"([["a+b","c"],[],["d"]])");
}

TEST(ReduceJoin, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(Json(ReduceJoin(NullableStrings({"a", "b", "c"}, {true, false, true}), "-")), R"("a-c")");
  EXPECT_EQ(Json(ReduceJoin(Tensor::Empty({0}, DType::kString), "-")), R"("")");
}

TEST(ReduceJoin, Errors) {
  EXPECT_THAT(Message(ReduceJoin(MakeTensor("[1]"))), HasSubstr("ReduceJoin is not defined for int64"));
  EXPECT_FALSE(ReduceJoin(MakeTensor(R"(["a"])"), "", {.axes = {1}}).ok());
}

TEST(ReduceJoin, OfWhatSplitStringsGives) {
  const Tensor x = MakeTensor(R"([["a b","c"],["","d"]])");
  EXPECT_EQ(Json(ReduceJoin(SplitStrings(x).value(), " ", {.axes = {-1}})), Json(Value(x)));
}

}  // namespace
}  // namespace structtensor
