#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/split.h"

namespace structtensor {
namespace {

TEST(Unstack, GivesWhatIsAtEachPosition) {
  EXPECT_EQ(Json(Unstack(Make("[[1,2],[],[3]]"))), "[1,2] [] [3]");
  EXPECT_EQ(Json(Unstack(Make(R"([{"x":1},{"x":2}])"))), R"({"x":1} {"x":2})");
  EXPECT_EQ(Json(Unstack(MakeTensor("[[1,2],[3,4]]"), -1)), "[1,3] [2,4]");
  const Value structs = StructuredTensor::Create({Uniform(2, 2)}, 4, {{"x", MakeTensor("[1,2,3,4]")}});
  EXPECT_EQ(Json(Unstack(structs, 1)), R"([{"x":1},{"x":3}] [{"x":2},{"x":4}])");
  EXPECT_TRUE(Unstack(Docs().SliceRows(0, 0))->empty());
}

TEST(Unstack, Refuses) {
  EXPECT_THAT(Json(Unstack(Make("[[1,2],[]]"), 1)), testing::HasSubstr("axis 1 is ragged"));
  EXPECT_THAT(Json(Unstack(Make(R"({"x":1})"))), testing::HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace structtensor
