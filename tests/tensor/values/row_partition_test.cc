#include "structtensor/tensor/values/row_partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
Buffer<T> BufferOf(std::vector<T> values) {
  return Buffer<T>::FromVector(std::move(values));
}

// The same partition, rows of 3, 0 and 2 values, made in every way there is.
std::vector<RowPartition> EveryEncoding() {
  return {Partition({0, 3, 3, 5}), RowPartition::FromRowSplitsUnchecked(BufferOf<int64_t>({0, 3, 3, 5})),
          RowPartition::FromValueRowids(BufferOf<uint32_t>({0, 0, 0, 2, 2}), 3).value(),
          RowPartition::FromRowLengths(BufferOf<int64_t>({3, 0, 2})).value(),
          // Cut out of longer ones, so that nothing starts at 0.
          Partition({0, 4, 7, 7, 9, 9}).SliceRows(1, 4),
          RowPartition::FromValueRowids(BufferOf<uint32_t>({0, 1, 1, 1, 3, 3, 4}), 6).value().SliceRows(1, 4)};
}

TEST(RowPartition, EveryEncodingGivesAllOthers) {
  for (const RowPartition& partition : EveryEncoding()) {
    EXPECT_EQ(partition.nrows(), 3);
    std::vector<int64_t> copied(4, -1);
    partition.CopyRowSplits(copied);  // before anything is derived
    EXPECT_THAT(copied, ElementsAre(0, 3, 3, 5));
    EXPECT_EQ(partition.nvals(), 5);
    EXPECT_THAT(partition.row_splits().span(), ElementsAre(0, 3, 3, 5));
    EXPECT_THAT(partition.row_lengths().span(), ElementsAre(3, 0, 2));
    EXPECT_THAT(partition.value_rowids().span(), ElementsAre(0, 0, 0, 2, 2));
    EXPECT_EQ(partition.row(0), (RowRange{0, 3}));
    EXPECT_EQ(partition.row(1), (RowRange{3, 3}));
    EXPECT_EQ(partition.row(2), (RowRange{3, 5}));
    EXPECT_EQ(partition, EveryEncoding().front());
    EXPECT_EQ(partition.uniform_row_length(), std::nullopt);
  }
}

TEST(RowPartition, UniformRowLengthGivesTheOtherEncodings) {
  const RowPartition partition = RowPartition::FromUniformRowLength(2, 3).value();
  EXPECT_EQ(partition.uniform_row_length(), 2);
  EXPECT_EQ(partition.nvals(), 6);
  EXPECT_THAT(partition.row_splits().span(), ElementsAre(0, 2, 4, 6));
  std::vector<int64_t> copied(4, -1);
  partition.CopyRowSplits(copied);
  EXPECT_THAT(copied, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(partition.value_rowids().span(), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_EQ(partition, Partition({0, 2, 4, 6}));
  EXPECT_EQ(RowPartition::FromUniformRowLength(0, 3)->nvals(), 0);
}

TEST(RowPartition, KeepsRowSplitsWithoutCopying) {
  const Buffer<int64_t> row_splits = BufferOf<int64_t>({0, 1, 3});
  EXPECT_EQ(RowPartition::FromRowSplits(row_splits)->row_splits().data(), row_splits.data());
}

TEST(RowPartition, SliceTellsWhichValuesItsRowsHave) {
  for (const RowPartition& partition : EveryEncoding()) {
    RowRange values{-1, -1};
    const RowPartition slice = partition.SliceRows(1, 3, &values);
    EXPECT_EQ(values, (RowRange{3, 5}));
    EXPECT_THAT(slice.row_splits().span(), ElementsAre(0, 0, 2));
    EXPECT_EQ(slice.row(1), (RowRange{0, 2}));
    EXPECT_EQ(partition.SliceRows(2, 2, &values).nrows(), 0);
    EXPECT_EQ(values, (RowRange{3, 3}));
  }
  RowRange values{-1, -1};
  const RowPartition uniform = RowPartition::FromUniformRowLength(2, 5)->SliceRows(2, 4, &values);
  EXPECT_EQ(values, (RowRange{4, 8}));
  EXPECT_EQ(uniform.uniform_row_length(), 2);
}

TEST(RowPartition, SliceAfterDerivingIsTheSameAsBefore) {
  const RowPartition partition =
      RowPartition::FromValueRowids(BufferOf<uint32_t>({1, 4}), 6, RowPartition::Optional::kYes).value();
  const RowPartition before = partition.SliceRows(1, 5);
  partition.row_splits();
  EXPECT_EQ(partition.SliceRows(1, 5), before);
  EXPECT_TRUE(before.is_optional());
  EXPECT_THAT(before.row_lengths().span(), ElementsAre(1, 0, 0, 1));
}

TEST(RowPartition, WithoutRows) {
  const RowPartition partition = Partition({0});
  EXPECT_EQ(partition.nrows(), 0);
  EXPECT_THAT(partition.row_lengths().span(), IsEmpty());
  EXPECT_THAT(RowPartition::FromValueRowids({}, 0)->row_splits().span(), ElementsAre(0));
}

TEST(RowPartition, SeveralThreadsMayDeriveAtOnce) {
  std::vector<uint32_t> rowids(10'000);
  for (size_t i = 0; i < rowids.size(); ++i) rowids[i] = static_cast<uint32_t>(2 * i);
  const RowPartition partition = RowPartition::FromValueRowids(BufferOf(rowids), 20'000).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      EXPECT_EQ(partition.row(19'998).begin, 9'999);
      EXPECT_EQ(partition.row_lengths()[1], 0);
      EXPECT_EQ(partition.value_rowids()[1], 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(RowPartition, SpecHasSizesAndOptional) {
  const RowPartitionSpec spec = Partition({0, 1, 1}, RowPartition::Optional::kYes).spec();
  EXPECT_EQ(spec, (RowPartitionSpec{.nrows = 2, .nvals = 1, .uniform_row_length = kUnknownDimension, .optional = true}));
}

TEST(RowPartition, PrintsItself) {
  EXPECT_EQ(Partition({0, 3, 3, 5}).DebugString(), "RowPartition(nrows=3, nvals=5, row_splits=[0, 3, 3, 5])");
  EXPECT_EQ(RowPartition::FromUniformRowLength(2, 3)->DebugString(), "RowPartition(nrows=3, nvals=6, uniform_row_length=2)");
}

struct Rejected {
  absl::StatusOr<RowPartition> partition;
  std::string message;
};

TEST(RowPartition, RejectsEncodingsThatContradictThemselves) {
  using Optional = RowPartition::Optional;
  const Rejected cases[] = {
      {RowPartition::FromRowSplits({}), "row_splits is empty"},
      {RowPartition::FromRowSplits(BufferOf<int64_t>({1, 2})), "row_splits starts at 1"},
      {RowPartition::FromRowSplits(BufferOf<int64_t>({0, 3, 2})), "decreases from 3 to 2 at index 2"},
      {RowPartition::FromRowSplits(BufferOf<int64_t>({0, 1, 3}), Optional::kYes),
       "row 1 of an optional row partition has 2 values"},
      {RowPartition::FromValueRowids(BufferOf<uint32_t>({0, 3}), 3), "value_rowids[1] is 3"},
      {RowPartition::FromValueRowids(BufferOf<uint32_t>({2, 1}), 3), "decreases from 2 to 1 at index 1"},
      {RowPartition::FromValueRowids(BufferOf<uint32_t>({1, 1}), 3, Optional::kYes),
       "row 1 of an optional row partition has more than one"},
      {RowPartition::FromValueRowids({}, -1), "nrows is -1"},
      {RowPartition::FromUniformRowLength(-1, 2), "neither may be negative"},
      {RowPartition::FromUniformRowLength(int64_t{1} << 62, 4), "more values than int64 can count"},
      {RowPartition::FromRowLengths(BufferOf<int64_t>({1, -1})), "row_lengths[1] is -1"},
      {RowPartition::FromRowLengths(BufferOf<int64_t>({INT64_MAX, 1})), "more than int64 can count at index 1"},
  };
  for (const Rejected& rejected : cases) {
    EXPECT_EQ(rejected.partition.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(rejected.partition.status().message()), HasSubstr(rejected.message));
  }
}

TEST(RowPartition, RowStartsAndLimitsAreEncodingsToo) {
  const RowPartition partition = RowPartition::FromRowStarts(BufferOf<int64_t>({0, 3, 3}), 5).value();
  EXPECT_EQ(partition, EveryEncoding().front());
  EXPECT_EQ(RowPartition::FromRowLimits(BufferOf<int64_t>({3, 3, 5})).value(), partition);
  EXPECT_EQ(RowPartition::FromValueRowids(BufferOf<int64_t>({0, 0, 0, 2, 2})).value(), partition);
  EXPECT_EQ(RowPartition::FromValueRowids(BufferOf<int64_t>({}), 2)->nrows(), 2);
  EXPECT_THAT(partition.row_starts().span(), ElementsAre(0, 3, 3));
  EXPECT_THAT(partition.row_limits().span(), ElementsAre(3, 3, 5));
  EXPECT_EQ(partition.row_limits().data(), partition.row_splits().data() + 1);
  EXPECT_THAT(partition.offsets_in_rows().span(), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_EQ(RowPartition::FromRowStarts({}, 0)->nrows(), 0);
}

TEST(RowPartition, RowStartsAndLimitsThatAreNone) {
  EXPECT_FALSE(RowPartition::FromRowStarts(BufferOf<int64_t>({1}), 5).ok());
  EXPECT_FALSE(RowPartition::FromRowStarts({}, 1).ok());
  EXPECT_FALSE(RowPartition::FromRowStarts(BufferOf<int64_t>({0, 4}), 3).ok());
  EXPECT_FALSE(RowPartition::FromRowLimits(BufferOf<int64_t>({3, 1})).ok());
  EXPECT_FALSE(RowPartition::FromRowLimits(BufferOf<int64_t>({-1})).ok());
  EXPECT_FALSE(RowPartition::FromValueRowids(BufferOf<int64_t>({-1})).ok());
  EXPECT_EQ(RowPartition::FromValueRowids(BufferOf<int64_t>({int64_t{1} << 32})).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(RowPartition, UniformRowLengthTakesEitherSize) {
  EXPECT_EQ(RowPartition::FromUniformRowLength(2, std::nullopt, 6)->nrows(), 3);
  EXPECT_EQ(RowPartition::FromUniformRowLength(0, std::nullopt, 0)->nrows(), 0);
  EXPECT_EQ(RowPartition::FromUniformRowLength(0, 3, 0)->nrows(), 3);
  EXPECT_THAT(std::string(RowPartition::FromUniformRowLength(2, std::nullopt, 5).status().message()),
              HasSubstr("2 times nrows 2 is 4, but nvals is 5"));
  EXPECT_FALSE(RowPartition::FromUniformRowLength(2, 2, 6).ok());
  EXPECT_FALSE(RowPartition::FromUniformRowLength(2, std::nullopt, std::nullopt).ok());
  EXPECT_FALSE(RowPartition::FromUniformRowLength(-1, std::nullopt, 0).ok());
}

TEST(RowPartition, ValidationCanBeLeftToTheCaller) {
  using Validate = RowPartition::Validate;
  const Buffer<int64_t> decreasing = BufferOf<int64_t>({0, 3, 2});
  EXPECT_FALSE(RowPartition::FromRowSplits(decreasing).ok());
  for (const Validate validate : {Validate::kNone, Validate::kCheap}) {
    const RowPartition partition = RowPartition::FromRowSplits(decreasing, RowPartition::Optional::kNo, validate).value();
    EXPECT_EQ(partition.nvals(), 2);
    EXPECT_THAT(partition.row_splits().span(), ElementsAre(0, 3, 2));
    // Even where promises are broken, other encodings stay within memory.
    EXPECT_THAT(partition.value_rowids().span(), ElementsAre(0, 0, 0));
    EXPECT_FALSE(RowPartition::FromRowSplits(BufferOf<int64_t>({1, 3}), RowPartition::Optional::kNo, validate).ok());
    EXPECT_FALSE(RowPartition::FromRowSplits({}, RowPartition::Optional::kNo, validate).ok());
  }
  EXPECT_EQ(RowPartition::FromValueRowids(BufferOf<int64_t>({1, 0}), 1, Validate::kNone)->row_splits().size_elements(), 2U);
  EXPECT_FALSE(RowPartition::FromValueRowids(BufferOf<int64_t>({0, 1}), 1, Validate::kCheap).ok());
  EXPECT_TRUE(RowPartition::FromRowLengths(BufferOf<int64_t>({2, -1}), RowPartition::Optional::kNo, Validate::kNone).ok());
}

TEST(RowPartition, MergeKeepsWhatEitherKnows) {
  const RowPartition uniform = RowPartition::FromUniformRowLength(2, 3).value();
  EXPECT_EQ(RowPartition::Merge(Partition({0, 2, 4, 6}), uniform)->uniform_row_length(), 2);
  EXPECT_EQ(RowPartition::Merge(uniform, Partition({0, 2, 4, 6}))->uniform_row_length(), 2);
  const RowPartition other = Partition({0, 1, 4, 6});
  EXPECT_THAT(std::string(RowPartition::Merge(uniform, other).status().message()),
              HasSubstr("differ in row 0: one has 2 values there, the other 1"));
  EXPECT_TRUE(RowPartition::Merge(uniform, other, RowPartition::Validate::kNone).ok());
  EXPECT_FALSE(RowPartition::Merge(uniform, Partition({0, 6}), RowPartition::Validate::kNone).ok());
  EXPECT_FALSE(RowPartition::Merge(uniform, uniform.WithDtype(DType::kInt32)).ok());
}

TEST(RowPartition, CastChecksThatValuesFit) {
  EXPECT_EQ(Partition({0, 2}).Cast(DType::kInt32)->dtype(), DType::kInt32);
  EXPECT_FALSE(RowPartition::FromUniformRowLength(int64_t{1} << 31, 1)->Cast(DType::kInt32).ok());
  EXPECT_FALSE(Partition({0, 2}).Cast(DType::kFloat).ok());
}

}  // namespace
}  // namespace structtensor
