// Specs from arguments that may be wrong. The constructors make the same specs.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_MAKE_SPEC_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_MAKE_SPEC_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Errors: InvalidArgument if a dimension is below kUnknownDimension.
absl::StatusOr<TensorSpec> MakeTensorSpec(Shape shape, DType dtype, bool nullable = false);

// Returns the spec with these sizes and with those that follow from them: nvals is nrows times uniform_row_length.
// Errors: InvalidArgument if sizes are negative, contradict each other or exceed int64, rows of an optional partition are
//   longer than 1, or the dtype is not kInt32 or kInt64. Source: tf.RowPartitionSpec (in row_partition.py).
absl::StatusOr<RowPartitionSpec> MakeRowPartitionSpec(const RowPartitionSpec& sizes);

// Errors: InvalidArgument if ragged_rank is negative or not below the rank, a size is wrong, or row_splits_dtype is not kInt32
//   or kInt64. Source: tf.RaggedTensorSpec.
absl::StatusOr<RaggedTensorSpec> MakeRaggedTensorSpec(const Shape& shape, DType dtype, int ragged_rank, bool nullable = false,
                                                      DType row_splits_dtype = DType::kInt64);

struct StructuredTensorSpecOptions {
  StructKind kind = StructKind::kStruct;
  bool nullable = false;
  // Default: from shape and fields.
  std::vector<RowPartitionSpec> row_partitions = {};
  // Default: the dtype of the first of row_partitions; without row_partitions, kInt32 if some partition of the fields is kInt32
  // and none is kInt64, else kInt64.
  std::optional<DType> shape_dtype = std::nullopt;
};

// Returns the spec of structs of that shape. Fields are given as a reader sees them, with the structs' axes in front. What
// shape, fields and options say about the axes is combined.
// Errors: InvalidArgument, naming the field, if the rank is unknown, a name is empty or comes twice, a field is a row
//   partition, has too few axes or an unknown rank, or its axes contradict the shape or the partitions, or a field of an
//   extension type is in structs of rank 2 or more. Source: tf.experimental.StructuredTensor.Spec.
absl::StatusOr<StructuredTensorSpec> MakeStructuredTensorSpec(const Shape& shape, const std::vector<FieldSpec>& fields,
                                                              const StructuredTensorSpecOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_MAKE_SPEC_H_
