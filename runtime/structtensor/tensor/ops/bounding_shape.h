// The smallest dense shape that a ragged array fits in.
#ifndef STRUCTTENSOR_TENSOR_OPS_BOUNDING_SHAPE_H_
#define STRUCTTENSOR_TENSOR_OPS_BOUNDING_SHAPE_H_

#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the number of rows, and for each other axis the length of its longest row (0 if there are no rows) or its dense size.
// For structs, only their own axes count. An extension type tells its own shape.
// Cost: O(rows). Source: tf.RaggedTensor.bounding_shape.
Shape BoundingShape(const Value& value);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_BOUNDING_SHAPE_H_
