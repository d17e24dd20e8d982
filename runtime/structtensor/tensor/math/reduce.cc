#include "structtensor/tensor/math/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
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

// The type in which sums and products are accumulated.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, math_internal::Wrapping<T>>;

// A reduction starts with kIdentity and merges elements into it. Elements are converted to accumulators.
template <typename T>
struct SumOf {
  using Acc = Accumulator<T>;
  static constexpr Acc kIdentity = 0;
  static Acc Merge(Acc a, Acc b) { return a + b; }
};

template <typename T>
struct ProdOf {
  using Acc = Accumulator<T>;
  static constexpr Acc kIdentity = 1;
  static Acc Merge(Acc a, Acc b) { return a * b; }
};

// A NaN differs from itself, so `a != a` keeps it.
template <typename T>
struct MinOf {
  using Acc = T;
  static constexpr Acc kIdentity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  static Acc Merge(Acc a, Acc b) { return a < b || a != a ? a : b; }
};

template <typename T>
struct MaxOf {
  using Acc = T;
  static constexpr Acc kIdentity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  static Acc Merge(Acc a, Acc b) { return a > b || a != a ? a : b; }
};

template <typename T>
struct AnyOf {
  using Acc = T;
  static constexpr Acc kIdentity = 0;
  static Acc Merge(Acc a, Acc b) { return static_cast<Acc>(a | b); }
};

template <typename T>
struct AllOf {
  using Acc = T;
  static constexpr Acc kIdentity = 1;
  static Acc Merge(Acc a, Acc b) { return static_cast<Acc>(a & b); }
};

// Reduces a run in four lanes, because each step of one lane waits for the step before.
template <typename Op, typename T>
typename Op::Acc ReduceRun(const T* elements, int64_t size) {
  using Acc = typename Op::Acc;
  constexpr int64_t kLanes = 4;
  std::array<Acc, kLanes> lanes;
  lanes.fill(Op::kIdentity);
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      Acc& acc = lanes[static_cast<size_t>(lane)];
      acc = Op::Merge(acc, static_cast<Acc>(elements[i + lane]));
    }
  }
  Acc result = Op::Merge(Op::Merge(lanes[0], lanes[1]), Op::Merge(lanes[2], lanes[3]));
  for (; i < size; ++i) result = Op::Merge(result, static_cast<Acc>(elements[i]));
  return result;
}

// Merges row [kept][reduced] into [kept] results.
template <typename Op, typename T>
void MergeRow(const T* row, int64_t kept, int64_t reduced, typename Op::Acc* results) {
  using Acc = typename Op::Acc;
  if (reduced == 1) {
    for (int64_t k = 0; k < kept; ++k) results[k] = Op::Merge(results[k], static_cast<Acc>(row[k]));
    return;
  }
  for (int64_t k = 0; k < kept; ++k) results[k] = Op::Merge(results[k], ReduceRun<Op>(row + k * reduced, reduced));
}

template <typename Op, typename T>
absl::StatusOr<NewBuffer<typename Op::Acc>> ReduceElements(const math_internal::ReductionPlan& plan, const T* elements) {
  using Acc = typename Op::Acc;
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<Acc> buffer, NewBuffer<Acc>::Allocate(plan.num_results()));
  Acc* const results = buffer.data();
  const int64_t kept = plan.kept(), reduced = plan.reduced();
  if (plan.is_contiguous() && kept == 1) {
    const ops_internal::RowReader rows(plan.segments());
    for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
      const RowRange range = rows.row(segment);
      results[segment] = ReduceRun<Op>(elements + range.begin * reduced, range.size() * reduced);
    }
    return buffer;
  }
  std::fill_n(results, buffer.size_elements(), Op::kIdentity);
  const int64_t row_size = kept * reduced;
  if (plan.is_contiguous()) {
    const ops_internal::RowReader rows(plan.segments());
    for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
      const RowRange range = rows.row(segment);
      for (int64_t row = range.begin; row < range.end; ++row) {
        MergeRow<Op>(elements + row * row_size, kept, reduced, results + segment * kept);
      }
    }
    return buffer;
  }
  const std::span<const int64_t> segments = plan.segment_of_rows();
  for (int64_t row = 0; row < plan.num_rows(); ++row) {
    MergeRow<Op>(elements + row * row_size, kept, reduced, results + segments[static_cast<size_t>(row)] * kept);
  }
  return buffer;
}

// Returns the elements, with `neutral`, which changes no result, in place of absent ones.
template <typename T>
absl::StatusOr<Buffer<T>> WithoutAbsent(const Tensor& elements, T neutral) {
  const Buffer<T> values = elements.buffer<T>();
  if (!elements.nullable()) return values;
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> buffer, NewBuffer<T>::Allocate(elements.size_elements()));
  const Validity& validity = elements.validity();
  for (int64_t i = 0; i < elements.size_elements(); ++i) {
    buffer.data()[i] = validity.is_valid(i) ? values[static_cast<size_t>(i)] : neutral;
  }
  return std::move(buffer).Finish();
}

template <typename Op, typename T>
absl::StatusOr<NewBuffer<typename Op::Acc>> ReducePresent(const math_internal::ReductionPlan& plan, const Tensor& elements) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Buffer<T> values, WithoutAbsent(elements, static_cast<T>(Op::kIdentity)));
  return ReduceElements<Op>(plan, values.data());
}

// Returns the elements in a type that kernels have.
absl::StatusOr<Tensor> KernelElements(const math_internal::ReductionPlan& plan) {
  return math_internal::IsFloat16(plan.elements().dtype()) ? CastTensor(plan.elements(), DType::kFloat) : plan.elements();
}

template <typename T, typename Acc>
absl::StatusOr<Tensor> ConvertResults(NewBuffer<Acc> results, DType dtype) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> converted, NewBuffer<T>::Allocate(static_cast<int64_t>(results.size_elements())));
  std::transform(results.data(), results.data() + results.size_elements(), converted.data(),
                 [](Acc acc) { return static_cast<T>(acc); });
  return Tensor::FromBuffer(std::move(converted).Finish(), dtype);
}

template <template <typename> class Op>
absl::StatusOr<Value> ReduceNumbers(std::string_view op, const Value& value, const ReduceOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make(op, value, options.axes));
  const DType dtype = plan.elements().dtype();
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(op, dtype));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor elements, KernelElements(plan));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor results,
                                math_internal::VisitNumberType(elements.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
                                  STRUCTTENSOR_ASSIGN_OR_RETURN(auto buffer, (ReducePresent<Op<T>, T>(plan, elements)));
                                  return ConvertResults<T>(std::move(buffer), elements.dtype());
                                }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor cast, CastTensor(results, dtype));
  return plan.Finish(cast, options.keep_dims);
}

// Returns the greatest finite number.
template <typename T>
T GreatestOf(DType dtype) {
  if (dtype == DType::kFloat16) return static_cast<T>(static_cast<float>(Float16::FromBits(0x7BFF)));
  if (dtype == DType::kBfloat16) return static_cast<T>(static_cast<float>(BFloat16::FromBits(0x7F7F)));
  return std::numeric_limits<T>::max();
}

// Results to which no element contributed are still infinite. Makes them finite.
template <typename T>
absl::Status MakeFiniteOfNothing(const math_internal::ReductionPlan& plan, T identity, std::span<T> results) {
  if (!std::is_floating_point_v<T> || std::find(results.begin(), results.end(), identity) == results.end()) {
    return absl::OkStatus();
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Buffer<int64_t> counts, plan.Counts());
  const T greatest = GreatestOf<T>(plan.elements().dtype());
  for (size_t i = 0; i < results.size(); ++i) {
    if (counts[i] == 0) results[i] = identity > 0 ? greatest : static_cast<T>(-greatest);
  }
  return absl::OkStatus();
}

template <template <typename> class Op>
absl::StatusOr<Value> ReduceOrdered(std::string_view op, const Value& value, const ReduceOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make(op, value, options.axes));
  const DType dtype = plan.elements().dtype();
  if (!math_internal::IsOrderedNumber(dtype))
    return math_internal::WrongDType(op, dtype, "it needs numbers, timestamps or durations");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor elements, KernelElements(plan));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const Tensor results, math_internal::VisitNumberType(elements.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
        STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> buffer, (ReducePresent<Op<T>, T>(plan, elements)));
        STRUCTTENSOR_RETURN_IF_ERROR(MakeFiniteOfNothing<T>(plan, Op<T>::kIdentity, {buffer.data(), buffer.size_elements()}));
        return Tensor::FromBuffer(std::move(buffer).Finish(), elements.dtype());
      }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor cast, CastTensor(results, dtype));
  return plan.Finish(cast, options.keep_dims);
}

template <template <typename> class Op>
absl::StatusOr<Value> ReduceBooleans(std::string_view op, const Value& value, const ReduceOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make(op, value, options.axes));
  if (plan.elements().dtype() != DType::kBool) {
    return math_internal::WrongDType(op, plan.elements().dtype(), "compare it with something, or cast it to bool");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(auto buffer, (ReducePresent<Op<uint8_t>, uint8_t>(plan, plan.elements())));
  return plan.Finish(Tensor::FromBuffer(std::move(buffer).Finish(), DType::kBool), options.keep_dims);
}

DType MeanDType(DType dtype) { return IsInteger(dtype) ? DType::kDouble : dtype; }

struct Means {
  Buffer<int64_t> counts;
  Buffer<double> values;
};

// Adds up integers as double, so that the sum does not wrap around.
template <typename T>
struct DoubleSumOf {
  using Acc = double;
  static constexpr Acc kIdentity = 0;
  static Acc Merge(Acc a, Acc b) { return a + b; }
};

absl::StatusOr<Means> ComputeMeans(const math_internal::ReductionPlan& plan, const Tensor& elements) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<int64_t> counts, plan.Counts());
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<double> sums, math_internal::VisitNumberType(elements.dtype(), [&]<typename T>() {
                                  return ReducePresent<DoubleSumOf<T>, T>(plan, elements);
                                }));
  for (size_t i = 0; i < sums.size_elements(); ++i) {
    sums.data()[i] =
        counts[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : sums.data()[i] / static_cast<double>(counts[i]);
  }
  return Means{std::move(counts), std::move(sums).Finish()};
}

absl::StatusOr<Value> FinishMeans(const math_internal::ReductionPlan& plan, Buffer<double> values,
                                  const ReduceOptions& options) {
  const Tensor doubles = Tensor::FromBuffer(std::move(values));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor results, CastTensor(doubles, MeanDType(plan.elements().dtype())));
  return plan.Finish(results, options.keep_dims);
}

// Adds up the squared distances of elements from their mean. This is a second pass: the difference of two sums of squares would
// lose the digits that the sums have in common.
absl::StatusOr<NewBuffer<double>> ComputeVariances(const math_internal::ReductionPlan& plan, const Tensor& doubles,
                                                   const Means& means) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<double> variances, NewBuffer<double>::Allocate(plan.num_results()));
  std::fill_n(variances.data(), variances.size_elements(), 0.0);
  const double* const elements = doubles.values<double>().data();
  const int64_t kept = plan.kept(), reduced = plan.reduced();
  const bool nullable = plan.elements().nullable();
  const auto add_row = [&](int64_t segment, int64_t row) {
    for (int64_t k = 0; k < kept; ++k) {
      const int64_t result = segment * kept + k;
      const int64_t first = (row * kept + k) * reduced;
      double sum = 0;
      for (int64_t i = first; i < first + reduced; ++i) {
        const double distance = elements[i] - means.values[static_cast<size_t>(result)];
        if (!nullable || plan.elements().is_valid(i)) sum += distance * distance;
      }
      variances.data()[result] += sum;
    }
  };
  if (plan.is_contiguous()) {
    const ops_internal::RowReader rows(plan.segments());
    for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
      const RowRange range = rows.row(segment);
      for (int64_t row = range.begin; row < range.end; ++row) add_row(segment, row);
    }
  } else {
    const std::span<const int64_t> segments = plan.segment_of_rows();
    for (int64_t row = 0; row < plan.num_rows(); ++row) add_row(segments[static_cast<size_t>(row)], row);
  }
  for (size_t i = 0; i < variances.size_elements(); ++i) {
    // 0 / 0 gives NaN, the variance of no elements.
    variances.data()[i] /= static_cast<double>(means.counts[i]);
  }
  return variances;
}

absl::StatusOr<Value> ReduceDeviation(std::string_view op, const Value& value, const ReduceOptions& options, bool root) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make(op, value, options.axes));
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber(op, plan.elements().dtype()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor doubles, CastTensor(plan.elements(), DType::kDouble));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Means means, ComputeMeans(plan, doubles));
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<double> results, ComputeVariances(plan, doubles, means));
  if (root) {
    for (double& result : std::span<double>(results.data(), results.size_elements())) result = std::sqrt(result);
  }
  return FinishMeans(plan, std::move(results).Finish(), options);
}

}  // namespace

absl::StatusOr<Value> ReduceSum(const Value& value, const ReduceOptions& options) {
  return ReduceNumbers<SumOf>("ReduceSum", value, options);
}

absl::StatusOr<Value> ReduceProd(const Value& value, const ReduceOptions& options) {
  return ReduceNumbers<ProdOf>("ReduceProd", value, options);
}

absl::StatusOr<Value> ReduceMin(const Value& value, const ReduceOptions& options) {
  return ReduceOrdered<MinOf>("ReduceMin", value, options);
}

absl::StatusOr<Value> ReduceMax(const Value& value, const ReduceOptions& options) {
  return ReduceOrdered<MaxOf>("ReduceMax", value, options);
}

absl::StatusOr<Value> ReduceMean(const Value& value, const ReduceOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make("ReduceMean", value, options.axes));
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckNumber("ReduceMean", plan.elements().dtype()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor elements, KernelElements(plan));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Means means, ComputeMeans(plan, elements));
  return FinishMeans(plan, means.values, options);
}

absl::StatusOr<Value> ReduceVariance(const Value& value, const ReduceOptions& options) {
  return ReduceDeviation("ReduceVariance", value, options, /*root=*/false);
}

absl::StatusOr<Value> ReduceStd(const Value& value, const ReduceOptions& options) {
  return ReduceDeviation("ReduceStd", value, options, /*root=*/true);
}

absl::StatusOr<Value> ReduceAny(const Value& value, const ReduceOptions& options) {
  return ReduceBooleans<AnyOf>("ReduceAny", value, options);
}

absl::StatusOr<Value> ReduceAll(const Value& value, const ReduceOptions& options) {
  return ReduceBooleans<AllOf>("ReduceAll", value, options);
}

}  // namespace structtensor
