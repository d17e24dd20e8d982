#include "structtensor/tensor/values/shared/row_pieces.h"

#include <gtest/gtest.h>

#include "structtensor/tensor/values/text.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

values_internal::RowPieces Pieces(const std::vector<values_internal::RowPiece>& list) {
  values_internal::RowPieces pieces;
  for (const values_internal::RowPiece& piece : list) pieces.Append(piece.begin, piece.end, piece.source);
  return pieces;
}

TEST(RowPieces, NeighboursBecomeOne) {
  const values_internal::RowPieces pieces = Pieces({{0, 1, 0}, {1, 3, 0}, {3, 3, 1}, {3, 4, 1}, {4, 5, 0}});
  ASSERT_EQ(pieces.span().size(), 3u);
  EXPECT_EQ(pieces.span()[0].end, 3);
  EXPECT_EQ(pieces.nrows(), 5);
}

TEST(RowPieces, RoomThatDoesNotExist) {
  values_internal::RowPieces pieces;
  EXPECT_TRUE(pieces.TryReserveMore(100).ok());
  EXPECT_EQ(pieces.TryReserveMore(int64_t{1} << 60).code(), absl::StatusCode::kResourceExhausted);
}

TEST(CopyPieces, OfTensorsFromSeveralSources) {
  const std::vector<Tensor> sources = {Tensor::FromVector(std::vector<int32_t>{1, 2, 3}),
                                       Tensor::FromVector(std::vector<int32_t>{7, 8})};
  EXPECT_EQ(ToJson(*values_internal::CopyPieces(sources, Pieces({{1, 3, 0}, {0, 1, 1}, {0, 1, 0}}))), "[2,3,7,1]");
  const std::vector<Tensor> strings = {Tensor::FromVector({"a", "bc"}), Tensor::FromVector({"", "def"})};
  EXPECT_EQ(ToJson(*values_internal::CopyPieces(strings, Pieces({{1, 2, 1}, {0, 2, 0}}))), R"(["def","a","bc"])");
}

TEST(CopyPieces, OfValidityInUnalignedRuns) {
  const std::vector<Validity> sources = {Bits({true, false, true, true, false, true, true, true, false, true, false}, 3),
                                         Validity()};
  const Validity copy = *values_internal::CopyPieces(sources, Pieces({{2, 11, 0}, {0, 12, 1}, {0, 3, 0}}));
  const std::vector<bool> expected = {true, true, false, true, true, true, false, true, false, true, true,  true,
                                      true, true, true,  true, true, true, true,  true, true,  true, false, true};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(copy.is_valid(static_cast<int64_t>(i)), expected[i]) << i;
  EXPECT_FALSE(values_internal::CopyPieces(std::vector<Validity>{Validity()}, Pieces({{0, 1, 0}, {0, 1, 0}}))->has_bits());
}

TEST(CopyPieces, OfPartitionsGivesTheirValues) {
  const std::vector<RowPartition> sources = {Partition({0, 2, 2, 5}), RowPartition::FromUniformRowLength(2, 2).value()};
  values_internal::RowPieces values;
  const RowPartition copy = *values_internal::CopyPieces(sources, Pieces({{2, 3, 0}, {0, 2, 1}, {0, 2, 0}}), values);
  EXPECT_EQ(copy, Partition({0, 3, 5, 7, 9, 9}));
  ASSERT_EQ(values.span().size(), 3u);
  EXPECT_EQ(values.span()[0].begin, 2);
  EXPECT_EQ(values.span()[1].source, 1u);
}

TEST(CopyPieces, OfASliceCountsFromItsFirstValue) {
  const std::vector<RowPartition> sources = {Partition({0, 2, 3, 5}).SliceRows(1, 3)};
  values_internal::RowPieces values;
  EXPECT_EQ(*values_internal::CopyPieces(sources, Pieces({{1, 2, 0}, {0, 1, 0}}), values), Partition({0, 2, 3}));
  EXPECT_EQ(values.span()[0].begin, 1);
}

TEST(CopyPieces, OfUniformPartitionsStaysUniform) {
  const RowPartition pairs = RowPartition::FromUniformRowLength(2, 3).value();
  values_internal::RowPieces values;
  EXPECT_EQ(values_internal::CopyPieces(std::vector<RowPartition>{pairs, pairs}, Pieces({{1, 3, 0}, {0, 1, 1}}), values)
                ->uniform_row_length(),
            2);
  values_internal::RowPieces one;
  EXPECT_EQ(values_internal::CopyPieces(std::vector<RowPartition>{pairs, Partition({0, 1})}, Pieces({{0, 3, 0}}), one)
                ->uniform_row_length(),
            std::nullopt);
}

}  // namespace
}  // namespace structtensor
