#include "structtensor/tensor/math/internal/flat_values.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::math_internal {

absl::StatusOr<Tensor> FlatValues(std::string_view op, const Value& value) {
  if (value.tensor() != nullptr) return *value.tensor();
  if (value.ragged() != nullptr) return value.ragged()->flat_values();
  if (const StructuredTensor* structs = value.structured()) {
    return absl::InvalidArgumentError(absl::StrCat(
        ToAbsl(op),
        " needs a tensor or ragged tensor, but this is a struct; select one of its fields: ", structs->DescribeFields()));
  }
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(op), " needs a tensor or ragged tensor, but this is ",
                                                 value.spec().DebugString(), "; use one of its components"));
}

Value WithFlatValues(const Value& like, Tensor flat) {
  if (like.ragged() == nullptr) return flat;
  return RaggedTensor::FromRowPartitionsUnchecked(like.ragged()->row_partitions(), std::move(flat));
}

absl::StatusOr<Value> MapFlatValues(std::string_view op, const Value& value,
                                    absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor&)> map) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, FlatValues(op, value));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor mapped, map(flat));
  return WithFlatValues(value, std::move(mapped));
}

absl::Status WrongDType(std::string_view op, DType dtype, std::string_view advice) {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(op), " is not defined for ", ToAbsl(DTypeName(dtype)), "; ", ToAbsl(advice)));
}

}  // namespace structtensor::math_internal
