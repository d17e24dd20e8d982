// How nvals values form nrows rows.
//
//   values       a b c d e          row_splits    0 3 3 5     row_lengths  3 0 2
//   rows        [a b c] [] [d e]    value_rowids  0 0 0 2 2
//
// A partition stores the encoding it was made from. The others are computed once, at their first use, also when several threads
// ask.
#ifndef STRUCTTENSOR_TENSOR_VALUES_ROW_PARTITION_H_
#define STRUCTTENSOR_TENSOR_VALUES_ROW_PARTITION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Rows or values [begin, end).
struct RowRange {
  int64_t begin;
  int64_t end;

  int64_t size() const { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

class RowPartition {
 public:
  // Whether rows have 0 or 1 values because they are the states of an optional field. The rows are the same either way; writers
  // may show such a row as its value, or as nothing, instead of as a list.
  enum class Optional : bool { kNo = false, kYes = true };

  // How much of an encoding is checked. The caller promises the rest; a broken promise leads to reads outside the memory or to
  // wrong results.
  enum class Validate : uint8_t {
    kNone,   // only what is needed to count rows and values: the ends of row_splits
    kCheap,  // what takes O(1): sizes and ends
    kFull,   // every row
  };

  // Returns the partition whose row i is values [row_splits[i], row_splits[i + 1]).
  // Shapes: row_splits [nrows + 1].
  // Ownership: shares the buffer.
  // Errors: InvalidArgument if row_splits is empty, does not start at 0, decreases, or, for kYes, has a
  //   row of more than one value (the message names the first such row).
  // Cost: O(nrows). Source: tf.experimental.RowPartition.from_row_splits, as for the other factories.
  static absl::StatusOr<RowPartition> FromRowSplits(Buffer<int64_t> row_splits, Optional optional = Optional::kNo,
                                                    Validate validate = Validate::kFull);
  // Like FromRowSplits, with dtype() kInt32.
  static absl::StatusOr<RowPartition> FromRowSplits32(Buffer<int32_t> row_splits, Optional optional = Optional::kNo);
  // Like FromRowSplits, for row splits that are right by construction. Cost: O(1).
  static RowPartition FromRowSplitsUnchecked(Buffer<int64_t> row_splits, Optional optional = Optional::kNo);

  // Returns the partition of nrows rows in which value j belongs to row value_rowids[j].
  // Shapes: value_rowids [nvals].
  // Errors: InvalidArgument if value_rowids decreases, reaches nrows, or, for kYes, repeats a row.
  // Cost: O(nvals).
  static absl::StatusOr<RowPartition> FromValueRowids(Buffer<uint32_t> value_rowids, int64_t nrows,
                                                      Optional optional = Optional::kNo);
  static RowPartition FromValueRowidsUnchecked(Buffer<uint32_t> value_rowids, int64_t nrows, Optional optional = Optional::kNo);

  // Returns the partition from int64 ids. Default of nrows: just enough for the last value.
  // Errors: also InvalidArgument if an id is negative, and ResourceExhausted if an id does not fit in 32 bits, whatever
  //   `validate` is.
  static absl::StatusOr<RowPartition> FromValueRowids(Buffer<int64_t> value_rowids, std::optional<int64_t> nrows = std::nullopt,
                                                      Validate validate = Validate::kFull);

  // Returns the partition of nrows rows of `length` values each. Errors: InvalidArgument if an argument is negative or their
  // product exceeds int64.
  static absl::StatusOr<RowPartition> FromUniformRowLength(int64_t length, int64_t nrows, Optional optional = Optional::kNo);
  // Returns the partition for nrows, nvals, or both. Without nrows there are nvals / length rows, or none if length is 0.
  // Errors: also InvalidArgument if neither is given, or nrows * length is not nvals.
  static absl::StatusOr<RowPartition> FromUniformRowLength(int64_t length, std::optional<int64_t> nrows,
                                                           std::optional<int64_t> nvals);

  // Returns the partition whose row i has row_lengths[i] values. Errors: InvalidArgument if a length is negative, the sum
  // exceeds int64, or, for kYes, a length is more than 1. Cost: O(nrows).
  static absl::StatusOr<RowPartition> FromRowLengths(Buffer<int64_t> row_lengths, Optional optional = Optional::kNo,
                                                     Validate validate = Validate::kFull);

  // Returns the partition whose row i is values [row_starts[i], row_starts[i + 1]), the last one ending at nvals.
  // Errors: as FromRowSplits; InvalidArgument if there are values but no rows. Cost: O(nrows).
  static absl::StatusOr<RowPartition> FromRowStarts(const Buffer<int64_t>& row_starts, int64_t nvals,
                                                    Validate validate = Validate::kFull);
  // Returns the partition whose row i is values [row_limits[i - 1], row_limits[i]), the first one starting at 0.
  // Errors: as FromRowSplits. Cost: O(nrows).
  static absl::StatusOr<RowPartition> FromRowLimits(const Buffer<int64_t>& row_limits, Validate validate = Validate::kFull);

  // Returns the partition that knows more, of two with the same rows in different encodings.
  // Errors: InvalidArgument if dtypes, nrows or nvals differ, or, for kFull, a row differs (the message names the first). If
  //   rows differ, kCheap and kNone take the rows of `a`. Cost: O(nrows) for kFull, unless both share their row splits.
  // Source: RowPartition._merge_precomputed_encodings.
  static absl::StatusOr<RowPartition> Merge(const RowPartition& a, const RowPartition& b, Validate validate = Validate::kFull);

  int64_t nrows() const;
  int64_t nvals() const;
  bool is_optional() const;
  // The dtype of the row splits that people and files see: kInt64 or kInt32. This class counts in int64.
  DType dtype() const;
  // The length of every row, if the partition was made with one.
  std::optional<int64_t> uniform_row_length() const;
  bool is_uniform() const { return uniform_row_length().has_value(); }

  // The values of row i. Requires: 0 <= i < nrows(). Cost: O(1), after the first call on a partition made from value_rowids.
  RowRange row(int64_t i) const;
  int64_t row_length(int64_t i) const { return row(i).size(); }

  // The encodings. The references live as long as this partition or a copy of it. Cost: O(nrows + nvals) once, then O(1).
  const Buffer<int64_t>& row_splits() const;    // [nrows + 1], starts at 0
  const Buffer<int64_t>& row_lengths() const;   // [nrows]
  const Buffer<int64_t>& value_rowids() const;  // [nvals]
  // Writes row_splits() to the caller's memory, without keeping them. Requires: out has nrows() + 1 elements.
  void CopyRowSplits(std::span<int64_t> out) const;
  // Parts of row_splits(), sharing it.
  Buffer<int64_t> row_starts() const;  // [nrows]
  Buffer<int64_t> row_limits() const;  // [nrows]
  // [nvals]: how many values come before each value in its row. Not kept: O(nvals) each time.
  Buffer<int64_t> offsets_in_rows() const;
  const Buffer<int32_t>& row_splits32() const;  // as row_splits. Requires: nvals() fits in int32
  // Like row_splits, but counted from any number: row i is values [s[i] - s[0], s[i + 1] - s[0]). For a slice, these are row
  // splits of the partition that it was cut from. Lives as long as row_splits().
  std::span<const int64_t> unshifted_row_splits() const;

  // The same rows with another dtype(). Requires: dtype is kInt64 or, if nvals() fits in int32, kInt32. Cost: O(1).
  RowPartition WithDtype(DType dtype) const;
  // Like WithDtype, for any dtype. Errors: InvalidArgument if it is not kInt32 or kInt64, or nvals() does not fit.
  absl::StatusOr<RowPartition> Cast(DType dtype) const;
  // The same rows with another is_optional(). Cost: O(1).
  RowPartition WithOptional(Optional optional) const;

  // Rows [begin, end), sharing memory. `values`, unless null, receives which values of this partition those rows have.
  // Requires: 0 <= begin <= end <= nrows(). Cost: O(1), or O(log nvals) on a partition made from value_rowids. A slice that
  // does not start at value 0 keeps the row splits as they were; the first call of row_splits() shifts them to 0. row(i) never
  // needs that.
  RowPartition SliceRows(int64_t begin, int64_t end, RowRange* values = nullptr) const;

  RowPartitionSpec spec() const;
  // "RowPartition(nrows=3, nvals=5, row_splits=[0, 3, 3, 5])", shortened if there are many rows.
  std::string DebugString() const;

 private:
  struct Rep;
  explicit RowPartition(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

  std::shared_ptr<const Rep> rep_;
};

// Whether the rows are the same, in any encoding and dtype.
bool operator==(const RowPartition& a, const RowPartition& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_ROW_PARTITION_H_
