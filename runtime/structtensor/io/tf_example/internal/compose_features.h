// Columns that are made of several features: values, and features with their partitions or indices.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_COMPOSE_FEATURES_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_COMPOSE_FEATURES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "structtensor/io/tf_example/feature_specs.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::tf_example_internal {

// A list of values for each row: row i has the values [row_splits[i], row_splits[i + 1]).
struct FeatureRows {
  std::span<const int64_t> row_splits;
  std::span<const int64_t> int64s;  // the values of a feature with partitions or indices
};

// Which row an error is about, and where in it: "" or "step 2: ".
struct RowPlace {
  int64_t row;
  std::string inner;
};
using PlaceOfRow = absl::FunctionRef<RowPlace(int64_t row)>;

// Returns the values of each row, grouped: [rows, (partitions...), ...] of `values`, which has row_splits.back() rows.
// `partition_rows`: for each partition, outermost first, the feature that it names; ignored for kUniformRowLength.
// Errors: InvalidArgument, with row and feature, if a partition does not fit.
absl::StatusOr<Value> GroupValues(const std::string& name, const RaggedFeature& feature, std::span<const int64_t> row_splits,
                                  const Value& values, std::span<const FeatureRows> partition_rows, PlaceOfRow place_of_row);

// Returns structs [rows, (values)] with indices and values. `indices`: for each axis the feature with the indices.
absl::StatusOr<Value> SparseValues(const std::string& name, const SparseFeature& feature, std::span<const int64_t> row_splits,
                                   const Tensor& values, std::span<const FeatureRows> indices);

}  // namespace structtensor::tf_example_internal

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_COMPOSE_FEATURES_H_
