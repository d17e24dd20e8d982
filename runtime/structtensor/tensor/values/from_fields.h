// Structured tensors from fields as a reader sees them, with the structs' axes as outer axes.
#ifndef STRUCTTENSOR_TENSOR_VALUES_FROM_FIELDS_H_
#define STRUCTTENSOR_TENSOR_VALUES_FROM_FIELDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How far the axes of the fields are compared. At every level, a field has as many flat rows as there are structs.
enum class ValidateLevel : uint8_t {
  kNone,   // not at all: the caller knows that they agree. Axes come from row_partitions, or from the first field
  kCheap,  // sizes: the numbers of rows and of values of every axis. Cost: O(rank) for each field
  kFull,   // every row of every axis. Cost: O(rows of the outer axes) for each field that does not share its row splits
};

struct FromFieldsOptions {
  // How many axes the structs have, and their sizes if known; other sizes come from the fields and row_partitions. Default: a
  // scalar.
  Shape shape = {};
  // The size of axis 0, for structs without fields and row_partitions. Default: from the fields, shape and row_partitions.
  std::optional<int64_t> nrows = {};
  // Axes 1 and up, outermost first. Default: from the fields or the shape.
  std::optional<std::vector<RowPartition>> row_partitions = {};
  ValidateLevel validate = ValidateLevel::kFull;
};

// Returns the structs whose fields are `fields`, in that order: result[i1, ..., in].f is fields.f[i1, ..., in]. The outer axes
// of each field may be dense, ragged or uniform, and fields may differ in this. If one field knows a row length for all rows,
// the result knows it, too.
// Ownership: shares the buffers of the fields (of a strided view: of its contiguous copy).
// Errors: InvalidArgument, naming the field, if a name is empty or comes twice; a field has too few axes; its sizes or rows
//   differ from another field, the shape, nrows or row_partitions; a size is missing, or is given for an axis that the rank
//   does not have.
// Source: tf.experimental.StructuredTensor.from_fields.
absl::StatusOr<StructuredTensor> FromFields(std::vector<Field> fields, const FromFieldsOptions& options = {});

// Like FromFields, if only the rank of the shape is known. If all fields are scalars, so is the result, also with rank 1.
// `shape_dtype` is the dtype of all row partitions of the result, also in its fields. Default: int32 if all fields with
// partitions have int32, else int64.
// Errors: also InvalidArgument if there are no fields, the rank is negative, or shape_dtype is not kInt32 or kInt64, or cannot
//   count the values.
// Source: tf.experimental.StructuredTensor.from_fields_and_rank.
absl::StatusOr<StructuredTensor> FromFieldsAndRank(std::vector<Field> fields, int rank,
                                                   std::optional<DType> shape_dtype = std::nullopt,
                                                   ValidateLevel validate = ValidateLevel::kFull);

// Returns the structs of a fully known shape. Errors: as FromFields.
absl::StatusOr<StructuredTensor> DenseStructuredTensor(const Shape& shape, std::vector<Field> fields);

// Returns structs whose flat rows are grouped by row_partitions, outermost first. Each of `flat_fields` has
// row_partitions.back().nvals() rows. Errors: InvalidArgument if there are no partitions, they do not fit each other, a name is
// wrong, or a field is a scalar or has another number of rows.
absl::StatusOr<StructuredTensor> RaggedStructuredTensor(std::vector<RowPartition> row_partitions,
                                                        std::vector<Field> flat_fields);

// Returns the value whose row i is rows [row_splits[i], row_splits[i + 1]) of `values`, sharing them.
// Errors: InvalidArgument if values is a scalar, or row_splits is invalid (see RowPartition::FromRowSplits) or does not end at
//   values.nrows().
absl::StatusOr<Value> FromRowSplits(const Value& values, Buffer<int64_t> row_splits);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_FROM_FIELDS_H_
