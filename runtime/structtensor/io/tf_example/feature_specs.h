// Specs of the columns to read from the features of tf.Example and tf.SequenceExample. Names and meaning are as in tf.io.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_FEATURE_SPECS_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_FEATURE_SPECS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// In all specs, dtype is kInt64 (for an int64_list), kFloat (for a float_list), or kBytes or kString (for a bytes_list).
// TensorFlow does not have kString: text that is checked to be UTF-8.

// Each row has as many values as `shape` has elements. The result is a dense tensor [rows] + shape.
struct FixedLenFeature {
  Shape shape = {};  // fully known
  DType dtype = DType::kInt64;
  // The value of rows that lack the feature; it has the dtype and shape above. Without a default, such rows are an error.
  std::optional<Tensor> default_value = {};
};

// Each row has any number of blocks of `shape`. The result is a dense tensor [rows, longest] + shape. In tf.Example, shorter
// rows are padded with `default_value`. In tf.SequenceExample, each step is a block, and padding is 0 or "".
struct FixedLenSequenceFeature {
  Shape shape = {};  // fully known, at least one element
  DType dtype = DType::kInt64;
  // Whether rows may lack the feature; such rows have no blocks. It must be true for tf.Example.
  bool allow_missing = false;
  std::optional<Tensor> default_value = {};  // one element of that dtype; absent: 0 or ""
};

// Any number of values. The result is a ragged tensor [rows, (values)], or [rows, (steps), (values)] for a feature list.
// TensorFlow makes a SparseTensor instead, with the same values in the same rows.
struct VarLenFeature {
  DType dtype = DType::kInt64;
};

// Groups the values of each row, by another feature (an int64_list) or into groups of one size.
struct RaggedFeaturePartition {
  enum class Kind : uint8_t { kRowSplits, kRowLengths, kRowStarts, kRowLimits, kValueRowids, kUniformRowLength };

  Kind kind = Kind::kRowSplits;
  std::string key = {};            // the other feature; not used by kUniformRowLength
  int64_t uniform_row_length = 0;  // the size of groups for kUniformRowLength: at least 1
};

// A ragged tensor [rows, (partitions...), (values)]. Partitions are always checked; TensorFlow checks them only when asked.
struct RaggedFeature {
  DType dtype = DType::kInt64;
  std::string value_key = {};                           // the feature with the values; "": the feature of this name
  std::vector<RaggedFeaturePartition> partitions = {};  // outermost first
  DType row_splits_dtype = DType::kInt64;               // or kInt32
};

// Values and their indices in a sparse array of shape `size`. The result is structs [rows, (values)] with the fields "indices",
// int64 [rows, (values), index_keys], and "values". TensorFlow makes a SparseTensor [rows] + size instead.
struct SparseFeature {
  std::vector<std::string> index_keys = {};  // one for each axis; int64 features, each with as many values as value_key
  std::string value_key = {};
  DType dtype = DType::kInt64;
  std::vector<int64_t> size = {};  // one for each axis; indices are less than it
  bool already_sorted = false;     // if false, values are sorted by their indices
};

using FeatureSpec = std::variant<FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, RaggedFeature, SparseFeature>;

// Names of features and their specs, in the order of the fields of the result.
using FeatureSpecs = std::vector<std::pair<std::string, FeatureSpec>>;

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_FEATURE_SPECS_H_
