// Feature specs that fit given examples.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INFER_FEATURES_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INFER_FEATURES_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/tf_example/example_error.h"
#include "structtensor/io/tf_example/feature_specs.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns specs with which ParseExamples reads `serialized`, sorted by name. A feature with one value in every row becomes a
// FixedLenFeature of shape [], one with n values in every row of shape [n], and any other a VarLenFeature. Bytes are kBytes.
// A feature without values in all rows has no type and is left out.
// Errors: InvalidArgument, with the row, if a message is damaged; with rows and feature if a feature has values of two types.
// Cost: O(bytes of `serialized`).
absl::StatusOr<FeatureSpecs> InferFeatures(std::span<const std::string_view> serialized);

// The same, but leaves out messages that are damaged, and lists them in *errors.
absl::StatusOr<FeatureSpecs> InferFeatures(std::span<const std::string_view> serialized, std::vector<ExampleError>* errors);

struct InferredSequenceFeatures {
  FeatureSpecs context;
  FeatureSpecs sequences;
};

// Returns specs with which ParseSequenceExamples reads `serialized`. A feature list becomes a FixedLenSequenceFeature of shape
// [] or [n] if every step of every row has one value, or n; allow_missing is set if some rows lack the list.
absl::StatusOr<InferredSequenceFeatures> InferSequenceFeatures(std::span<const std::string_view> serialized);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INFER_FEATURES_H_
