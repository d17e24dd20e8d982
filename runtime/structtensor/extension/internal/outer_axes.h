// The axes in front of a value: those it shares with others taken away, or kept as a spec says.
#ifndef STRUCTTENSOR_EXTENSION_INTERNAL_OUTER_AXES_H_
#define STRUCTTENSOR_EXTENSION_INTERNAL_OUTER_AXES_H_

#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/row_partition.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor {

// The value without its outer axes: result.nrows() is partitions.back().nvals(), and grouping it by the partitions, outermost first,
// gives `value`. Dense axes are uniform ones. Without partitions: the value itself.
// Errors: InvalidArgument if the value has too few axes, or other rows, or is an extension type.
absl::StatusOr<Value> WithoutOuterAxes(const Value& value, std::span<const RowPartition> partitions);

// The same rows kept as `spec` says: axes become ragged where those of the spec are, and uniform where they are and rows allow it.
// Requires: value has the kind, rank and field names of the spec.
Value WithAxesOf(const TypeSpec& spec, const Value& value);

// The value of that spec without rows. Dimensions that the spec does not know are 0.
// Errors: InvalidArgument if the spec has rank 0 or an unknown one, or is a row partition; those of FromComponents() of an
//   extension type.
absl::StatusOr<Value> NoRows(const TypeSpec& spec);

}  // namespace structtensor

#endif  // STRUCTTENSOR_EXTENSION_INTERNAL_OUTER_AXES_H_
