// Reads tf.Example and tf.SequenceExample directly into columns, one for each feature key, without building messages.
//
//   structtensor::FeatureSpecs features = {{"age", FixedLenFeature{.dtype = DType::kInt64}},
//                                          {"words", VarLenFeature{.dtype = DType::kBytes}}};
//   absl::StatusOr<StructuredTensor> rows = structtensor::ParseExamples(serialized, features);
//   rows->field_value("words")    // ragged [["a", "b"], [], ["c"]]
//
// It accepts and refuses the same messages, damaged ones too, as tf.io.parse_example and tf.io.parse_sequence_example;
// docs/formats.md lists the few differences.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_PARSE_EXAMPLES_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_PARSE_EXAMPLES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/tf_example/example_error.h"
#include "structtensor/io/tf_example/feature_specs.h"
#include "structtensor/tensor/values/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns a row for each tf.Example, with a field for each of `features`, in their order. Other features are skipped.
// Ownership: copies what it needs from `serialized`.
// Errors: InvalidArgument if a spec is wrong; with row and feature ("row 3: feature \"age\": ...") if a message is damaged, a
//   feature has the wrong type or number of values or is missing without a default, a partition or index does not fit its
//   values, or text is not UTF-8. ResourceExhausted if a column needs more memory than the machine has, or the strings of a
//   column exceed 2 GiB.
// Cost: O(bytes of `serialized` + elements of the result). Source: tf.io.parse_example.
absl::StatusOr<StructuredTensor> ParseExamples(std::span<const std::string_view> serialized, const FeatureSpecs& features);

struct ParseExamplesOptions {
  // What becomes of a message that is wrong by itself: damaged, or without the values that the features ask for.
  enum class OnError : uint8_t {
    kFail,
    kSkip,  // it has no row
    kNull,  // its row has no values: FixedLenFeatures are absent, and nullable in all rows; the others are empty
  };
  OnError on_error = OnError::kFail;
};

// The same, with a choice. *errors: the messages that are wrong, by row; after kFail, the one that the error is about.
// Errors: the same, but with kSkip and kNull not those that are about one message.
// Cost: the same if no message is wrong. With k wrong messages, up to min(2 k, messages) * log(messages) times as much.
absl::StatusOr<StructuredTensor> ParseExamples(std::span<const std::string_view> serialized, const FeatureSpecs& features,
                                               const ParseExamplesOptions& options, std::vector<ExampleError>* errors);

struct ParsedSequenceExamples {
  StructuredTensor context;    // [rows]
  StructuredTensor sequences;  // [rows]: a field for each feature list
  StructuredTensor lengths;    // [rows]: the number of steps of each FixedLenSequenceFeature, int64
};

// Parses tf.SequenceExample; rows, ownership and errors as ParseExamples. `context` may have FixedLen, VarLen and Ragged specs;
// `sequences` may have FixedLenSequence, VarLen and Ragged specs, whose partitions are feature lists, too.
// Source: tf.io.parse_sequence_example.
absl::StatusOr<ParsedSequenceExamples> ParseSequenceExamples(std::span<const std::string_view> serialized,
                                                             const FeatureSpecs& context, const FeatureSpecs& sequences);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_PARSE_EXAMPLES_H_
