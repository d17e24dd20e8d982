// Equality that returns values: a boolean per element for tensors, one boolean for structs. operator== of the values returns a
// bool, and may be called with values of different types.
#ifndef STRUCTTENSOR_TENSOR_VALUES_EQUALITY_H_
#define STRUCTTENSOR_TENSOR_VALUES_EQUALITY_H_

#include <optional>

#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Whether the values have one type: kind, dtypes, field names in any order, number of rows, and row lengths where one of them
// is uniform. The lengths of ragged rows, which are known only from the data, may differ.
bool HaveSameType(const Value& a, const Value& b);

// Returns a boolean for each pair of elements of two tensors or ragged tensors, in their shape. For two structured tensors (or
// extension types), returns one scalar: whether all their elements are equal. Absent elements equal each other; NaN equals
// nothing. Returns nullopt if the values have different types, or if ragged rows of tensors have different lengths.
// Source: tf.experimental.ExtensionType.__eq__. Cost: O(elements).
std::optional<Value> ElementsEqual(const Value& a, const Value& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_EQUALITY_H_
