#include "structtensor/ops/internal/visit_leaves.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "ops_testutil.h"

namespace structtensor {
namespace {

TEST(VisitLeaves, NamesEachLeafByItsPath) {
  std::vector<std::string> seen;
  const absl::Status status = ops_internal::VisitLeaves(Docs(), [&](const ops_internal::FieldPath& path, const Tensor& leaf) {
    seen.push_back(path.ToString() + ": " + ToJson(leaf));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(seen, testing::ElementsAre("x: [1,2,3]", R"(y: ["a","b","cd"])", "z.w: [0.5,1.5,2.5]"));
}

TEST(VisitLeaves, StopsAtTheFirstError) {
  int visits = 0;
  const absl::Status status = ops_internal::VisitLeaves(Docs(), [&](const ops_internal::FieldPath&, const Tensor&) {
    ++visits;
    return absl::InternalError("no");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(visits, 1);
}

TEST(VisitPartitions, FromTheOutside) {
  std::vector<std::string> seen;
  const Value value = Make(R"([[{"a":[1]},{"a":[]}],[]])");
  ASSERT_TRUE(ops_internal::VisitPartitions(value, [&](const ops_internal::FieldPath& path, const RowPartition& partition) {
                seen.push_back(path.ToString() + ":" + std::to_string(partition.nvals()));
                return absl::OkStatus();
              }).ok());
  EXPECT_THAT(seen, testing::ElementsAre(":2", "a:1"));
}

TEST(MapLeaves, ReplacesLeavesAndSharesTheRest) {
  const Value docs = Docs();
  const Value mapped =
      ops_internal::MapLeaves(docs, [](const ops_internal::FieldPath& path, const Tensor& leaf) -> absl::StatusOr<Tensor> {
        return path.ToString() == "x" ? Tensor::FromVector(std::vector<int64_t>{7, 8, 9}) : leaf;
      }).value();
  EXPECT_EQ(ToJson(mapped),
            R"([{"x":7,"y":["a"],"z":{"w":0.5}},{"x":8,"y":[],"z":{"w":1.5}},{"x":9,"y":["b","cd"],"z":{"w":2.5}}])");
  EXPECT_EQ(mapped.structured()->FindFlatField("y")->ragged()->row_splits().data(),
            docs.structured()->FindFlatField("y")->ragged()->row_splits().data());
}

TEST(MapLeaves, ReturnsTheFirstError) {
  const absl::StatusOr<Value> mapped =
      ops_internal::MapLeaves(Docs(), [](const ops_internal::FieldPath& path, const Tensor&) -> absl::StatusOr<Tensor> {
        return absl::InvalidArgumentError(path.Prefix() + "no");
      });
  EXPECT_EQ(mapped.status().message(), "field x: no");
}

}  // namespace
}  // namespace structtensor
