// Equality that answers with values: of tensors for each element, of structs as a whole. operator== of the values compares all
// there is, also what is known of row lengths, and answers with a bool.
#ifndef STRUCTTENSOR_TENSOR_EQUALITY_H_
#define STRUCTTENSOR_TENSOR_EQUALITY_H_

#include <optional>

#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Whether the values have one type: kind, dtypes, field names in whatever order, number of rows, and row lengths where one of
// them is uniform. What only data can tell, the lengths of ragged rows, may differ.
bool HaveSameType(const Value& a, const Value& b);

// Returns a boolean for each pair of elements of two tensors or ragged tensors, in their shape, or one scalar for two
// structured tensors (or extension types): whether all their elements are equal. Absent elements equal each other; NaN equals
// nothing. Nothing if the values have different types, or ragged rows of tensors different lengths, so that there are no
// pairs.
// Source: tf.experimental.ExtensionType.__eq__. Cost: O(elements).
std::optional<Value> ElementsEqual(const Value& a, const Value& b);
// The opposite of each.
std::optional<Value> ElementsDiffer(const Value& a, const Value& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_EQUALITY_H_
