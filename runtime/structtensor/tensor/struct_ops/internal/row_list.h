// Lists with an element for each row. They may not fit into memory: uniform partitions and structs without fields can have any
// number of rows without using memory.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_ROW_LIST_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_ROW_LIST_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/field_path/field_path.h"

namespace structtensor::struct_ops_internal {

// Returns `size` zeros. `path` is for the message. Requires: size >= 0. Errors: ResourceExhausted if there is no memory.
template <typename T>
absl::StatusOr<std::vector<T>> RowList(int64_t size, const Path& path) {
  // Sizes above the address space are not tried: the allocators of sanitizers abort instead of throwing.
  constexpr int64_t kMaxSize = (int64_t{1} << 47) / int64_t{sizeof(T)};
  try {
    if (size <= kMaxSize) return std::vector<T>(static_cast<size_t>(size));
  } catch (const std::exception&) {  // bad_alloc or length_error
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("field path ", path.ToString(), ": there is no memory for one value for each of ", size, " rows"));
}

}  // namespace structtensor::struct_ops_internal

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_ROW_LIST_H_
