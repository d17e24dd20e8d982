// Sorting by values, for all operations that sort.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_SORT_ENTRIES_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_SORT_ENTRIES_H_

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::ops_internal {

// A row to sort, and the index of its key.
struct SortEntry {
  int64_t row;
  int64_t key;  // -1: none
};

// Calls run(sort) once, where sort(entries) sorts entries by their keys, stably. In both orders, NaN comes after all numbers
// and entries without a key come last. The dtype is dispatched once for all calls of sort. Requires: keys are elements of
// `values`.
void SortEntriesByValue(const Tensor& values, SortOrder order,
                        absl::FunctionRef<void(absl::FunctionRef<void(std::span<SortEntry>)> sort)> run);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_SORT_ENTRIES_H_
