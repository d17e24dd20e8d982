#include "structtensor/tensor/ops/internal/index_list.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::ops_internal {

absl::StatusOr<IndexList> IndexList::Make(const Tensor& indices) {
  if (!IsInteger(indices.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices have dtype ", ToAbsl(DTypeName(indices.dtype())), "; they must be integers"));
  }
  for (int64_t i = 0; indices.nullable() && i < indices.size_elements(); ++i) {
    if (!indices.is_valid(i)) return absl::InvalidArgumentError(absl::StrCat("index number ", i, " is absent"));
  }
  if (indices.dtype() == DType::kInt64) return IndexList(indices.buffer<int64_t>());
  return VisitStoredType(indices.dtype(), [&]<typename T>() -> absl::StatusOr<IndexList> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> copy, NewBuffer<int64_t>::Allocate(indices.size_elements()));
    int64_t* next = copy.data();
    for (const T value : indices.values<T>()) {
      if constexpr (std::is_same_v<T, uint64_t>) {
        if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
          return absl::InvalidArgumentError(absl::StrCat("index ", value, " is more than any axis has"));
        }
      }
      *next++ = static_cast<int64_t>(value);
    }
    return IndexList(std::move(copy).Finish());
  });
}

}  // namespace structtensor::ops_internal
