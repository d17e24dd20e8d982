// Rows of several values, in any order: shared by concat, stack and where.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_

#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/shared/row_pieces.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// Returns the rows of `values` that `pieces` name, one after the other. All values determine the type of the result, even
// values that no piece is taken from. A mix of dense and ragged values becomes ragged, and so do dense
// values in the inner dimensions that differ.
// Shapes: values of equal rank >= 1, one for each number that piece.source may have; the result has pieces.nrows() rows.
// Errors: InvalidArgument if there are no values, or they differ in rank, dtype, field names (the first value sets their
//   order) or the kind of structs; the message has the field's path.
//   ResourceExhausted if strings exceed 2 GiB, values cannot be counted, or there is no memory. For extension types, whose
//   components are assembled: also the errors of the type's FromComponents().
// Requires: pieces are within the rows of their source. Cost: O(result), each partition and each leaf in one pass; a single
//   piece is a slice and shares memory.
absl::StatusOr<Value> AssembleRows(std::span<const Value> values, const values_internal::RowPieces& pieces);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_
