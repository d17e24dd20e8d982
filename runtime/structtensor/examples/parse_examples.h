// tf.Example and tf.SequenceExample straight to columns: each feature by its key, no message in between.
//
//   structtensor::FeatureSpecs features = {{"age", FixedLenFeature{.dtype = DType::kInt64}},
//                                          {"words", VarLenFeature{.dtype = DType::kBytes}}};
//   absl::StatusOr<StructuredTensor> rows = structtensor::ParseExamples(serialized, features);
//   rows->field_value("words")    // ragged [["a", "b"], [], ["c"]]
//
// What is read and what is refused, damaged messages too, is what tf.io.parse_example and tf.io.parse_sequence_example read and
// refuse; docs/formats.md lists the few points where it is not.
// This folder may include runtime/tensor, runtime/wire and what those include.
#ifndef STRUCTTENSOR_EXAMPLES_PARSE_EXAMPLES_H_
#define STRUCTTENSOR_EXAMPLES_PARSE_EXAMPLES_H_

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/examples/feature_specs.h"
#include "structtensor/tensor/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns a row for each tf.Example, with a field for each of `features`, in their order. Features that are not named are
// passed over.
// Ownership: copies what it needs of `serialized`.
// Errors: InvalidArgument if a spec is wrong; with row and feature ("row 3: feature \"age\": ...") if a message is damaged, a
//   feature has values of another type or number or lacks a default, a partition or index does not fit its values, or text is
//   no UTF-8. ResourceExhausted if a column needs more memory than the machine has, or the strings of one exceed 2 GiB.
// Cost: O(bytes of `serialized` + elements of the result). Source: tf.io.parse_example.
absl::StatusOr<StructuredTensor> ParseExamples(std::span<const std::string_view> serialized, const FeatureSpecs& features);

struct ParsedSequenceExamples {
  StructuredTensor context;    // [rows]
  StructuredTensor sequences;  // [rows]: what the feature lists became
  StructuredTensor lengths;    // [rows]: for each FixedLenSequenceFeature its number of steps, int64
};

// The same for tf.SequenceExample. `context` may be FixedLen, VarLen and Ragged; `sequences` FixedLenSequence, VarLen and
// Ragged, of which partitions are feature lists, too.
// Source: tf.io.parse_sequence_example.
absl::StatusOr<ParsedSequenceExamples> ParseSequenceExamples(std::span<const std::string_view> serialized,
                                                             const FeatureSpecs& context, const FeatureSpecs& sequences);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXAMPLES_PARSE_EXAMPLES_H_
