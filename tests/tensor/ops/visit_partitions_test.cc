#include "structtensor/tensor/ops/internal/visit_partitions.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "ops_testutil.h"

namespace structtensor {
namespace {

TEST(VisitPartitions, FromTheOutside) {
  std::vector<std::string> seen;
  const Value value = Make(R"([[{"a":[1]},{"a":[]}],[]])");
  ASSERT_TRUE(ops_internal::VisitPartitions(value, [&](const ops_internal::FieldPath& path, const RowPartition& partition) {
                seen.push_back(path.ToString() + ":" + std::to_string(partition.nvals()));
                return absl::OkStatus();
              }).ok());
  EXPECT_THAT(seen, testing::ElementsAre(":2", "a:1"));
}

TEST(VisitPartitions, StopsAtTheFirstError) {
  int visits = 0;
  const absl::Status status = ops_internal::VisitPartitions(Docs(), [&](const ops_internal::FieldPath&, const RowPartition&) {
    ++visits;
    return absl::InternalError("no");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace structtensor
