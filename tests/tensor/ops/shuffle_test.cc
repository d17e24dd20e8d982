#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/order.h"

namespace structtensor {
namespace {

TEST(Shuffle, IsAPermutationThatTheSeedDecides) {
  std::vector<int64_t> rows(100);
  std::iota(rows.begin(), rows.end(), 0);
  const Value value = Tensor::FromVector(rows);
  const Value shuffled = Shuffle(value, 7).value();
  const std::span<const int64_t> elements = shuffled.tensor()->values<int64_t>();
  EXPECT_THAT(std::vector<int64_t>(elements.begin(), elements.end()), testing::UnorderedElementsAreArray(rows));
  EXPECT_FALSE(shuffled == value);
  EXPECT_TRUE(Shuffle(value, 7).value() == shuffled);
  EXPECT_FALSE(Shuffle(value, 8).value() == shuffled);
}

TEST(Shuffle, GivesEveryOrder) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 200; ++seed) orders.insert(Json(Shuffle(Make("[1,2,3]"), seed)));
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Shuffle, KeepsRowsTogether) {
  const Value shuffled = Shuffle(Docs(), 3).value();
  for (int64_t row = 0; row < 3; ++row) {
    const std::string text = ToJson(shuffled.Row(row));
    EXPECT_TRUE(text == ToJson(Docs().Row(0)) || text == ToJson(Docs().Row(1)) || text == ToJson(Docs().Row(2))) << text;
  }
  EXPECT_EQ(Shuffle(Make("{}"), 1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Shuffle, TheOrderOfASeedStays) { EXPECT_EQ(Json(Shuffle(Make("[0,1,2,3,4,5,6,7]"), 1)), "[4,3,2,7,5,6,0,1]"); }

}  // namespace
}  // namespace structtensor
