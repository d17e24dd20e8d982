// What the features of tf.Example and tf.SequenceExample become. Names and meaning are as in tf.io.
#ifndef STRUCTTENSOR_EXAMPLES_FEATURE_SPECS_H_
#define STRUCTTENSOR_EXAMPLES_FEATURE_SPECS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "structtensor/tensor/tensor.h"
#include "structtensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Everywhere here dtype is kInt64 (of an int64_list), kFloat (of a float_list), kBytes, or kString (of a bytes_list). kString
// is what TensorFlow does not have: UTF-8, checked.

// As many values in each row as `shape` has elements: a dense tensor [rows] + shape.
struct FixedLenFeature {
  Shape shape = {};  // fully known
  DType dtype = DType::kInt64;
  // Of that dtype and shape: what rows have that lack the feature. Without it they are an error.
  std::optional<Tensor> default_value = {};
};

// Any number of blocks of `shape`. Of tf.Example: a dense tensor [rows, longest] + shape, whose shorter rows are padded with
// `default_value`. Of the steps of a tf.SequenceExample: the same, each step being a block, padded with 0 or "".
struct FixedLenSequenceFeature {
  Shape shape = {};  // fully known, at least one element
  DType dtype = DType::kInt64;
  // Rows may lack the feature: they have no blocks. tf.Example needs it.
  bool allow_missing = false;
  std::optional<Tensor> default_value = {};  // one element of that dtype; absent: 0 or ""
};

// Any number of values: a ragged tensor [rows, (values)], of the steps of a tf.SequenceExample [rows, (steps), (values)].
// TensorFlow makes a SparseTensor of it, with the same values in the same rows.
struct VarLenFeature {
  DType dtype = DType::kInt64;
};

// How the values of each row are grouped by another feature, an int64_list, or in groups of one size.
struct RaggedFeaturePartition {
  enum class Kind : uint8_t { kRowSplits, kRowLengths, kRowStarts, kRowLimits, kValueRowids, kUniformRowLength };

  Kind kind = Kind::kRowSplits;
  std::string key = {};            // the feature; not of kUniformRowLength
  int64_t uniform_row_length = 0;  // of kUniformRowLength: at least 1
};

// A ragged tensor [rows, (partitions...), (values)]. What TensorFlow checks only when asked is always checked.
struct RaggedFeature {
  DType dtype = DType::kInt64;
  std::string value_key = {};                           // the feature that has the values; "": the one of this name
  std::vector<RaggedFeaturePartition> partitions = {};  // outermost first
  DType row_splits_dtype = DType::kInt64;               // or kInt32
};

// Values and where they are in a sparse array of shape `size`: structs [rows, (values)] with the fields "indices", int64
// [rows, (values), index_keys], and "values". TensorFlow makes a SparseTensor [rows] + size of them.
struct SparseFeature {
  std::vector<std::string> index_keys = {};  // one for each axis; int64 features, each with as many values as value_key
  std::string value_key = {};
  DType dtype = DType::kInt64;
  std::vector<int64_t> size = {};  // one for each axis: what an index is less than
  bool already_sorted = false;     // else values are sorted by their indices
};

using FeatureSpec = std::variant<FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, RaggedFeature, SparseFeature>;

// Names of features and what they become, in the order of the fields that they become.
using FeatureSpecs = std::vector<std::pair<std::string, FeatureSpec>>;

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXAMPLES_FEATURE_SPECS_H_
