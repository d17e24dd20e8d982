#include "structtensor/tensor/values/constant.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/values/internal/nested_columns.h"
#include "structtensor/tensor/values/internal/nested_schema.h"

namespace structtensor {
namespace {

absl::StatusOr<values_internal::NestedSchema> InferLeafSchema(const NestedValue& nested, values_internal::InferOptions options,
                                                              const std::optional<DType>& dtype) {
  options.dtype_is_given = dtype.has_value();
  STRUCTTENSOR_ASSIGN_OR_RETURN(values_internal::NestedSchema schema, values_internal::InferSchema(nested, options));
  if (schema.is_struct)
    return values_internal::NestedError(nullptr, "found a dict; a tensor is made of lists, numbers and strings");
  if (dtype) schema.dtype = *dtype;
  return schema;
}

// Returns a tensor with the element at every place of `shape`. Requires: flat has exactly one element.
absl::StatusOr<Tensor> Fill(const Tensor& flat, const Shape& shape) {
  return flat.Reshape(Shape()).View(0, shape, Tensor::Strides(static_cast<size_t>(shape.rank()), 0));
}

}  // namespace

absl::StatusOr<Value> Constant(const NestedValue& nested, const ConstantOptions& options) {
  if (options.spec && options.spec->tensor() != nullptr && !options.spec->tensor()->shape().rank_known()) {
    return TensorConstant(nested, {.dtype = options.spec->tensor()->dtype()});
  }
  if (options.spec) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const values_internal::NestedSchema schema, values_internal::SchemaOfSpec(*options.spec));
    return values_internal::ValueOfNested(nested, schema);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(values_internal::NestedSchema schema,
                                values_internal::InferSchema(nested, {.int_dtype = options.int_dtype,
                                                                      .float_dtype = options.float_dtype,
                                                                      .dtype_is_given = options.dtype.has_value(),
                                                                      .dense_axes = options.dense_axes}));
  if (options.dtype) {
    if (schema.is_struct) {
      return values_internal::NestedError(nullptr, "found a dict; a dtype is for numbers and strings, structs need a spec");
    }
    schema.dtype = *options.dtype;
  }
  return values_internal::ValueOfNested(nested, schema);
}

absl::StatusOr<Value> RaggedConstant(const NestedValue& nested, const RaggedConstantOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      values_internal::NestedSchema schema,
      InferLeafSchema(nested, {.int_dtype = options.int_dtype, .float_dtype = options.float_dtype}, options.dtype));
  if (options.inner_shape && !options.inner_shape->rank_known()) {
    return absl::InvalidArgumentError("the rank of inner_shape must be known");
  }
  int depth = static_cast<int>(schema.axes.size());
  const int inner_rank = options.inner_shape ? options.inner_shape->rank() : 0;
  const int ragged_rank = options.ragged_rank.value_or(std::max(depth - 1 - inner_rank, 0));
  if (ragged_rank < 0 || ragged_rank > kMaxNestedDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("ragged_rank is ", ragged_rank, "; it must be in [0, ", kMaxNestedDepth, "]"));
  }
  const int min_depth = ragged_rank > 0 || inner_rank > 0 ? 1 + ragged_rank + inner_rank : 0;
  if (schema.may_be_deeper && depth < min_depth) {
    depth = min_depth;
    schema.axes.resize(static_cast<size_t>(depth));
  }
  if (depth < min_depth || (options.inner_shape && options.ragged_rank && depth != min_depth)) {
    return absl::InvalidArgumentError(absl::StrCat("the value is nested ", depth, " lists deep; ragged_rank ", ragged_rank,
                                                   " and an inner_shape of rank ", inner_rank, " need ", min_depth));
  }
  for (int axis = 0; axis < depth; ++axis) {
    values_internal::NestedAxis& list = schema.axes[static_cast<size_t>(axis)];
    list.partition = 0 < axis && axis <= ragged_rank;
    list.dtype = options.row_splits_dtype;
    if (options.inner_shape && axis >= depth - inner_rank) list.size = (*options.inner_shape)[axis - (depth - inner_rank)];
  }
  return values_internal::ValueOfNested(nested, schema);
}

absl::StatusOr<Tensor> TensorConstant(const NestedValue& nested, const TensorConstantOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      values_internal::NestedSchema schema,
      InferLeafSchema(nested, {.int_dtype = options.int_dtype, .float_dtype = options.float_dtype}, options.dtype));
  for (values_internal::NestedAxis& axis : schema.axes) axis.partition = false;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, values_internal::ValueOfNested(nested, schema));
  const Tensor& tensor = *value.tensor();
  if (!options.shape || !options.shape->rank_known()) return tensor;
  int64_t size_elements = 1;
  for (const int64_t dim : options.shape->dims()) {
    if (dim < 0 || __builtin_mul_overflow(size_elements, dim, &size_elements)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the shape of a constant is ", options.shape->DebugString(), "; it must be fully known and countable"));
    }
  }
  if (size_elements == tensor.size_elements()) return tensor.Reshape(*options.shape);
  if (tensor.size_elements() == 1) return Fill(tensor, *options.shape);
  return absl::InvalidArgumentError(absl::StrCat("a constant of ", tensor.size_elements(), " elements does not fill shape ",
                                                 options.shape->DebugString(), ", which has ", size_elements));
}

}  // namespace structtensor
