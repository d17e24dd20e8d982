// Operations on values of any kind.
//
// This folder may include runtime/tensor and what runtime/tensor includes. It has one file per operation, and files that many
// operations share: visit_leaves.h for the dense data inside a value, axis_stack.h for its axes, select_rows.h and
// assemble_rows.h for its rows.
#ifndef STRUCTTENSOR_OPS_INTERNAL_VISIT_LEAVES_H_
#define STRUCTTENSOR_OPS_INTERNAL_VISIT_LEAVES_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/ops/internal/field_path.h"
#include "structtensor/tensor/value.h"

namespace structtensor::ops_internal {

// Calls visit(path, leaf) for each dense tensor that `value` is made of, in field order: a tensor itself, the flat values of a
// ragged tensor, and the leaves of the flat fields of structs. Extension types have no leaves of their own and are skipped.
// Errors: the first one that `visit` returns. Cost: O(number of leaves).
absl::Status VisitLeaves(const Value& value, absl::FunctionRef<absl::Status(const FieldPath&, const Tensor&)> visit);

// Calls visit(path, partition) for each row partition that `value` is made of, outermost first, including the partitions of
// fields.
absl::Status VisitPartitions(const Value& value, absl::FunctionRef<absl::Status(const FieldPath&, const RowPartition&)> visit);

// Returns the value with map(path, leaf) in place of each leaf; row partitions, names and validity of structs are shared.
// Extension types stay unchanged.
// Requires: map keeps the number of rows of a leaf that is under a partition or in a struct.
// Errors: the first one that `map` returns. Cost: O(number of leaves).
absl::StatusOr<Value> MapLeaves(const Value& value,
                                absl::FunctionRef<absl::StatusOr<Tensor>(const FieldPath&, const Tensor&)> map);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_OPS_INTERNAL_VISIT_LEAVES_H_
