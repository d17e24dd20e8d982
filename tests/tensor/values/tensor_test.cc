#include "structtensor/tensor/values/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;

TEST(Tensor, FromBufferSharesTheMemory) {
  const auto buffer = Buffer<int32_t>::FromVector({1, 2, 3});
  const Tensor tensor = Tensor::FromBuffer(buffer);
  EXPECT_EQ(tensor.values<int32_t>().data(), buffer.data());
  EXPECT_EQ(tensor.shape(), Shape({3}));
  EXPECT_EQ(tensor.dtype(), DType::kInt32);
  EXPECT_EQ(tensor.buffer<int32_t>().owner(), buffer.owner());
}

TEST(Tensor, KeepsItsMemoryAlive) {
  std::unique_ptr<Tensor> slice;
  {
    const Tensor whole = Tensor::FromVector(std::vector<int64_t>{1, 2, 3});
    slice = std::make_unique<Tensor>(whole.SliceRows(1, 3));
  }
  EXPECT_THAT(slice->values<int64_t>(), ElementsAre(2, 3));
}

TEST(Tensor, TimestampsAreInt64WithTheirOwnDtype) {
  const Tensor tensor = Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2}), DType::kTimestampNs);
  EXPECT_EQ(tensor.dtype(), DType::kTimestampNs);
  EXPECT_THAT(tensor.values<int64_t>(), ElementsAre(1, 2));
}

TEST(Tensor, SlicesRowsOfSeveralAxesWithoutCopying) {
  const Tensor matrix = Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({3, 2}));
  const Tensor tail = matrix.SliceRows(1, 3);
  EXPECT_EQ(tail.shape(), Shape({2, 2}));
  EXPECT_THAT(tail.values<int32_t>(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(tail.values<int32_t>().data(), matrix.values<int32_t>().data() + 2);
  EXPECT_EQ(tail.Row(1).shape(), Shape({2}));
  EXPECT_THAT(tail.Row(1).values<int32_t>(), ElementsAre(5, 6));
}

TEST(Tensor, RowOfAVectorIsAScalar) {
  const Tensor scalar = Tensor::FromVector(std::vector<float>{1.5f, 2.5f}).Row(1);
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_THAT(scalar.values<float>(), ElementsAre(2.5f));
}

TEST(Tensor, StringsOfASliceStartAtAnyOffset) {
  const Tensor strings = Tensor::FromVector({"ab", "", "cde"});
  const Tensor tail = strings.SliceRows(1, 3);
  EXPECT_EQ(tail.string_at(0), "");
  EXPECT_EQ(tail.string_at(1), "cde");
  EXPECT_EQ(tail.string_offsets()[0], 2);
  EXPECT_EQ(tail.string_bytes().data(), strings.string_bytes().data());
  EXPECT_EQ(strings.Row(0).string_at(0), "ab");
}

TEST(Tensor, ValidityMovesWithSlices) {
  const Tensor tensor = NullableVector<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 0, 1, 1, 1, 1, 1, 1, 0, 1});
  EXPECT_TRUE(tensor.nullable());
  EXPECT_FALSE(tensor.is_valid(1));
  const Tensor tail = tensor.SliceRows(7, 10);
  EXPECT_TRUE(tail.is_valid(0));
  EXPECT_FALSE(tail.is_valid(1));
  EXPECT_TRUE(tail.is_valid(2));
  EXPECT_EQ(tail.validity().bits().data(), tensor.validity().bits().data());
  EXPECT_TRUE(tail.spec().nullable());
}

TEST(Tensor, WithoutValidityEveryElementIsPresent) {
  const Tensor tensor = Tensor::FromVector(std::vector<int32_t>{1});
  EXPECT_FALSE(tensor.nullable());
  EXPECT_TRUE(tensor.is_valid(0));
}

TEST(Tensor, EmptyTensorsSlice) {
  const Tensor empty = Tensor::FromVector(std::vector<double>{});
  EXPECT_EQ(empty.SliceRows(0, 0), empty);
  const Tensor no_columns = Tensor::FromBuffer(Buffer<int32_t>::FromVector({}), Shape({3, 0}));
  EXPECT_EQ(no_columns.SliceRows(1, 3).shape(), Shape({2, 0}));
  EXPECT_EQ(Tensor::FromVector(std::vector<std::string>{}).SliceRows(0, 0).size_elements(), 0);
}

TEST(Tensor, EqualityIgnoresWhatAbsentElementsHold) {
  EXPECT_EQ(NullableVector<int32_t>({1, 2}, {true, false}), NullableVector<int32_t>({1, 9}, {true, false}));
  EXPECT_FALSE(NullableVector<int32_t>({1, 2}, {true, false}) == NullableVector<int32_t>({1, 2}, {true, true}));
  EXPECT_EQ(NullableVector<int32_t>({1, 2}, {true, true}), Tensor::FromVector(std::vector<int32_t>{1, 2}));
}

TEST(Tensor, EqualityTellsDtypesAndShapesApart) {
  const auto buffer = Buffer<int64_t>::FromVector({1, 2});
  EXPECT_FALSE(Tensor::FromBuffer(buffer) == Tensor::FromBuffer(buffer, DType::kDurationNs));
  EXPECT_FALSE(Tensor::FromBuffer(buffer) == Tensor::FromBuffer(buffer, Shape({2, 1})));
  EXPECT_FALSE(Tensor::FromVector({"a"}) == Tensor::FromVector({"a"}, DType::kBytes));
  EXPECT_EQ(Tensor::FromVector({"a", "b"}).SliceRows(1, 2), Tensor::FromVector({"b"}));
}

TEST(Tensor, ReshapeSharesTheMemory) {
  const Tensor vector = Tensor::FromVector(std::vector<int32_t>{1, 2, 3, 4});
  const Tensor matrix = vector.Reshape(Shape({2, 2}));
  EXPECT_EQ(matrix.values<int32_t>().data(), vector.values<int32_t>().data());
  EXPECT_THAT(matrix.Row(1).values<int32_t>(), ElementsAre(3, 4));
}

// [[1, 2, 3], [4, 5, 6]]
Tensor Matrix() { return Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({2, 3})); }

TEST(TensorView, SlicesAnyAxisWithAnyStep) {
  const Tensor columns = Matrix().SliceAxis(1, 2, 2, -2);
  EXPECT_EQ(columns.shape(), Shape({2, 2}));
  EXPECT_FALSE(columns.is_contiguous());
  EXPECT_THAT(columns.strides(), ElementsAre(3, -2));
  EXPECT_THAT(columns.values<int32_t>(), ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(Matrix().SliceAxis(0, 1, 2, -1).values<int32_t>(), ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(TensorView, OfAViewLooksIntoTheSameTensor) {
  const Tensor reversed = Matrix().SliceAxis(1, 2, 3, -1);
  EXPECT_THAT(reversed.SliceAxis(1, 1, 2, 1).values<int32_t>(), ElementsAre(2, 1, 5, 4));
  EXPECT_THAT(reversed.SelectAxis(1, 0).values<int32_t>(), ElementsAre(3, 6));
  EXPECT_THAT(reversed.SliceRows(1, 2).values<int32_t>(), ElementsAre(6, 5, 4));
  EXPECT_THAT(reversed.Row(1).values<int32_t>(), ElementsAre(6, 5, 4));
  const Tensor matrix = Matrix();
  const Tensor back = matrix.SliceAxis(1, 2, 3, -1).SliceAxis(1, 2, 3, -1);
  EXPECT_TRUE(back.is_contiguous());
  EXPECT_EQ(back.values<int32_t>().data(), matrix.values<int32_t>().data());
}

TEST(TensorView, WithoutGapsIsContiguousAndShares) {
  const Tensor matrix = Matrix();
  const Tensor row = matrix.SelectAxis(0, 1);
  EXPECT_TRUE(row.is_contiguous());
  EXPECT_EQ(row.values<int32_t>().data(), matrix.values<int32_t>().data() + 3);
  EXPECT_TRUE(matrix.View(0, Shape({2, 1, 3}), {3, 0, 1})->is_contiguous());
}

TEST(TensorView, BroadcastsWithStrideZero) {
  const Tensor rows = *Tensor::FromVector(std::vector<int32_t>{1, 2}).View(0, Shape({3, 2}), {0, 1});
  EXPECT_THAT(rows.values<int32_t>(), ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_THAT(rows.Reshape(Shape({2, 3})).Row(1).values<int32_t>(), ElementsAre(2, 1, 2));
}

TEST(TensorView, IsRefusedWhereItCouldNotBeRead) {
  const auto code = [](const Tensor& tensor, const Shape& shape, const Tensor::Strides& strides) {
    return tensor.View(0, shape, strides).status().code();
  };
  const Tensor one = Tensor::FromVector(std::vector<int32_t>{7});
  EXPECT_EQ(code(one, Shape({int64_t{1} << 40, int64_t{1} << 20}), {0, 0}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(one, Shape({int64_t{1} << 40, int64_t{1} << 40}), {0, 0}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tensor::FromVector({std::string(1 << 20, 'x')}), Shape({1 << 12}), {0}), absl::StatusCode::kResourceExhausted);
  // No more elements than the tensor has, but all of them the long one.
  std::vector<std::string> one_long(1 << 12);
  one_long[0] = std::string(1 << 20, 'x');
  EXPECT_EQ(code(Tensor::FromVector(one_long), Shape({1 << 12}), {0}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(Tensor::FromVector({"", "x"}), Shape({1 << 12, 2}), {0, 1}), absl::StatusCode::kOk);
  EXPECT_EQ(code(one.View(0, Shape({2}), {0}).value(), Shape({int64_t{1} << 60}), {0}), absl::StatusCode::kResourceExhausted);
}

TEST(TensorView, StaysWithinTheTensor) {
  const auto code = [](int64_t first, const Shape& shape, const Tensor::Strides& strides) {
    return Matrix().View(first, shape, strides).status().code();
  };
  EXPECT_EQ(code(5, Shape({6}), {-1}), absl::StatusCode::kOk);
  EXPECT_EQ(code(4, Shape({6}), {-1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(1, Shape({6}), {1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(INT64_MAX, Shape({2}), {INT64_MAX}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(0, Shape({2}), {1, 1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(0, Shape({kUnknownDimension}), {1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(-1, Shape({0}), {1}), absl::StatusCode::kOk);
}

TEST(TensorView, ExpandsAxes) {
  EXPECT_EQ(Matrix().ExpandAxis(0).shape(), Shape({1, 2, 3}));
  const Tensor columns = Matrix().SliceAxis(1, 0, 2, 2).ExpandAxis(1);
  EXPECT_EQ(columns.shape(), Shape({2, 1, 2}));
  EXPECT_THAT(columns.values<int32_t>(), ElementsAre(1, 3, 4, 6));
  EXPECT_EQ(Tensor::Scalar(int32_t{7}).ExpandAxis(0), Tensor::FromVector(std::vector<int32_t>{7}));
}

TEST(TensorView, StringsAndValidityComeAlong) {
  const Tensor strings = Tensor::FromVector({"a", "bb", "", "dddd"}).SliceAxis(0, 3, 2, -2);
  EXPECT_EQ(strings.string_at(0), "dddd");
  EXPECT_EQ(strings.string_at(1), "bb");
  EXPECT_EQ(strings, Tensor::FromVector({"dddd", "bb"}));
  const Tensor nullable = NullableVector<int32_t>({1, 2, 3, 4}, {true, false, true, true}).SliceAxis(0, 3, 4, -1);
  EXPECT_TRUE(nullable.nullable());
  EXPECT_TRUE(nullable.is_valid(1));
  EXPECT_FALSE(nullable.is_valid(2));
}

TEST(TensorView, OfNothingKeepsDtypeAndNullability) {
  const Tensor nothing = NullableVector<int32_t>({1, 2}, {true, false}).SliceAxis(0, 0, 0, 2);
  EXPECT_EQ(nothing.shape(), Shape({0}));
  EXPECT_TRUE(nothing.nullable());
  EXPECT_EQ(Tensor::FromVector({"a", "b"}).View(0, Shape({2, 0}), {1, 1})->size_elements(), 0);
}

TEST(TensorView, ContiguousCopiesOnceAndOnlyViews) {
  const Tensor matrix = Matrix();
  EXPECT_EQ(matrix.Contiguous().values<int32_t>().data(), matrix.values<int32_t>().data());
  const Tensor columns = matrix.SliceAxis(1, 0, 2, 1);
  EXPECT_TRUE(columns.Contiguous().is_contiguous());
  EXPECT_EQ(columns.Contiguous().values<int32_t>().data(), columns.values<int32_t>().data());
  EXPECT_EQ(columns.Contiguous(), columns);
}

TEST(Tensor, EmptyOfEveryDtype) {
  for (const DType dtype : {DType::kBool, DType::kFloat16, DType::kBfloat16, DType::kString, DType::kTimestampNs}) {
    EXPECT_EQ(Tensor::Empty(Shape({0, 2}), dtype).dtype(), dtype);
    EXPECT_EQ(Tensor::Empty(Shape({0, 2}), dtype).shape(), Shape({0, 2}));
  }
}

}  // namespace
}  // namespace structtensor
