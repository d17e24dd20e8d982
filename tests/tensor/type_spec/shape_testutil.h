// Shapes as they are printed: an unknown dimension is None.
#ifndef STRUCTTENSOR_TESTS_TENSOR_TYPE_SPEC_SHAPE_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_TYPE_SPEC_SHAPE_TESTUTIL_H_

#include <cstdint>

#include "structtensor/tensor/type_spec/shape.h"

namespace structtensor {

inline constexpr int64_t kNone = kUnknownDimension;

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_TYPE_SPEC_SHAPE_TESTUTIL_H_
