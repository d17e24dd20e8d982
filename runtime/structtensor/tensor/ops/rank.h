// How many axes a value has.
#ifndef STRUCTTENSOR_TENSOR_OPS_RANK_H_
#define STRUCTTENSOR_TENSOR_OPS_RANK_H_

#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns value.rank() as an int32 scalar, for graphs of operations. Source: tf.rank.
inline Tensor Rank(const Value& value) { return Tensor::Scalar(int32_t{value.rank()}); }

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_RANK_H_
