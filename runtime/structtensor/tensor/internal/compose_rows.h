// Values of extension types out of rows of their components: the one place that decides whether the type itself can hold them.
#ifndef STRUCTTENSOR_TENSOR_INTERNAL_COMPOSE_ROWS_H_
#define STRUCTTENSOR_TENSOR_INTERNAL_COMPOSE_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/nest.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::tensor_internal {

// The value of `spec` made of these components, if its type makes one that has that rank and that many rows (nrows does not
// count for rank 0); else ExtensionRows of them. Requires: spec is of an extension type; the components have `rank` axes in
// common.
Value ComposeRows(const TypeSpec& spec, Nest<Value> components, int rank, int64_t nrows);

// The value of rank one higher whose only row is `value`, sharing memory. Values of extension types that have no rows become
// ExtensionRows. Errors: Unimplemented if the value, or a component of it, is of an extension type without components.
absl::StatusOr<Value> AsOneRow(const Value& value);

// A value without its outer axes: row i of axis k consists of rows partitions[k].row(i) of the next one, in the end of `inner`.
struct InnerRows {
  std::vector<RowPartition> partitions;
  Value inner;
};

// The value with `count` partitions taken off, so that its axes 0 to `count` are one. Of an extension type, whose components
// all have these axes: what the type makes of the inner components, or ExtensionRows.
// Requires: 0 <= count < value.rank().
// Errors: Unimplemented if the value is of an extension type that says itself what its rows are (RowRule::kOwnRows), or whose
//   spec has no rows of its own.
absl::StatusOr<InnerRows> TakeOffAxes(const Value& value, int count);

}  // namespace structtensor::tensor_internal

#endif  // STRUCTTENSOR_TENSOR_INTERNAL_COMPOSE_ROWS_H_
