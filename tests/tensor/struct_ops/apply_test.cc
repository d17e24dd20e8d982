#include "structtensor/tensor/struct_ops/apply.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

// a + b of integers with the same rows.
absl::StatusOr<Value> Add(std::span<const Value> fields) {
  const RaggedTensor& a = *fields[0].ragged();
  const RaggedTensor& b = *fields[1].ragged();
  std::vector<int64_t> sums;
  for (int64_t i = 0; i < a.flat_values().size_elements(); ++i) {
    sums.push_back(a.flat_values().values<int64_t>()[static_cast<size_t>(i)] +
                   b.flat_values().values<int64_t>()[static_cast<size_t>(i)]);
  }
  return Value(RaggedTensor::FromRowPartitionsUnchecked(a.row_partitions(), Tensor::FromVector(std::move(sums))));
}

StructuredTensor Sums() {
  return Structs(L{D{{"p", L{D{{"x", 1}, {"y", 10}}, D{{"x", 2}, {"y", 20}}}}}, D{{"p", L{D{{"x", 3}, {"y", 30}}}}}});
}

TEST(Apply, WritesWhatTheFunctionMakesOfTheSources) {
  EXPECT_EQ(Json(Apply(Sums(), {{"p", "x"}, {"p", "y"}}, {"p", "z"}, Add)),
            R"([{"p":[{"x":1,"y":10,"z":11},{"x":2,"y":20,"z":22}]},{"p":[{"x":3,"y":30,"z":33}]}])");
  EXPECT_EQ(Json(Apply(Sums(), {{"p", "x"}, {"p", "x"}}, {"all"}, Add)->field_value("all")), "[[2,4],[6]]");
}

TEST(Apply, Errors) {
  int calls = 0;
  const auto count = [&](std::span<const Value> fields) -> absl::StatusOr<Value> {
    ++calls;
    return fields[0].SliceRows(0, 1);
  };
  EXPECT_EQ(Apply(Sums(), {{"zz"}}, {"a"}, count).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Apply(Sums(), {{"p"}}, {"zz", "a"}, count).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Apply(Sums(), {{"p"}}, {}, count).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LE(calls, 1);
  EXPECT_THAT(std::string(Apply(Sums(), {{"p"}}, {"a"}, count).status().message()),
              HasSubstr("field a: axis 0 of the value has size 1"));
  const auto fail = [](std::span<const Value>) -> absl::StatusOr<Value> { return absl::OutOfRangeError("no"); };
  EXPECT_EQ(Apply(Sums(), {{"p"}}, {"a"}, fail).status(), absl::OutOfRangeError("field a: no"));
}

}  // namespace
}  // namespace structtensor
