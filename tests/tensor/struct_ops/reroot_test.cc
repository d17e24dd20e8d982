#include "structtensor/tensor/struct_ops/reroot.h"

#include "gtest/gtest.h"
#include "path_testutil.h"

namespace structtensor {
namespace {

TEST(Reroot, MakesNestedStructsTheRows) {
  const StructuredTensor docs = Docs();
  const absl::StatusOr<StructuredTensor> rerooted = Reroot(docs, {"docs"});
  EXPECT_EQ(Json(rerooted), R"([{"t":1,"tags":[1,2]},{"t":2,"tags":[3]},{"t":3,"tags":[7]}])");
  EXPECT_EQ(Memory(*rerooted, "tags"), Memory(docs, "docs.tags"));
}

TEST(Reroot, MergesAllAxes) {
  EXPECT_EQ(Json(Reroot(Structs(L{L{D{{"x", 1}}}, L{}, L{D{{"x", 2}}, D{{"x", 3}}}}), {})), R"([{"x":1},{"x":2},{"x":3}])");
  EXPECT_EQ(Json(Reroot(Structs(D{{"s", D{{"m", L{L{D{{"x", 1}}}, L{D{{"x", 2}}}}}}}}), {"s", "m"})), R"([{"x":1},{"x":2}])");
  EXPECT_EQ(Json(Reroot(Structs(D{{"s", D{{"x", 1}}}}), {"s"})), R"([{"x":1}])");
}

TEST(Reroot, Errors) {
  EXPECT_EQ(Reroot(Docs(), {"zz"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Reroot(Docs(), {"id"}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Reroot(Docs(), P("docs[0]")).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
