// Shared code of reductions and running sums: which elements of a value are reduced together.
//
//   along axis 0 of [[1, 2], [], [3]]   1 and 3, 2          the elements at the same place of all rows
//   along axis 1                        1 and 2, none, 3    the elements of each row
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::math_internal {

// The elements of a value as an array [rows][kept][reduced] in this order. Row i belongs to segment s(i); elements [i][k][*] of
// all rows of segment s make element s * kept + k of the result. Segments follow from the row partitions; no data is moved.
class ReductionPlan {
 public:
  // Plans a reduction along `axes`; negative ones count from the end. If ragged axes follow a reduced
  // axis, the result has at each place the length of the longest row that is reduced there.
  // Errors: InvalidArgument if the value is a struct or of an extension type, there is no such axis, or an axis is given twice;
  //   ResourceExhausted if the result cannot be counted or there is no memory. Messages begin with `op`.
  // Cost: O(rows of the partitions from the first reduced axis on); a copy of the elements if dense axes are reduced both
  //   before and after other axes.
  static absl::StatusOr<ReductionPlan> Make(std::string_view op, const Value& value, const Axes& axes);

  // The elements, contiguous in the order above. A plan for one axis keeps the order of the value.
  const Tensor& elements() const { return elements_; }
  int64_t num_rows() const { return num_rows_; }
  int64_t kept() const { return kept_; }
  int64_t reduced() const { return reduced_; }
  int64_t num_segments() const { return num_segments_; }
  // The number of elements of the result.
  int64_t num_results() const { return num_segments_ * kept_; }

  // Whether the rows of each segment are adjacent, in the order of segments. If so, segments() has the rows of each segment;
  // else segment_of_rows() has the segment of each row.
  bool is_contiguous() const { return segments_.has_value(); }
  const RowPartition& segments() const { return *segments_; }
  std::span<const int64_t> segment_of_rows() const { return segment_of_rows_.span(); }

  // How many elements each result has. Cost: O(elements) if some may be absent, else O(rows).
  absl::StatusOr<Buffer<int64_t>> Counts() const;

  // Gives the results their shape: the shape of the value without the reduced axes, or with axes of size 1 in their place.
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

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_REDUCTION_PLAN_H_
