// Writes columns as tf.Example.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_ENCODE_EXAMPLES_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_ENCODE_EXAMPLES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns a serialized tf.Example for each row, with a feature for each field: integers and booleans as int64_list, floating
// point numbers as float_list, strings and bytes as bytes_list. Features are sorted by name and lists are packed, as in
// protobuf's deterministic serialization.
//
//   field                                        values of the feature
//   [rows]                                       1; an absent element: the feature is left out
//   [rows] + shape, dense                        all elements of the row
//   [rows, (values)]                             the values of the row
//
// Errors: InvalidArgument if `rows` is not of rank 1; with the field's name for a field of structs, of times, or nested deeper;
//   with row and field for an absent element inside a list; OutOfRange for a uint64 above the int64 range or a double outside
//   the float range (a NaN stays a NaN; precision may be lost, magnitude not).
absl::StatusOr<std::vector<std::string>> EncodeExamples(const StructuredTensor& rows);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_ENCODE_EXAMPLES_H_
