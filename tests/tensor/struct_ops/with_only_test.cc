#include "structtensor/tensor/struct_ops/with_only.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

TEST(WithOnly, KeepsFieldsInTheirOrder) {
  EXPECT_EQ(Json(WithOnly(Docs(), {{"docs", "tags"}, {"id"}})),
            R"([{"id":"d0","docs":[{"tags":[1,2]},{"tags":[3]}]},{"id":"d1","docs":[{"tags":[7]}]},{"id":"d2","docs":[]}])");
  EXPECT_EQ(Json(WithOnly(Docs(), {{"id"}, {"id"}})), R"([{"id":"d0"},{"id":"d1"},{"id":"d2"}])");
  EXPECT_EQ(Json(WithOnly(Docs(), {{"docs", "t"}, {"docs"}, {"id"}})), kDocs);
  EXPECT_EQ(Json(WithOnly(Docs(), std::vector<Path>{})), "[{},{},{}]");
}

TEST(WithOnly, StarsNameEveryField) {
  EXPECT_EQ(Json(WithOnly(Docs(), {P("*")})), kDocs);
  EXPECT_EQ(Json(WithOnly(Docs(), {P("*.t")})), R"([{"docs":[{"t":1},{"t":2}]},{"docs":[{"t":3}]},{"docs":[]}])");
  EXPECT_EQ(Json(WithOnly(Structs(D{}), {P("*")})), "{}");
}

TEST(WithOnly, SharesFields) {
  const StructuredTensor docs = Docs();
  EXPECT_EQ(Memory(*WithOnly(docs, {{"docs", "tags"}}), "docs.tags"), Memory(docs, "docs.tags"));
}

TEST(WithOnly, Errors) {
  const auto status = [](const Path& path) { return WithOnly(Docs(), {{"id"}, path}).status(); };
  EXPECT_EQ(status({"nope"}).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status({"docs", "nope"}).message()),
              HasSubstr("docs.nope: there is no field nope in docs; its fields are t, tags"));
  EXPECT_THAT(std::string(status({"id", "x"}).message()), HasSubstr("id.x: id is"));
  EXPECT_EQ(status({"id", "x"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status(P("docs[0]")).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status(Path()).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WithOnly(Docs(), {{"docs"}, {"docs", "nope"}}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace structtensor
