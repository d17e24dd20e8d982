// TensorFlow's text form of specs as a tree, so that two of them can be compared part by part.
#ifndef STRUCTTENSOR_TESTS_VECTORS_SPEC_TREE_H_
#define STRUCTTENSOR_TESTS_VECTORS_SPEC_TREE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "op.h"

namespace structtensor::vectors {

// "Tensor(shape=[2, None], dtype=int32)" becomes {"$type": "Tensor", "shape": [2, null], "dtype": "int32"}, and "{a: ...}" an
// object.
// Errors: InvalidArgument if the text is something else (the message has the offset).
absl::StatusOr<Json> ParseSpecText(std::string_view text);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_SPEC_TREE_H_
