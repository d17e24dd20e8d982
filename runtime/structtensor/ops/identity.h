// A value as it is.
#ifndef STRUCTTENSOR_OPS_IDENTITY_H_
#define STRUCTTENSOR_OPS_IDENTITY_H_

#include "structtensor/tensor/value.h"

namespace structtensor {

// Returns the value itself: values are immutable, so a handle is as good as a copy. Source: tf.identity.
inline Value Identity(const Value& value) { return value; }

}  // namespace structtensor

#endif  // STRUCTTENSOR_OPS_IDENTITY_H_
