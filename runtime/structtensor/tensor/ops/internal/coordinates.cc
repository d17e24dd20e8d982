#include "structtensor/tensor/ops/internal/coordinates.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/shared/row_reader.h"

namespace structtensor::ops_internal {
namespace {

// Writes one column of coordinates after the other, from the innermost axis to the outermost one. At first `rows` are the
// numbers of the elements. Each step replaces them by the rows that they are in.
class CoordinateWriter {
 public:
  CoordinateWriter(std::span<int64_t> rows, int rank, int64_t* coordinates) : rows_(rows), rank_(rank), out_(coordinates) {}

  void WriteDense(int axis, int64_t size) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      At(i, axis) = rows_[i] % size;
      rows_[i] /= size;
    }
  }

  // The numbers ascend, and so do the rows that they are in. So one walk along the partition finds all rows.
  void WriteRagged(int axis, const RowPartition& partition) {
    const RowReader reader(partition);
    int64_t row = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      while (reader.row(row).end <= rows_[i]) ++row;
      At(i, axis) = rows_[i] - reader.row(row).begin;
      rows_[i] = row;
    }
  }

  void WriteOutermost() {
    for (size_t i = 0; i < rows_.size(); ++i) At(i, 0) = rows_[i];
  }

 private:
  int64_t& At(size_t i, int axis) { return out_[i * static_cast<size_t>(rank_) + static_cast<size_t>(axis)]; }

  std::span<int64_t> rows_;
  int rank_;
  int64_t* out_;
};

absl::StatusOr<Tensor> Write(const Value& value, NewBuffer<int64_t> elements) {
  const int rank = value.rank();
  const int64_t count = static_cast<int64_t>(elements.size_elements());
  int64_t size_elements = 0;
  if (__builtin_mul_overflow(count, int64_t{rank}, &size_elements)) {
    return absl::ResourceExhaustedError(absl::StrCat("the coordinates of ", count, " elements are more than int64 can count"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> coordinates, NewBuffer<int64_t>::Allocate(size_elements));
  CoordinateWriter writer({elements.data(), elements.size_elements()}, rank, coordinates.data());
  const int ragged_rank = value.ragged() == nullptr ? 0 : value.ragged()->ragged_rank();
  const Shape shape = value.ragged() == nullptr ? value.shape() : value.ragged()->flat_values().shape();
  for (int axis = rank - 1; axis > ragged_rank; --axis) writer.WriteDense(axis, shape[axis - ragged_rank]);
  for (int axis = ragged_rank; axis > 0; --axis) writer.WriteRagged(axis, value.ragged()->row_partition(axis - 1));
  if (rank > 0) writer.WriteOutermost();
  return Tensor::FromBuffer(std::move(coordinates).Finish(), Shape({count, rank}));
}

}  // namespace

absl::StatusOr<Tensor> CoordinatesOf(const Value& value, std::span<const int64_t> elements) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> copy, NewBuffer<int64_t>::Allocate(static_cast<int64_t>(elements.size())));
  for (size_t i = 0; i < elements.size(); ++i) copy.data()[i] = elements[i];
  return Write(value, std::move(copy));
}

absl::StatusOr<Tensor> Coordinates(const Value& value) {
  const Tensor& flat = value.ragged() == nullptr ? *value.tensor() : value.ragged()->flat_values();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> all, NewBuffer<int64_t>::Allocate(flat.size_elements()));
  for (int64_t i = 0; i < flat.size_elements(); ++i) all.data()[i] = i;
  return Write(value, std::move(all));
}

}  // namespace structtensor::ops_internal
