#include "structtensor/tensor/math/internal/reduction_plan.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor::math_internal {
namespace {

absl::StatusOr<std::vector<bool>> ResolveAxes(std::string_view op, int rank, const Axes& axes) {
  if (axes.list() == nullptr) return std::vector<bool>(static_cast<size_t>(rank), true);
  std::vector<bool> is_reduced(static_cast<size_t>(rank), false);
  for (const int64_t axis : *axes.list()) {
    const absl::StatusOr<int> resolved = ops_internal::ResolveAxis(axis, rank);
    if (!resolved.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), "(): ", resolved.status().message()));
    }
    if (is_reduced[static_cast<size_t>(*resolved)]) {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), "(): axis ", *resolved, " is given twice"));
    }
    is_reduced[static_cast<size_t>(*resolved)] = true;
  }
  return is_reduced;
}

// Checks that products of any of these dimensions can be counted. Next to an empty dimension, other dimensions may be any size.
absl::Status CheckCountable(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim != 0 && __builtin_mul_overflow(product, dim, &product)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a value of shape ", shape.DebugString(), " has too many rows to count"));
    }
  }
  return absl::OkStatus();
}

int64_t Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

// The segments that the rows of one level in a stack of partitions belong to. Levels are taken from axis 0 inwards.
class RowSegments {
 public:
  // Puts all rows in one segment, or each row in a segment of its own.
  RowSegments(int64_t nrows, bool together)
      : num_segments_(together ? 1 : nrows), state_(together ? State::kContiguous : State::kOwn) {
    if (together) splits_ = Buffer<int64_t>::FromVector({0, nrows});
  }

  // Whether each row is a segment of its own.
  bool is_own() const { return state_ == State::kOwn; }
  bool is_contiguous() const { return state_ != State::kIndexed; }
  int64_t num_segments() const { return num_segments_; }
  const Buffer<int64_t>& splits() const { return splits_; }                    // if contiguous
  const Buffer<int64_t>& segment_of_rows() const { return segment_of_rows_; }  // if not

  // Goes from the rows of `partition` to its values. Values stay in the segments of their rows.
  absl::Status Descend(const RowPartition& partition);
  // Like Descend, but values at different places of their rows go to different segments. Returns the partition in which the old
  // segments are rows and the new segments are values. Each row is as long as the longest row in its segment.
  absl::StatusOr<RowPartition> DescendByPlace(const RowPartition& partition);

 private:
  enum class State : uint8_t { kOwn, kContiguous, kIndexed };

  // Calls visit(segment, row) for each row.
  template <typename Visit>
  void ForEachRow(int64_t nrows, Visit visit) const;
  absl::StatusOr<RowPartition> PlacesOfSegments(const RowPartition& partition) const;

  int64_t num_segments_;
  State state_;
  Buffer<int64_t> splits_;           // of segments: where each begins and ends, in rows
  Buffer<int64_t> segment_of_rows_;  // if indexed
};

template <typename Visit>
void RowSegments::ForEachRow(int64_t nrows, Visit visit) const {
  if (state_ == State::kOwn) {
    for (int64_t row = 0; row < nrows; ++row) visit(row, row);
  } else if (state_ == State::kIndexed) {
    for (int64_t row = 0; row < nrows; ++row) visit(segment_of_rows_[static_cast<size_t>(row)], row);
  } else {
    for (int64_t segment = 0; segment < num_segments_; ++segment) {
      const size_t i = static_cast<size_t>(segment);
      for (int64_t row = splits_[i]; row < splits_[i + 1]; ++row) visit(segment, row);
    }
  }
}

absl::Status RowSegments::Descend(const RowPartition& partition) {
  const ops_internal::RowReader rows(partition);
  if (state_ == State::kOwn) {
    splits_ = partition.row_splits();
    state_ = State::kContiguous;
  } else if (state_ == State::kContiguous) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(num_segments_ + 1));
    for (size_t i = 0; i < splits_.size_elements(); ++i) {
      splits.data()[i] = splits_[i] == partition.nrows() ? partition.nvals() : rows.row(splits_[i]).begin;
    }
    splits_ = std::move(splits).Finish();
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> segments, NewBuffer<int64_t>::Allocate(partition.nvals()));
    ForEachRow(partition.nrows(), [&](int64_t segment, int64_t row) {
      const RowRange values = rows.row(row);
      std::fill(segments.data() + values.begin, segments.data() + values.end, segment);
    });
    segment_of_rows_ = std::move(segments).Finish();
  }
  return absl::OkStatus();
}

absl::StatusOr<RowPartition> RowSegments::PlacesOfSegments(const RowPartition& partition) const {
  // A uniform axis stays uniform, even if a segment has no rows.
  if (ops_internal::IsUniform(partition))
    return ops_internal::UniformPartition(*partition.uniform_row_length(), num_segments_, partition.dtype());
  const ops_internal::RowReader rows(partition);
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(num_segments_ + 1));
  std::fill_n(splits.data(), splits.size_elements(), 0);
  int64_t* const lengths = splits.data() + 1;
  ForEachRow(partition.nrows(),
             [&](int64_t segment, int64_t row) { lengths[segment] = std::max(lengths[segment], rows.row(row).size()); });
  for (int64_t segment = 1; segment < num_segments_; ++segment) lengths[segment] += lengths[segment - 1];
  const auto optional = partition.is_optional() ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  return ops_internal::CastPartition(RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish(), optional),
                                     partition.dtype());
}

absl::StatusOr<RowPartition> RowSegments::DescendByPlace(const RowPartition& partition) {
  if (state_ == State::kOwn) {
    num_segments_ = partition.nvals();
    return partition;
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition places, PlacesOfSegments(partition));
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> segments, NewBuffer<int64_t>::Allocate(partition.nvals()));
  const ops_internal::RowReader rows(partition);
  const ops_internal::RowReader place_rows(places);
  ForEachRow(partition.nrows(), [&](int64_t segment, int64_t row) {
    const RowRange values = rows.row(row);
    const int64_t first = place_rows.row(segment).begin;
    for (int64_t value = values.begin; value < values.end; ++value) segments.data()[value] = first + (value - values.begin);
  });
  segment_of_rows_ = std::move(segments).Finish();
  num_segments_ = places.nvals();
  state_ = State::kIndexed;
  return places;
}

// Returns the tensor with dimensions [first, rank) reordered: first those that are kept, then those that are reduced.
Tensor KeptBeforeReduced(const Tensor& tensor, int first, const std::vector<bool>& is_reduced) {
  std::vector<int> order;
  for (int axis = 0; axis < first; ++axis) order.push_back(axis);
  for (const bool reduced : {false, true}) {
    for (int axis = first; axis < tensor.rank(); ++axis) {
      if (is_reduced[static_cast<size_t>(axis)] == reduced) order.push_back(axis);
    }
  }
  if (std::is_sorted(order.begin(), order.end())) return tensor;
  const Tensor::Strides strides = tensor.strides();
  std::vector<int64_t> dims;
  Tensor::Strides sorted;
  for (const int axis : order) {
    dims.push_back(tensor.shape()[axis]);
    sorted.push_back(strides[static_cast<size_t>(axis)]);
  }
  return tensor.ViewUnchecked(0, Shape(std::span<const int64_t>(dims)), sorted);
}

std::vector<int64_t> KeptDims(const Shape& shape, int first, const std::vector<bool>& is_reduced) {
  std::vector<int64_t> dims;
  for (int axis = first; axis < shape.rank(); ++axis) {
    if (!is_reduced[static_cast<size_t>(axis)]) dims.push_back(shape[axis]);
  }
  return dims;
}

}  // namespace

absl::StatusOr<ReductionPlan> ReductionPlan::Make(std::string_view op, const Value& value, const Axes& axes) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor flat, FlatValues(op, value));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<bool> is_reduced, ResolveAxes(op, value.rank(), axes));
  ReductionPlan plan(flat);
  plan.is_reduced_ = std::move(is_reduced);
  absl::Status status = CheckCountable(flat.shape());
  if (status.ok()) {
    status = value.ragged() == nullptr ? plan.PlanDense(flat, plan.is_reduced_) : plan.PlanRagged(*value.ragged());
  }
  int64_t num_results = 0;
  if (status.ok() && __builtin_mul_overflow(plan.num_segments_, plan.kept_, &num_results)) {
    status = absl::ResourceExhaustedError("the result has more elements than int64 can count");
  }
  if (!status.ok()) return absl::Status(status.code(), absl::StrCat(ToAbsl(op), "(): ", status.message()));
  return plan;
}

// [kept..., reduced..., kept...] is rows of rows. Dimensions in another order are sorted first.
absl::Status ReductionPlan::PlanDense(const Tensor& flat, const std::vector<bool>& reduced_dims) {
  const Shape& shape = flat.shape();
  const auto first_reduced = std::find(reduced_dims.begin(), reduced_dims.end(), true);
  const auto next_kept = std::find(first_reduced, reduced_dims.end(), false);
  int64_t length = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (reduced_dims[static_cast<size_t>(axis)]) length *= shape[axis];
  }
  const std::vector<int64_t> kept_dims = KeptDims(shape, 0, reduced_dims);
  if (std::find(next_kept, reduced_dims.end(), true) != reduced_dims.end()) {
    elements_ = KeptBeforeReduced(flat, 0, reduced_dims);
    num_segments_ = Product(kept_dims);
  } else {
    num_segments_ = Product(shape.Outer(static_cast<int>(first_reduced - reduced_dims.begin())).dims());
    kept_ = Product(shape.DropOuter(static_cast<int>(next_kept - reduced_dims.begin())).dims());
  }
  num_rows_ = num_segments_ * length;
  STRUCTTENSOR_ASSIGN_OR_RETURN(segments_, ops_internal::UniformPartition(length, num_segments_, DType::kInt64));
  result_inner_shape_ = Shape(std::span<const int64_t>(kept_dims));
  return absl::OkStatus();
}

absl::Status ReductionPlan::PlanRagged(const RaggedTensor& ragged) {
  const Tensor& flat = ragged.flat_values();
  const int num_partitions = ragged.ragged_rank();
  // Whether each axis of the flat values is reduced. Axis 0 of these is the innermost axis that has a partition.
  const std::vector<bool> inner_reduced(is_reduced_.begin() + num_partitions, is_reduced_.end());
  if (std::none_of(is_reduced_.begin(), is_reduced_.begin() + num_partitions + 1, [](bool reduced) { return reduced; })) {
    result_partitions_ = ragged.row_partitions();
    return PlanDense(flat, inner_reduced);
  }
  bool has_axis = !is_reduced_[0];  // whether the result has an axis yet, so that further axes are rows of it
  RowSegments segments(ragged.nrows(), is_reduced_[0]);
  for (int axis = 1; axis <= num_partitions; ++axis) {
    const RowPartition& partition = ragged.row_partition(axis - 1);
    if (is_reduced_[static_cast<size_t>(axis)]) {
      STRUCTTENSOR_RETURN_IF_ERROR(segments.Descend(partition));
      continue;
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition places, segments.DescendByPlace(partition));
    if (has_axis) result_partitions_.push_back(std::move(places));
    has_axis = true;
  }
  num_segments_ = segments.num_segments();
  num_rows_ = flat.nrows();
  if (segments.is_contiguous()) {
    segments_ = RowPartition::FromRowSplitsUnchecked(segments.splits());
  } else {
    segment_of_rows_ = segments.segment_of_rows();
  }
  elements_ = KeptBeforeReduced(flat, 1, inner_reduced);
  const std::vector<int64_t> kept_dims = KeptDims(flat.shape(), 1, inner_reduced);
  kept_ = Product(kept_dims);
  for (int axis = 1; axis < flat.rank(); ++axis) {
    if (inner_reduced[static_cast<size_t>(axis)]) reduced_ *= flat.shape()[axis];
  }
  result_inner_shape_ = Shape(std::span<const int64_t>(kept_dims));
  if (has_axis) result_inner_shape_ = result_inner_shape_.Prepend(num_segments_);
  return absl::OkStatus();
}

absl::StatusOr<Buffer<int64_t>> ReductionPlan::Counts() const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> buffer, NewBuffer<int64_t>::Allocate(num_results()));
  int64_t* const counts = buffer.data();
  std::fill_n(counts, buffer.size_elements(), 0);
  const bool nullable = elements_.nullable();
  const auto count_row = [&](int64_t segment, int64_t row) {
    for (int64_t k = 0; k < kept_; ++k) {
      int64_t& count = counts[segment * kept_ + k];
      if (!nullable) {
        count += reduced_;
        continue;
      }
      const int64_t first = (row * kept_ + k) * reduced_;
      for (int64_t r = 0; r < reduced_; ++r) count += static_cast<int64_t>(elements_.is_valid(first + r));
    }
  };
  if (!is_contiguous()) {
    for (int64_t row = 0; row < num_rows_; ++row) count_row(segment_of_rows_[static_cast<size_t>(row)], row);
    return std::move(buffer).Finish();
  }
  const ops_internal::RowReader rows(*segments_);
  for (int64_t segment = 0; segment < num_segments_; ++segment) {
    const RowRange range = rows.row(segment);
    if (!nullable) {
      std::fill_n(counts + segment * kept_, kept_, range.size() * reduced_);
      continue;
    }
    for (int64_t row = range.begin; row < range.end; ++row) count_row(segment, row);
  }
  return std::move(buffer).Finish();
}

absl::StatusOr<Value> ReductionPlan::Finish(const Tensor& results, bool keep_dims) const {
  assert(results.rank() == 1 && results.nrows() == num_results());
  const Tensor flat = results.Reshape(result_inner_shape_);
  Value result = flat;
  if (!result_partitions_.empty()) result = RaggedTensor::FromRowPartitionsUnchecked(result_partitions_, flat);
  for (size_t axis = 0; keep_dims && axis < is_reduced_.size(); ++axis) {
    if (!is_reduced_[axis]) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(result, ExpandDims(result, static_cast<int64_t>(axis)));
  }
  return result;
}

}  // namespace structtensor::math_internal
