#include "structtensor/tensor/math/cumsum.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"
#include "structtensor/tensor/math/internal/reduction_plan.h"

namespace structtensor {
namespace {

template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, math_internal::Wrapping<T>>;

// Adds one row of elements. Each element has a sum of its own.
template <typename T>
void AddRow(const T* elements, int64_t first, int64_t kept, const Tensor& tensor, bool exclusive, Accumulator<T>* sums,
            T* out) {
  const bool nullable = tensor.nullable();
  for (int64_t k = 0; k < kept; ++k) {
    const int64_t i = first + k;
    if (exclusive) out[i] = static_cast<T>(sums[k]);
    if (!nullable || tensor.is_valid(i)) sums[k] += static_cast<Accumulator<T>>(elements[i]);
    if (!exclusive) out[i] = static_cast<T>(sums[k]);
  }
}

template <typename T>
absl::StatusOr<Tensor> SumRows(const math_internal::ReductionPlan& plan, const Tensor& tensor, const CumsumOptions& options) {
  const T* const elements = tensor.values<T>().data();
  const int64_t kept = plan.kept();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> out, NewBuffer<T>::Allocate(tensor.size_elements()));
  const auto add_row = [&](int64_t row, Accumulator<T>* sums) {
    AddRow(elements, row * kept, kept, tensor, options.exclusive, sums, out.data());
  };
  if (plan.is_contiguous()) {
    // Takes one segment after the other, so that it needs only the sums of one segment.
    STRUCTTENSOR_ASSIGN_OR_RETURN(auto sums, NewBuffer<Accumulator<T>>::Allocate(kept));
    const ops_internal::RowReader rows(plan.segments());
    for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
      const RowRange range = rows.row(segment);
      if (range.size() == 0) continue;
      std::fill_n(sums.data(), sums.size_elements(), Accumulator<T>{0});
      for (int64_t i = 0; i < range.size(); ++i) add_row(options.reverse ? range.end - 1 - i : range.begin + i, sums.data());
    }
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(auto sums, NewBuffer<Accumulator<T>>::Allocate(plan.num_results()));
    std::fill_n(sums.data(), sums.size_elements(), Accumulator<T>{0});
    const std::span<const int64_t> segments = plan.segment_of_rows();
    for (int64_t i = 0; i < plan.num_rows(); ++i) {
      const int64_t row = options.reverse ? plan.num_rows() - 1 - i : i;
      add_row(row, sums.data() + segments[static_cast<size_t>(row)] * kept);
    }
  }
  return Tensor::FromBuffer(std::move(out).Finish(), tensor.shape(), tensor.dtype(), tensor.validity());
}

}  // namespace

absl::StatusOr<Value> Cumsum(const Value& value, int64_t axis, const CumsumOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make("Cumsum", value, std::vector<int64_t>{axis}));
  const DType dtype = plan.elements().dtype();
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber("Cumsum", dtype));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor elements,
                                CastTensor(plan.elements(), math_internal::IsFloat16(dtype) ? DType::kFloat : dtype));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor sums, math_internal::VisitNumberType(elements.dtype(), [&]<typename T>() {
                                  return SumRows<T>(plan, elements, options);
                                }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor result, CastTensor(sums, dtype));
  return math_internal::WithFlatValues(value, std::move(result));
}

}  // namespace structtensor
