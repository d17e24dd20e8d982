#include "structtensor/tensor/math/bincount.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/reduction_plan.h"

namespace structtensor {
namespace {

absl::Status CheckOptions(const BincountOptions& options, int rank) {
  if (options.dtype != DType::kInt32 && options.dtype != DType::kInt64) {
    return math_internal::WrongDType("Bincount", options.dtype, "counts are int32 or int64");
  }
  if (options.min_length < 0 || options.max_length.value_or(0) < 0) {
    return absl::InvalidArgumentError("Bincount(): min_length and max_length must not be negative");
  }
  if (options.by_row && (rank < 1 || rank > 2)) {
    return absl::InvalidArgumentError(absl::StrCat("Bincount(): rows of a value with ", rank,
                                                   " axes; merge its outer axes to have two, or count all together"));
  }
  return absl::OkStatus();
}

// Returns how many counts a row has.
absl::StatusOr<int64_t> NumCounts(const Tensor& elements, const BincountOptions& options) {
  const std::span<const int64_t> values = elements.values<int64_t>();
  int64_t length = options.min_length;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!elements.is_valid(static_cast<int64_t>(i))) continue;
    if (values[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Bincount(): element ", i, " is ", values[i], "; it must not be negative"));
    }
    // max_length bounds the counts: greater elements are not counted.
    const bool is_counted = !options.max_length.has_value() || values[i] < *options.max_length;
    if (is_counted && values[i] == std::numeric_limits<int64_t>::max()) {
      return absl::ResourceExhaustedError("Bincount(): the greatest element needs more counts than int64 can number");
    }
    length = std::max(length, is_counted ? values[i] + 1 : *options.max_length);
  }
  return std::min(length, options.max_length.value_or(length));
}

template <typename T>
absl::StatusOr<Tensor> CountRows(const math_internal::ReductionPlan& plan, const Tensor& elements, int64_t length, bool binary,
                                 const Shape& shape) {
  const int64_t num_counts = plan.num_segments() * length;
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> counts, NewBuffer<T>::Allocate(num_counts));
  std::fill_n(counts.data(), counts.size_elements(), T{0});
  const std::span<const int64_t> values = elements.values<int64_t>();
  const ops_internal::RowReader rows(plan.segments());
  for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
    T* const row_counts = counts.data() + segment * length;
    const RowRange range = rows.row(segment);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t value = values[static_cast<size_t>(i)];
      if (!elements.is_valid(i) || value >= length) continue;
      row_counts[value] = binary ? T{1} : static_cast<T>(row_counts[value] + 1);
    }
  }
  return Tensor::FromBuffer(std::move(counts).Finish(), shape);
}

}  // namespace

absl::StatusOr<Tensor> Bincount(const Value& value, const BincountOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues("Bincount", value));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckOptions(options, value.rank()));
  const DType dtype = flat.dtype();
  if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kUint32) {
    return math_internal::WrongDType("Bincount", dtype, "it needs integers that fit in int64; cast them");
  }
  const Value elements_of_rows = options.by_row ? value : Value(flat.Reshape(Shape({flat.size_elements()})));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make("Bincount", elements_of_rows, std::vector<int64_t>{-1}));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor elements, CastTensor(plan.elements(), DType::kInt64));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t length, NumCounts(elements, options));
  int64_t num_counts = 0;
  if (__builtin_mul_overflow(plan.num_segments(), length, &num_counts)) {
    return absl::ResourceExhaustedError(absl::StrCat("Bincount(): ", length, " counts for each of ", plan.num_segments(),
                                                     " rows are more than int64 can number"));
  }
  const Shape shape = options.by_row && value.rank() == 2 ? Shape({plan.num_segments(), length}) : Shape({length});
  return options.dtype == DType::kInt32 ? CountRows<int32_t>(plan, elements, length, options.binary, shape)
                                        : CountRows<int64_t>(plan, elements, length, options.binary, shape);
}

}  // namespace structtensor
