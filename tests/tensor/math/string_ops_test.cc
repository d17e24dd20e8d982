#include "structtensor/tensor/math/string_ops.h"

#include <gmock/gmock.h>

#include <limits>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

std::string Join(const std::vector<Value>& values, std::string_view separator = "") {
  return Json(JoinStrings(values, separator));
}

TEST(StringLength, InBytesOrCharacters) {
  const Value x = Make(R"([["a","é","日本"],[],[""]])");
  EXPECT_EQ(Json(StringLength(x)), "[[1,2,6],[],[0]]");
  EXPECT_EQ(Json(StringLength(x, StringUnit::kUtf8Char)), "[[1,1,2],[],[0]]");
  EXPECT_EQ(DTypeOfResult(StringLength(x)), DType::kInt32);
}

TEST(StringCase, ChangesAsciiLettersOnly) {
  EXPECT_EQ(Json(StringUpper(Make(R"([["aé","bB"],[]])"))), R"([["Aé","BB"],[]])");
  EXPECT_EQ(Json(StringLower(MakeTensor(R"([["ÀB","C"]])"))), R"([["Àb","c"]])");
  EXPECT_EQ(Json(StringUpper(MakeTensor(R"(["ab","cd","ef"])").SliceRows(1, 3))), R"(["CD","EF"])");
  EXPECT_EQ(Json(StringUpper(Tensor::Scalar("x"))), R"("X")");
}

TEST(JoinStrings, BroadcastsItsValues) {
  EXPECT_EQ(Join({Make(R"([["a","b"],["c"]])"), Tensor::Scalar("-"), MakeTensor(R"([["1"],["2"]])")}),
            R"([["a-1","b-1"],["c-2"]])");
  EXPECT_EQ(Join({MakeTensor(R"(["a","b"])"), MakeTensor(R"([["x"],["y"]])")}, ", "), R"([["a, x","b, x"],["a, y","b, y"]])");
  EXPECT_EQ(Join({Tensor::Scalar("a")}, ","), R"("a")");
  EXPECT_EQ(Join({Tensor::Empty({0}, DType::kString), Tensor::Scalar("a")}), "[]");
}

TEST(JoinStrings, Errors) {
  EXPECT_THAT(Join({}), HasSubstr("give at least one"));
  EXPECT_THAT(Join({MakeTensor("[1]"), Tensor::Scalar("a")}), HasSubstr("AsString"));
  EXPECT_THAT(Join({Tensor::Scalar("a"), Tensor::Scalar("a", DType::kBytes)}), HasSubstr("cast them all to bytes"));
  EXPECT_THAT(Join({MakeTensor(R"(["a","b"])"), MakeTensor(R"(["a","b","c"])")}), HasSubstr("axis 0 of value 0 has size 2"));
}

TEST(JoinStrings, MoreThanATensorCanHaveIsAnError) {
  const std::string long_text(1 << 16, 'a');
  const Tensor text = Tensor::Scalar(std::string_view(long_text));
  const Tensor many = Tensor::FromVector(std::vector<std::string>(1 << 15, ""));
  EXPECT_EQ(JoinStrings(std::vector<Value>{text, many}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(AsString, OfAllNumbers) {
  EXPECT_EQ(Json(AsString(Make("[[1,-20],[]]"))), R"([["1","-20"],[]])");
  EXPECT_EQ(Json(AsString(Vector<uint64_t>({~uint64_t{0}}))), R"(["18446744073709551615"])");
  EXPECT_EQ(Json(AsString(MakeTensor("[[true],[false]]"))), R"([["true"],["false"]])");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json(AsString(Vector<double>({1.5, -1e-8, 1e20, -std::numeric_limits<double>::quiet_NaN(), -infinity}))),
            R"(["1.500000","-0.000000","100000000000000000000.000000","nan","-inf"])");
  EXPECT_EQ(Json(AsString(Vector<Float16>({Float16(0.25f)}))), R"(["0.250000"])");
  EXPECT_EQ(AsString(Vector<double>({std::numeric_limits<double>::lowest()}))->tensor()->string_at(0).size(), 1u + 309u + 7u);
  EXPECT_THAT(Message(AsString(Vector<int64_t>({1}, DType::kTimestampNs))), HasSubstr("cast to int64"));
}

TEST(StringOps, AbsentInAbsentOut) {
  const Tensor strings = Tensor::FromStrings(Buffer<int32_t>::FromVector({0, 1, 2}), Buffer<char>::FromVector({'a', 'b'}),
                                             DType::kString, Bits({true, false}));
  EXPECT_EQ(Json(StringUpper(strings)), R"(["A",null])");
  EXPECT_EQ(Json(StringLength(strings)), "[1,null]");
  EXPECT_EQ(Join({strings, Tensor::Scalar("x")}), R"(["ax",null])");
  EXPECT_EQ(Json(AsString(Nullable<int64_t>({1, 2}, {false, true}))), R"([null,"2"])");
}

}  // namespace
}  // namespace structtensor
