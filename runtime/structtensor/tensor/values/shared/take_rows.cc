#include "structtensor/tensor/values/shared/take_rows.h"

#include <cassert>
#include <utility>
#include <vector>

#include "structtensor/core/base/shared/status.h"

namespace structtensor::values_internal {
namespace {

// The rows to take of a value and of all its fields: single rows or pieces. Both know how many rows they have, and how to copy.
class Rows {
 public:
  explicit Rows(std::span<const int64_t> rows) : rows_(rows) {}

  int64_t nrows() const { return static_cast<int64_t>(rows_.size()); }
  absl::StatusOr<Tensor> Copy(const Tensor& tensor) const { return CopyRows(tensor, rows_); }
  absl::StatusOr<RowPartition> Copy(const RowPartition& partition, RowPieces& values) const {
    return CopyRows(partition, rows_, values);
  }
  absl::StatusOr<Validity> Copy(const Validity& validity) const { return CopyRows(validity, rows_); }
  absl::StatusOr<Value> Copy(const ExtensionType& value) const { return value.TakeRows(rows_); }

 private:
  std::span<const int64_t> rows_;
};

class Pieces {
 public:
  explicit Pieces(const RowPieces& pieces) : pieces_(pieces) {}

  int64_t nrows() const { return pieces_.nrows(); }
  absl::StatusOr<Tensor> Copy(const Tensor& tensor) const { return CopyPieces(std::span(&tensor, 1), pieces_); }
  absl::StatusOr<RowPartition> Copy(const RowPartition& partition, RowPieces& values) const {
    return CopyPieces(std::span(&partition, 1), pieces_, values);
  }
  absl::StatusOr<Validity> Copy(const Validity& validity) const { return CopyPieces(std::span(&validity, 1), pieces_); }
  absl::StatusOr<Value> Copy(const ExtensionType& value) const {
    const std::span<const RowPiece> pieces = pieces_.span();
    if (pieces.empty()) return value.SliceRows(0, 0);
    if (pieces.size() == 1) return value.SliceRows(pieces.front().begin, pieces.front().end);
    std::vector<int64_t> rows;
    rows.reserve(static_cast<size_t>(pieces_.nrows()));
    for (const RowPiece& piece : pieces) {
      for (int64_t row = piece.begin; row < piece.end; ++row) rows.push_back(row);
    }
    return value.TakeRows(rows);
  }

 private:
  const RowPieces& pieces_;
};

// Takes rows of a stack of partitions, outermost first. `values` receives the pieces of the values that the innermost partition
// groups.
// Requires: partitions is not empty.
template <typename Selection>
absl::StatusOr<std::vector<RowPartition>> TakePartitions(const std::vector<RowPartition>& partitions,
                                                         const Selection& selection, RowPieces& values) {
  std::vector<RowPartition> taken;
  taken.reserve(partitions.size());
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition outermost, selection.Copy(partitions.front(), values));
  taken.push_back(std::move(outermost));
  for (size_t i = 1; i < partitions.size(); ++i) {
    RowPieces next;
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition copy, CopyPieces(std::span(&partitions[i], 1), values, next));
    taken.push_back(std::move(copy));
    values = std::move(next);
  }
  return taken;
}

template <typename Selection>
absl::StatusOr<Value> Take(const Value& value, const Selection& selection);

template <typename Selection>
absl::StatusOr<Value> Take(const RaggedTensor& ragged, const Selection& selection) {
  RowPieces values;
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                                TakePartitions(ragged.row_partitions(), selection, values));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor flat_values, CopyPieces(std::span(&ragged.flat_values(), 1), values));
  return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), std::move(flat_values));
}

// The flat rows that `selection` selects, with `partitions`.
template <typename Selection>
absl::StatusOr<Value> TakeFlat(const StructuredTensor& structs, std::vector<RowPartition> partitions,
                               const Selection& selection) {
  std::vector<Value> fields;
  fields.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, Take(structs.flat_field(i), selection));
    fields.push_back(field);
  }
  Validity validity;
  if (structs.nullable()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(validity, selection.Copy(structs.validity()));
  }
  return structs.WithFlatRows(std::move(partitions), selection.nrows(), std::move(fields), std::move(validity));
}

template <typename Selection>
absl::StatusOr<Value> Take(const StructuredTensor& structs, const Selection& selection) {
  if (structs.row_partitions().empty()) return TakeFlat(structs, {}, selection);
  RowPieces values;
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                                TakePartitions(structs.row_partitions(), selection, values));
  return TakeFlat(structs, std::move(partitions), Pieces(values));
}

template <typename Selection>
absl::StatusOr<Value> Take(const Value& value, const Selection& selection) {
  if (value.tensor() != nullptr) return selection.Copy(*value.tensor());
  if (value.ragged() != nullptr) return Take(*value.ragged(), selection);
  if (value.structured() != nullptr) return Take(*value.structured(), selection);
  return selection.Copy(*value.extension());
}

}  // namespace

Value TakeRows(const Value& value, std::span<const int64_t> rows) {
  absl::StatusOr<Value> taken = TakeRowsChecked(value, rows);
  assert(taken.ok());
  return *std::move(taken);
}

bool IsRun(std::span<const int64_t> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

absl::StatusOr<Value> TakeRowsChecked(const Value& value, std::span<const int64_t> rows) {
  assert(value.rank() >= 1);
  if (rows.empty()) return value.SliceRows(0, 0);
  if (IsRun(rows)) return value.SliceRows(rows.front(), rows.back() + 1);
  return Take(value, Rows(rows));
}

absl::StatusOr<Value> TakePieces(const Value& value, const RowPieces& pieces) {
  assert(value.rank() >= 1);
  if (pieces.span().empty()) return value.SliceRows(0, 0);
  if (pieces.span().size() == 1) return value.SliceRows(pieces.span().front().begin, pieces.span().front().end);
  return Take(value, Pieces(pieces));
}

}  // namespace structtensor::values_internal
