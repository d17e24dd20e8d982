// Rows of several sources, one after the other. Taking, concatenating and selecting rows all use this.
//
//   sources  A: [a b c d]  B: [x y]      pieces  {A, 1, 3} {B, 0, 1} {A, 0, 1}      result  [b c x a]
//
// Under a row partition, a piece of rows is a piece of values. So the list never grows on its way down, and data moves in runs.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_ROW_PIECES_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_ROW_PIECES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/validity.h"

namespace structtensor::values_internal {

// Rows [begin, end) of source number `source`.
struct RowPiece {
  int64_t begin;
  int64_t end;
  uint32_t source = 0;

  int64_t size() const { return end - begin; }
};

// A list of pieces. No piece is empty, and no two neighbours could be one piece.
class RowPieces {
 public:
  // Makes room for this many pieces.
  void Reserve(size_t pieces) { pieces_.reserve(pieces); }
  // Makes room for this many more, if an argument decides the number. Errors: ResourceExhausted if there is no memory for them.
  absl::Status TryReserveMore(int64_t pieces);
  // Requires: 0 <= begin <= end; nrows() does not overflow.
  void Append(int64_t begin, int64_t end, uint32_t source = 0) {
    if (begin == end) return;
    nrows_ += end - begin;
    if (!pieces_.empty() && pieces_.back().end == begin && pieces_.back().source == source) {
      pieces_.back().end = end;
    } else {
      pieces_.push_back({begin, end, source});
    }
  }

  std::span<const RowPiece> span() const { return pieces_; }
  // How many rows the pieces have together.
  int64_t nrows() const { return nrows_; }

 private:
  std::vector<RowPiece> pieces_;
  int64_t nrows_ = 0;
};

// Requires, for all of these: the rows that `pieces` names exist in `sources`. A single piece is a slice that shares memory.

// Requires: sources are not empty, of rank >= 1, and equal in dtype and inner shape.
// Errors: ResourceExhausted if the elements cannot be counted or their strings exceed 2 GiB, or there is no memory.
// Cost: O(result), in runs of a piece; strided views are made contiguous first.
absl::StatusOr<Tensor> CopyPieces(std::span<const Tensor> sources, const RowPieces& pieces);

// Returns the partition of the rows in `pieces`; `values` receives the pieces of their values. Uniform if all sources are
// uniform with one length; optional if all sources are; dtype() is int32 if all sources have int32.
// Requires: sources are not empty. Errors: ResourceExhausted if the values cannot be counted (in int32, if that is the dtype).
// Cost: O(rows).
absl::StatusOr<RowPartition> CopyPieces(std::span<const RowPartition> sources, const RowPieces& pieces, RowPieces& values);

// Requires: sources are not empty. Without bits if no source has any.
absl::StatusOr<Validity> CopyPieces(std::span<const Validity> sources, const RowPieces& pieces);

// Like CopyPieces, for single rows of one source, in the order of `rows`. Requires: 0 <= rows[i] < number of rows.
absl::StatusOr<Tensor> CopyRows(const Tensor& tensor, std::span<const int64_t> rows);
absl::StatusOr<RowPartition> CopyRows(const RowPartition& partition, std::span<const int64_t> rows, RowPieces& values);
absl::StatusOr<Validity> CopyRows(const Validity& validity, std::span<const int64_t> rows);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_ROW_PIECES_H_
