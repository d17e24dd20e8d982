// The order of values, for everything that sorts by them.
#ifndef STRUCTTENSOR_OPS_INTERNAL_SORT_ENTRIES_H_
#define STRUCTTENSOR_OPS_INTERNAL_SORT_ENTRIES_H_

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "structtensor/ops/sort.h"
#include "structtensor/tensor/tensor.h"

namespace structtensor::ops_internal {

// What is sorted, and the element of the keys that it is sorted by.
struct SortEntry {
  int64_t row;
  int64_t key;  // -1: none
};

// Calls run(sort) once, where sort(entries) brings entries in the order of their keys: stable, NaN behind all numbers and
// entries without a key last, in both orders. The dtype is looked at once for all calls. Requires: keys are elements of
// `values`.
void SortEntriesByValue(const Tensor& values, SortOrder order,
                        absl::FunctionRef<void(absl::FunctionRef<void(std::span<SortEntry>)> sort)> run);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_OPS_INTERNAL_SORT_ENTRIES_H_
