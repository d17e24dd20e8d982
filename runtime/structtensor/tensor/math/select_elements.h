// A choice between two values for each element.
#ifndef STRUCTTENSOR_TENSOR_MATH_SELECT_ELEMENTS_H_
#define STRUCTTENSOR_TENSOR_MATH_SELECT_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the elements of x where `condition` is true, and the elements of y elsewhere: an absent condition counts as false, as
// in Where() and BooleanMask(). An element is absent where the chosen element is.
// Shapes: tensors or ragged tensors, broadcast to one shape (broadcast.h), the shape of the result.
// Errors: InvalidArgument if `condition` has no booleans, dtypes of x and y differ, a value is a struct or of an extension
//   type, or shapes do not fit; ResourceExhausted if the result is too big. Cost: O(elements of the result).
// Source: tf.where with three arguments.
absl::StatusOr<Value> SelectElements(const Value& condition, const Value& x, const Value& y);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_SELECT_ELEMENTS_H_
