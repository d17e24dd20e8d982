#include "structtensor/tensor/math/select_elements.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/broadcast_runs.h"
#include "structtensor/tensor/math/internal/flat_values.h"

namespace structtensor {
namespace {

constexpr size_t kX = 1, kY = 2;  // indices of operands; 0 is the condition

// Calls visit(result element, operand it comes from, element of this operand) for each element of the result.
template <typename Visit>
void ForEachChoice(std::span<const Tensor> operands, const math_internal::BroadcastRuns& runs, Visit visit) {
  const std::span<const uint8_t> condition = operands[0].values<uint8_t>();
  const Validity& present = operands[0].validity();
  runs.ForEach([&](const math_internal::BroadcastRun& run) {
    for (int64_t i = 0; i < run.size; ++i) {
      const int64_t element = run.in[0] + i * run.step[0];
      const size_t chosen = condition[static_cast<size_t>(element)] != 0 && present.is_valid(element) ? kX : kY;
      visit(run.out + i, chosen, run.in[chosen] + i * run.step[chosen]);
    }
  });
}

absl::StatusOr<Validity> ChooseValidity(std::span<const Tensor> operands, const math_internal::BroadcastRuns& runs) {
  if (!operands[kX].nullable() && !operands[kY].nullable()) return Validity();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> bits, NewBuffer<uint8_t>::Allocate((runs.size_elements() + 7) / 8));
  std::fill_n(bits.data(), bits.size_elements(), uint8_t{0});
  ForEachChoice(operands, runs, [&](int64_t bit, size_t chosen, int64_t element) {
    if (operands[chosen].validity().is_valid(element)) bits.data()[bit / 8] |= static_cast<uint8_t>(1 << (bit % 8));
  });
  return Validity(std::move(bits).Finish());
}

template <typename T>
absl::StatusOr<Tensor> ChooseStored(std::span<const Tensor> operands, const math_internal::BroadcastRuns& runs,
                                    const Shape& shape, Validity validity) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> out, NewBuffer<T>::Allocate(runs.size_elements()));
  const T* const sources[] = {nullptr, operands[kX].values<T>().data(), operands[kY].values<T>().data()};
  ForEachChoice(operands, runs, [&](int64_t i, size_t chosen, int64_t element) { out.data()[i] = sources[chosen][element]; });
  return Tensor::FromBuffer(std::move(out).Finish(), shape, operands[kX].dtype(), std::move(validity));
}

absl::StatusOr<Tensor> ChooseStrings(std::span<const Tensor> operands, const math_internal::BroadcastRuns& runs,
                                     const Shape& shape, Validity validity) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> offsets, NewBuffer<int32_t>::Allocate(runs.size_elements() + 1));
  int64_t size_bytes = 0;
  offsets.data()[0] = 0;
  ForEachChoice(operands, runs, [&](int64_t i, size_t chosen, int64_t element) {
    size_bytes += static_cast<int64_t>(operands[chosen].string_at(element).size());
    offsets.data()[i + 1] = static_cast<int32_t>(std::min<int64_t>(size_bytes, std::numeric_limits<int32_t>::max()));
  });
  if (size_bytes > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("SelectElements(): strings of ", size_bytes, " bytes exceed the 2 GiB that a tensor can have"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> bytes, NewBuffer<char>::Allocate(size_bytes));
  ForEachChoice(operands, runs, [&](int64_t i, size_t chosen, int64_t element) {
    const std::string_view text = operands[chosen].string_at(element);
    if (!text.empty()) std::memcpy(bytes.data() + offsets.data()[i], text.data(), text.size());
  });
  return Tensor::FromStrings(std::move(offsets).Finish(), std::move(bytes).Finish(), operands[kX].dtype(), std::move(validity))
      .Reshape(shape);
}

absl::Status CheckDTypes(std::span<const Tensor> operands) {
  if (operands[0].dtype() != DType::kBool) {
    return absl::InvalidArgumentError(absl::StrCat("SelectElements(): the condition is ",
                                                   ToAbsl(DTypeName(operands[0].dtype())),
                                                   ", but must be bool; compare it with something"));
  }
  if (operands[kX].dtype() == operands[kY].dtype()) return absl::OkStatus();
  return math_internal::DTypesDiffer("SelectElements", operands[kX].dtype(), operands[kY].dtype());
}

}  // namespace

absl::StatusOr<Value> SelectElements(const Value& condition, const Value& x, const Value& y) {
  static constexpr std::string_view kNames[] = {"the condition", "x", "y"};
  const Value values[] = {condition, x, y};
  STRUCTTENSOR_ASSIGN_OR_RETURN(AlignedOperands aligned, AlignOperands("SelectElements", values, kNames));
  const std::span<const Tensor> operands = aligned.flat_values;
  STRUCTTENSOR_RETURN_IF_ERROR(CheckDTypes(operands));
  const math_internal::BroadcastRuns runs(aligned.shape, operands);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Validity validity, ChooseValidity(operands, runs));
  absl::StatusOr<Tensor> result = IsStringLike(operands[kX].dtype())
                                      ? ChooseStrings(operands, runs, aligned.shape, std::move(validity))
                                      : VisitStoredType(operands[kX].dtype(), [&]<typename T>() {
                                          return ChooseStored<T>(operands, runs, aligned.shape, std::move(validity));
                                        });
  if (!result.ok()) return result.status();
  return std::move(aligned).Join(*std::move(result));
}

}  // namespace structtensor
