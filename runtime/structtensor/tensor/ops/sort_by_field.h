// Structs in the order of one of their fields.
#ifndef STRUCTTENSOR_TENSOR_OPS_SORT_BY_FIELD_H_
#define STRUCTTENSOR_TENSOR_OPS_SORT_BY_FIELD_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/ops/sort.h"
#include "structtensor/tensor/values/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the structs of each row of the innermost axis in the order of their field at `path`; structs with equal values keep
// their order. Numbers sort by size, strings and bytes byte by byte, false before true. In both orders, NaN comes after all
// numbers and structs without a value come last.
// Shapes: structs have rank >= 1; the field has one value for each struct, or is optional.
// Errors: InvalidArgument if the structs are a scalar, or the field is repeated, a struct, or of an extension type; NotFound if
//   there is no such field; ResourceExhausted if there is no memory.
// Cost: O(n log n) comparisons in each row, and O(value).
absl::StatusOr<StructuredTensor> SortByField(const StructuredTensor& structs, std::string_view path,
                                             SortOrder order = SortOrder::kAscending);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_SORT_BY_FIELD_H_
