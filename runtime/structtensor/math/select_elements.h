// A choice between two values for each element.
#ifndef STRUCTTENSOR_MATH_SELECT_ELEMENTS_H_
#define STRUCTTENSOR_MATH_SELECT_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the elements of x where `condition` is true, and those of y where it is false.
// Shapes: tensors or ragged tensors, broadcast to one shape (broadcast.h), which is that of the result. An element is absent
// where the condition or what it chooses is.
// Errors: InvalidArgument if condition is not of booleans, dtypes of x and y differ, a value is a struct or of an extension
//   type, or shapes do not fit; ResourceExhausted if the result is too big. Cost: O(elements of the result).
// Source: tf.where of three arguments.
absl::StatusOr<Value> SelectElements(const Value& condition, const Value& x, const Value& y);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_MATH_SELECT_ELEMENTS_H_
