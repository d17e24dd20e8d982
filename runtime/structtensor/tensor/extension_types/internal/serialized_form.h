// Shared by writing and reading serialized specs.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SERIALIZED_FORM_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SERIALIZED_FORM_H_

#include <cstddef>
#include <iterator>

#include "absl/status/status.h"
#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::extension_types_internal {

// The dtypes in the order of the schema's enum DType, whose numbers start at 1.
inline constexpr DType kSerializedDTypes[] = {DType::kBool,      DType::kInt32,       DType::kInt64,       DType::kUint32,
                                              DType::kUint64,    DType::kFloat,       DType::kDouble,      DType::kString,
                                              DType::kBytes,     DType::kTimestampNs, DType::kDurationNs,  DType::kFloat16,
                                              DType::kBfloat16,  DType::kTimestampS,  DType::kTimestampMs, DType::kTimestampUs,
                                              DType::kDurationS, DType::kDurationMs,  DType::kDurationUs};
static_assert(std::size(kSerializedDTypes) == static_cast<size_t>(kLastDType) + 1, "every dtype has a number");

// Errors: InvalidArgument if `depth`, counted from 1, is more than kMaxSpecDepth.
absl::Status CheckSpecDepth(int depth);

}  // namespace structtensor::extension_types_internal

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_INTERNAL_SERIALIZED_FORM_H_
