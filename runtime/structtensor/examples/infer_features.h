// Feature specs that fit given examples.
#ifndef STRUCTTENSOR_EXAMPLES_INFER_FEATURES_H_
#define STRUCTTENSOR_EXAMPLES_INFER_FEATURES_H_

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/examples/feature_specs.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns specs with which ParseExamples reads `serialized`, sorted by name: FixedLenFeature of shape [] or [n] for features
// that have one value, or n, in every row; VarLenFeature for others. Bytes are kBytes. A feature that never has a type, since
// all rows lack its values, is left out.
// Errors: InvalidArgument, with the row, if a message is damaged; with rows and feature if a feature has values of two types.
// Cost: O(bytes of `serialized`).
absl::StatusOr<FeatureSpecs> InferFeatures(std::span<const std::string_view> serialized);

struct InferredSequenceFeatures {
  FeatureSpecs context;
  FeatureSpecs sequences;
};

// The same for ParseSequenceExamples. Feature lists: FixedLenSequenceFeature of shape [] or [n] if every step of every row has
// one value, or n; rows may lack it if some do.
absl::StatusOr<InferredSequenceFeatures> InferSequenceFeatures(std::span<const std::string_view> serialized);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXAMPLES_INFER_FEATURES_H_
