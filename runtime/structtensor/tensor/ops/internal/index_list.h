// Index arrays as lists of int64, whatever their dtype.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_INDEX_LIST_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_INDEX_LIST_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::ops_internal {

// The elements of an integer tensor in row-major order. Shares the memory of an int64 tensor, copies others.
class IndexList {
 public:
  // Errors: InvalidArgument if the dtype is not one of int32, int64, uint32, uint64, an element is absent, or one exceeds
  // int64.
  static absl::StatusOr<IndexList> Make(const Tensor& indices);

  std::span<const int64_t> span() const { return values_.span(); }
  int64_t operator[](int64_t i) const { return values_[static_cast<size_t>(i)]; }
  int64_t size() const { return static_cast<int64_t>(values_.size_elements()); }

 private:
  explicit IndexList(Buffer<int64_t> values) : values_(std::move(values)) {}

  Buffer<int64_t> values_;
};

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_INDEX_LIST_H_
