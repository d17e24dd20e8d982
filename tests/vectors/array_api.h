// The part of "tf_op" that moves values instead of computing with them.
#ifndef STRUCTTENSOR_TESTS_VECTORS_ARRAY_API_H_
#define STRUCTTENSOR_TESTS_VECTORS_ARRAY_API_H_

#include <string>

#include "absl/status/statusor.h"
#include "op.h"

namespace structtensor::vectors {

// What tf.`api` gives for the case's input and args["kwargs"].
// Errors: NotFound if `api` is not one of those in ops_array.cc, and those of the operation.
absl::StatusOr<Result> ArrayApi(const std::string& api, const Case& test);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_ARRAY_API_H_
