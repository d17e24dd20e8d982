// Between what callers see, fields with the shape of the struct in front, and what structs store, flat fields.
//
//   rows [{docs: [{t: 1}, {t: 2}]}, {docs: [{t: 3}]}]      t, wrapped: [[1, 2], [3]]      outer axes: row_splits 0 2 3
//                                                          t, flat:    [1, 2, 3]
#ifndef STRUCTTENSOR_PATH_INTERNAL_OUTER_AXES_H_
#define STRUCTTENSOR_PATH_INTERNAL_OUTER_AXES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

namespace structtensor::path_internal {

// The axes in front of the flat rows of a struct, from the root on. Those of a scalar root, whose flat fields have one row,
// begin with an axis of size 1 that callers do not see.
class OuterAxes {
 public:
  // Those of a value that is no part of another.
  explicit OuterAxes(const StructuredTensor& root);

  // Goes into a struct that is a field: its flat rows are grouped by its own partitions. Requires: `nested` has as many rows
  // as the struct so far has flat rows.
  void Enter(const StructuredTensor& nested);

  // How many axes callers see.
  int rank() const { return static_cast<int>(partitions_.size()) + (scalar_ ? 0 : 1); }
  int64_t flat_nrows() const { return flat_nrows_; }

  // The field as callers see it. Requires: flat.rank() >= 1, flat.nrows() == flat_nrows(). Cost: O(rank), no data is copied.
  Value Wrap(Value flat) const;

  // The field as it is stored. No data is copied, but a strided view of more than these axes is made contiguous. `where` is
  // the field's path, for messages.
  // Errors: InvalidArgument if the value has fewer axes than these, or they differ (the message names the axis and the first
  //   row that differs); Unimplemented if the value is of an extension type whose axes cannot be told apart.
  // Cost: O(rank) if the value's partitions are these, as those of values derived from other fields are; else O(rows).
  absl::StatusOr<Value> Unwrap(const Value& wrapped, std::string_view where) const;

 private:
  bool scalar_;
  int64_t flat_nrows_;
  std::vector<RowPartition> partitions_;  // outermost first
};

// Values under one more axis than they show: row i of the whole is rows partition.row(i) of `inner`.
struct Peeled {
  RowPartition partition;
  Value inner;
};

// Takes the outermost axis off. Requires: value.rank() >= 2 and it is no extension type. No data is copied, but a strided view
// is made contiguous.
Peeled PeelOuterAxis(const Value& value);

}  // namespace structtensor::path_internal

#endif  // STRUCTTENSOR_PATH_INTERNAL_OUTER_AXES_H_
