// Converts between the fields that callers see, which start with the axes of the struct, and the flat fields that structs
// store.
//
//   rows [{docs: [{t: 1}, {t: 2}]}, {docs: [{t: 3}]}]      t, wrapped: [[1, 2], [3]]      outer axes: row_splits 0 2 3
//                                                          t, flat:    [1, 2, 3]
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_OUTER_AXES_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_OUTER_AXES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::struct_ops_internal {

// The axes before the flat rows of a struct, from the root on. If the root is a scalar, its flat fields have one row: the axes
// then begin with an axis of size 1 that callers do not see.
class OuterAxes {
 public:
  // The axes of a value that is not part of another value.
  explicit OuterAxes(const StructuredTensor& root);

  // Goes into a struct that is a field: its flat rows are grouped by its own partitions. Requires: `nested` has as many rows
  // as the struct so far has flat rows.
  void Enter(const StructuredTensor& nested);

  // How many axes callers see.
  int rank() const { return static_cast<int>(partitions_.size()) + (scalar_ ? 0 : 1); }
  int64_t flat_nrows() const { return flat_nrows_; }

  // The field as callers see it. Requires: flat.rank() >= 1, flat.nrows() == flat_nrows(). Cost: O(rank), no data is copied.
  Value Wrap(Value flat) const;

  // The field as it is stored. No data is copied, except that a strided view of more than these axes is made contiguous.
  // `where` is the field's path, for messages.
  // Errors: InvalidArgument if the value has too few axes, or its axes differ from these (the message names the axis and the
  //   first row that differs); Unimplemented if the value is of an extension type whose axes cannot be separated.
  // Cost: O(rank) if the value shares these partitions, as values derived from other fields do; else O(rows).
  absl::StatusOr<Value> Unwrap(const Value& wrapped, std::string_view where) const;

 private:
  bool scalar_;
  int64_t flat_nrows_;
  std::vector<RowPartition> partitions_;  // outermost first
};

// A value without its outermost axis: row i of the value is rows partition.row(i) of `inner`.
struct Peeled {
  RowPartition partition;
  Value inner;
};

// Removes the outermost axis. Requires: value.rank() >= 2 and it is not of an extension type. No data is copied, except that a
// strided view is made contiguous.
Peeled PeelOuterAxis(const Value& value);

}  // namespace structtensor::struct_ops_internal

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_OUTER_AXES_H_
