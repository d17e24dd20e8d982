// What reductions and running sums have in common: which elements of a value come together.
//
//   along axis 0 of [[1, 2], [], [3]]   1 and 3, 2          the elements at the same place of all rows
//   along axis 1                        1 and 2, none, 3    those of each row
#ifndef STRUCTTENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_
#define STRUCTTENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/base/buffer.h"
#include "structtensor/ops/internal/row_reader.h"
#include "structtensor/tensor/row_partition.h"
#include "structtensor/tensor/tensor.h"
#include "structtensor/tensor/value.h"

namespace structtensor::math_internal {

// The elements of a value as an array [rows][kept][reduced] in this order. Row i belongs to segment s(i); elements [i][k][*] of
// all rows of segment s make element s * kept + k of the result. Row partitions decide the segments; no data is moved for that.
class ReductionPlan {
 public:
  // Along those axes; negative ones count from the end; nothing means all of them. An inner axis that has ragged ones behind it
  // becomes the longest of what comes together at each place.
  // Errors: InvalidArgument if the value is a struct or of an extension type, there is no such axis, or one comes twice;
  //   ResourceExhausted if the result cannot be counted or there is no memory. Messages begin with `op`.
  // Cost: O(rows of the partitions from the first reduced axis on); a copy of the elements if dense axes are reduced in front
  //   of and behind others.
  static absl::StatusOr<ReductionPlan> Make(std::string_view op, const Value& value,
                                            const std::optional<std::vector<int64_t>>& axes);

  // The elements, contiguous in the order above. Of a plan for one axis, that is the order of the value.
  const Tensor& elements() const { return elements_; }
  int64_t num_rows() const { return num_rows_; }
  int64_t kept() const { return kept_; }
  int64_t reduced() const { return reduced_; }
  int64_t num_segments() const { return num_segments_; }
  // Of the result.
  int64_t num_results() const { return num_segments_ * kept_; }

  // Whether the rows of each segment lie together, in the order of segments. If so, rows(s) are those of segment s; else
  // segment_of(i) is the one of row i.
  bool is_contiguous() const { return segments_.has_value(); }
  const RowPartition& segments() const { return *segments_; }
  std::span<const int64_t> segment_of_rows() const { return segment_of_rows_.span(); }

  // How many elements each result has. Cost: O(elements) if some may be absent, else O(rows).
  absl::StatusOr<Buffer<int64_t>> Counts() const;

  // Gives the results their shape: that of the value without the reduced axes, or with axes of size 1 in their place.
  // Requires: results have rank 1 and num_results() elements.
  absl::StatusOr<Value> Finish(const Tensor& results, bool keep_dims) const;

 private:
  explicit ReductionPlan(Tensor elements) : elements_(std::move(elements)) {}
  absl::Status PlanDense(const Tensor& flat, const std::vector<bool>& reduced_dims);
  absl::Status PlanRagged(const RaggedTensor& ragged);

  Tensor elements_;
  int64_t num_rows_ = 0;
  int64_t kept_ = 1;
  int64_t reduced_ = 1;
  int64_t num_segments_ = 0;
  std::optional<RowPartition> segments_;
  Buffer<int64_t> segment_of_rows_;

  std::vector<bool> is_reduced_;  // one for each axis of the value
  std::vector<RowPartition> result_partitions_;
  Shape result_inner_shape_;
};

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_
