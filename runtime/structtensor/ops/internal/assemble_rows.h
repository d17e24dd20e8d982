// Rows out of several values, in any order: what concat, stack and where have in common.
#ifndef STRUCTTENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_
#define STRUCTTENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_

#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/internal/row_pieces.h"
#include "structtensor/tensor/value.h"

namespace structtensor::ops_internal {

// What to do about dense values whose inner dimensions differ.
enum class UnequalShapes : bool {
  kRefuse,      // an error, as for any two arrays
  kMakeRagged,  // they become ragged in those dimensions
};

// Returns the rows of `values` that `pieces` name, one after the other. All values count for what the result is, also those
// that no piece is taken from. Dense and ragged values of the same rank become ragged.
// Shapes: values of equal rank >= 1, as many as piece.source may name; the result has pieces.nrows() rows.
// Errors: InvalidArgument if there are no values, or they differ in rank, dtype, the names of their fields (whose order is that
//   of the first value), the kind of structs, or, for kRefuse, in the inner dimensions of dense values; the message has the
//   field's path. ResourceExhausted if strings exceed 2 GiB, values cannot be counted, or there is no memory. Of extension
//   types, whose components are assembled: also what FromComponents() of the type refuses.
// Requires: pieces lie within the rows of their source. Cost: O(result), each partition and each leaf in one pass; a single
//   piece is a slice and shares memory.
absl::StatusOr<Value> AssembleRows(std::span<const Value> values, const tensor_internal::RowPieces& pieces,
                                   UnequalShapes unequal_shapes = UnequalShapes::kRefuse);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_OPS_INTERNAL_ASSEMBLE_ROWS_H_
