#include "structtensor/tensor/math/logic.h"

#include <gmock/gmock.h>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

TEST(Logic, OfAllPairs) {
  const Tensor x = MakeTensor("[[false],[true]]"), y = MakeTensor("[false,true]");
  EXPECT_EQ(Json(LogicalAnd(x, y)), "[[false,false],[false,true]]");
  EXPECT_EQ(Json(LogicalOr(x, y)), "[[false,true],[true,true]]");
  EXPECT_EQ(Json(LogicalXor(x, y)), "[[false,true],[true,false]]");
}

TEST(Logic, OfRaggedValues) {
  EXPECT_EQ(Json(LogicalNot(Make("[[true],[],[false,true]]"))), "[[false],[],[true,false]]");
  EXPECT_EQ(Json(LogicalAnd(Make("[[true],[],[false,true]]"), MakeTensor("[[true],[true],[true]]"))),
            "[[true],[],[false,true]]");
}

TEST(Logic, AbsentInAbsentOut) {
  const Tensor x = Nullable<uint8_t>({0, 1}, {false, true});
  EXPECT_EQ(Json(LogicalOr(x, MakeTensor("[true,true]"))), "[null,true]");
  EXPECT_EQ(Json(LogicalNot(x)), "[null,false]");
}

TEST(Logic, NeedsBooleans) {
  EXPECT_THAT(Message(LogicalNot(MakeTensor("[1]"))), HasSubstr("LogicalNot is not defined for int64; compare it"));
  EXPECT_THAT(Message(LogicalAnd(MakeTensor("[1]"), MakeTensor("[1]"))), HasSubstr("LogicalAnd is not defined for int64"));
}

}  // namespace
}  // namespace structtensor
