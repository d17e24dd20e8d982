// Values of extension types from rows of their components. Only this code decides whether the type itself can hold the rows.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_COMPOSE_ROWS_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_COMPOSE_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// Returns the value of `spec` with these components, if its type makes one with that rank and that many rows (nrows does not
// count for rank 0). Else returns ExtensionRows of them. Requires: spec is of an extension type; the components have `rank`
// axes in common.
Value ComposeRows(const TypeSpec& spec, Nest<Value> components, int rank, int64_t nrows);

// Returns the value with one more axis, whose only row is `value`, sharing memory. Values of extension types that have no rows
// become ExtensionRows. Errors: Unimplemented if the value, or a component of it, is of an extension type without components.
absl::StatusOr<Value> AsOneRow(const Value& value);

// A value without its outer axes. Row i of axis k is rows partitions[k].row(i) of the next axis; after the last axis, of
// `inner`.
struct InnerRows {
  std::vector<RowPartition> partitions;
  Value inner;
};

// Takes `count` partitions off, so that axes 0 to `count` become one. For an extension type whose components all have these
// axes, `inner` is what the type makes of the inner components, or ExtensionRows.
// Requires: 0 <= count < value.rank().
// Errors: Unimplemented if the value is of an extension type that defines its own rows (RowRule::kOwnRows), or whose spec has
//   no rows of its own.
absl::StatusOr<InnerRows> TakeOffAxes(const Value& value, int count);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_COMPOSE_ROWS_H_
