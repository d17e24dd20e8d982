#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/shape_ops.h"

namespace structtensor {
namespace {

// Requires: !IsStringLike(dtype).
Tensor Number(int number, DType dtype) {
  return VisitStoredType(dtype,
                         [&]<typename T>() { return Tensor::Scalar<T>(static_cast<T>(static_cast<float>(number)), dtype); });
}

// An array with `element` in every place.
absl::StatusOr<Tensor> Fill(const Tensor& element, Shape shape) {
  const Tensor::Strides strides(static_cast<size_t>(shape.rank()), 0);
  return element.View(0, std::move(shape), strides);
}

absl::StatusOr<Value> Like(const Value& value, const Tensor& element) {
  if (value.tensor() != nullptr) return Fill(element, value.shape());
  if (const RaggedTensor* ragged = value.ragged()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor flat, Fill(element, ragged->flat_values().shape()));
    return RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), std::move(flat));
  }
  if (const StructuredTensor* structs = value.structured()) {
    if (structs->rank() == 0) return element;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor flat, Fill(element, Shape({structs->flat_nrows()})));
    if (structs->row_partitions().empty()) return flat;
    return RaggedTensor::FromRowPartitionsUnchecked(structs->row_partitions(), std::move(flat));
  }
  return absl::UnimplementedError("values of an extension type have no elements to replace; use their components");
}

DType DTypeLike(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->dtype();
  return value.ragged() != nullptr ? value.ragged()->dtype() : DType::kFloat;
}

}  // namespace

absl::StatusOr<Value> ZerosLike(const Value& value, std::optional<DType> dtype) {
  const DType of_result = dtype.value_or(DTypeLike(value));
  return Like(value, IsStringLike(of_result) ? Tensor::Scalar("", of_result) : Number(0, of_result));
}

absl::StatusOr<Value> OnesLike(const Value& value, std::optional<DType> dtype) {
  const DType of_result = dtype.value_or(DTypeLike(value));
  if (IsStringLike(of_result)) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no 1 of dtype ", ToAbsl(DTypeName(of_result)), "; name a dtype of numbers or bool"));
  }
  return Like(value, Number(1, of_result));
}

}  // namespace structtensor
