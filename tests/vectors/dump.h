// The result of an operation, in the form of the vectors' `expected`.
#ifndef STRUCTTENSOR_TESTS_VECTORS_DUMP_H_
#define STRUCTTENSOR_TESTS_VECTORS_DUMP_H_

#include "absl/status/statusor.h"
#include "op.h"

namespace structtensor::vectors {

// Dimensions are those that the value says are known; the rest are null.
// Errors: Internal if a value says something about itself that its data deny: a uniform row length that a row does not have, a
// field with other rows than its struct.
absl::StatusOr<Json> Dump(const Result& result);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_DUMP_H_
