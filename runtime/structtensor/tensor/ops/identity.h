// The identity operation.
#ifndef STRUCTTENSOR_TENSOR_OPS_IDENTITY_H_
#define STRUCTTENSOR_TENSOR_OPS_IDENTITY_H_

#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value itself: values are immutable, so a handle is as good as a copy. Source: tf.identity.
inline Value Identity(const Value& value) { return value; }

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_OPS_IDENTITY_H_
