#include <gmock/gmock.h>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor {
namespace {

TEST(ZerosLike, OfArraysKeepsTheirDtype) {
  EXPECT_EQ(Json(ZerosLike(Make("[[1,2],[],[3]]"))), "[[0,0],[],[0]]");
  EXPECT_EQ(Json(ZerosLike(MakeTensor(R"(["a","b"])"))), R"(["",""])");
  EXPECT_EQ(Json(OnesLike(MakeTensor("[false,true]"))), "[true,true]");
  EXPECT_EQ(Json(OnesLike(MakeTensor("[[0.5],[2]]"), DType::kFloat16)), "[[1],[1]]");
}

TEST(ZerosLike, OfStructsIsOneNumberEach) {
  EXPECT_EQ(Json(OnesLike(Docs())), "[1,1,1]");
  EXPECT_EQ(Json(ZerosLike(Make(R"([[{"x":[1,2]}],[]])"), DType::kInt32)), "[[0],[]]");
  EXPECT_EQ(Json(ZerosLike(Make(R"({"x":1})"))), "0");
  EXPECT_EQ(ZerosLike(Docs())->tensor()->dtype(), DType::kFloat);
}

TEST(OnesLike, ThereIsNoTextOfOne) {
  EXPECT_EQ(OnesLike(MakeTensor(R"(["a"])")).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
