#include "structtensor/extension/boxed.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/extension/internal/spec_axes.h"
#include "structtensor/ops/internal/concat_rows.h"
#include "structtensor/tensor/internal/compose_rows.h"
#include "structtensor/type_spec/row_axes.h"

namespace structtensor {
namespace {

absl::Status CheckMinimumRank(int minimum_rank, const Shape& shape) {
  if (minimum_rank >= 0 && (!shape.rank_known() || minimum_rank <= shape.rank())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("minimum_rank is ", minimum_rank, "; of a value of shape ",
                                                 shape.DebugString(), " it is 0 or more, and no more than the rank"));
}

bool HasSpec(const Value& value, const TypeSpec& spec) {
  const TypeSpec found = value.spec();
  // A row of a ragged value may be a tensor: it is ragged only once it is stacked with others.
  const bool tensor_of_ragged_spec = spec.ragged() != nullptr && value.tensor() != nullptr && spec.IsCompatibleWith(found);
  return found.IsSubtypeOf(spec) || tensor_of_ragged_spec;
}

absl::Status WrongSpec(const Value& value, const TypeSpec& spec) {
  return absl::InvalidArgumentError(
      absl::StrCat("the value is ", value.spec().DebugString(), "; expected one of ", spec.DebugString()));
}

// Takes axis 0 from all values, and returns their rows. Axis 0 must have the same size in all of them.
absl::StatusOr<std::vector<Value>> UnstackEach(const std::vector<Value>& values, std::vector<int64_t>& dims) {
  const int64_t nrows = values.empty() ? 0 : values.front().nrows();
  std::vector<Value> rows;
  rows.reserve(values.size() * static_cast<size_t>(nrows));
  for (const Value& value : values) {
    if (value.nrows() != nrows) {
      return absl::InvalidArgumentError(absl::StrCat("axis ", dims.size(), " has rows of ", nrows, " and of ", value.nrows(),
                                                     " values; boxes have dense axes, so a smaller minimum_rank is needed"));
    }
    for (int64_t i = 0; i < nrows; ++i) rows.push_back(value.Row(i));
  }
  dims.push_back(nrows);
  return rows;
}

absl::StatusOr<Value> Stack(const TypeSpec& row_spec, const std::vector<Value>& values) {
  std::vector<Value> rows;
  rows.reserve(values.size());
  for (const Value& value : values) {
    if (!HasSpec(value, row_spec)) return WrongSpec(value, row_spec);
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value row, tensor_internal::AsOneRow(value));
    rows.push_back(std::move(row));
  }
  return ops_internal::ConcatRows(rows, ops_internal::UnequalShapes::kMakeRagged);
}

absl::Status NoBoxes(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("there are no boxes to ", std::string(what), "; their shape is unknown"));
}

absl::Status ShapesDiffer(const Shape& a, const Shape& b) {
  return absl::InvalidArgumentError(
      absl::StrCat("boxes have shapes ", a.DebugString(), " and ", b.DebugString(), "; they must agree"));
}

}  // namespace

absl::StatusOr<BoxedTensor> BoxedTensor::Make(Shape shape, std::vector<Value> values) {
  if (!shape.is_fully_known() || shape.num_elements() != static_cast<int64_t>(values.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of shape ", shape.DebugString(), " cannot have ", values.size(), " values"));
  }
  return BoxedTensor(std::move(shape), std::move(values));
}

absl::StatusOr<BoxedTensor> ToBoxed(const TypeSpec& spec, const Value& value, int minimum_rank) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMinimumRank(minimum_rank, value.shape()));
  if (!HasSpec(value, spec)) return WrongSpec(value, spec);
  std::vector<Value> values = {value};
  std::vector<int64_t> dims;
  for (int axis = 0; axis < minimum_rank; ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(values, UnstackEach(values, dims));
  }
  return BoxedTensor::Make(Shape(dims), std::move(values));
}

absl::StatusOr<Value> FromBoxed(const TypeSpec& spec, const BoxedTensor& boxed) {
  TypeSpec row_spec = spec;
  for (int axis = 0; axis < boxed.rank(); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(row_spec, Unstacked(row_spec));
  }
  if (boxed.rank() == 0) {
    if (!HasSpec(boxed.values().front(), spec)) return WrongSpec(boxed.values().front(), spec);
    return boxed.values().front();
  }
  // Stacks all elements one behind the other, then puts the array's axes in front.
  STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec rows_spec, Stacked(row_spec, static_cast<int64_t>(boxed.values().size())));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      Value value, boxed.values().empty() ? extension_internal::NoRows(rows_spec) : Stack(row_spec, boxed.values()));
  for (int axis = boxed.rank() - 1; axis > 0; --axis) {
    const int64_t nrows = boxed.shape().Outer(axis).num_elements();
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromUniformRowLength(boxed.shape()[axis], nrows));
    value = WithOuterPartition(partition, value);
  }
  value = extension_internal::WithAxesOf(spec, value);
  if (!HasSpec(value, spec)) return WrongSpec(value, spec);
  return value;
}

absl::StatusOr<BoxedTensorSpec> BoxedSpec(const TypeSpec& spec, int minimum_rank) {
  const Shape shape = spec.shape();
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMinimumRank(minimum_rank, shape));
  TypeSpec element = spec;
  for (int axis = 0; axis < minimum_rank; ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(element, Unstacked(element));
  }
  std::vector<int64_t> dims(static_cast<size_t>(minimum_rank), kUnknownDimension);
  return BoxedTensorSpec{shape.rank_known() ? shape.Outer(minimum_rank) : Shape(dims), std::move(element)};
}

absl::StatusOr<BoxedTensor> StackBoxes(std::span<const BoxedTensor> boxes) {
  if (boxes.empty()) return NoBoxes("stack");
  std::vector<Value> values;
  values.reserve(boxes.size() * boxes.front().values().size());
  for (const BoxedTensor& boxed : boxes) {
    if (!(boxed.shape() == boxes.front().shape())) return ShapesDiffer(boxes.front().shape(), boxed.shape());
    values.insert(values.end(), boxed.values().begin(), boxed.values().end());
  }
  return BoxedTensor::Make(boxes.front().shape().Prepend(static_cast<int64_t>(boxes.size())), std::move(values));
}

absl::StatusOr<BoxedTensor> ConcatBoxes(std::span<const BoxedTensor> boxes) {
  if (boxes.empty()) return NoBoxes("concatenate");
  int64_t nrows = 0;
  std::vector<Value> values;
  for (const BoxedTensor& boxed : boxes) {
    if (boxed.rank() == 0) return absl::InvalidArgumentError("a scalar box cannot be concatenated; stack it");
    if (!(boxed.shape().DropOuter(1) == boxes.front().shape().DropOuter(1))) {
      return ShapesDiffer(boxes.front().shape(), boxed.shape());
    }
    nrows += boxed.shape()[0];
    values.insert(values.end(), boxed.values().begin(), boxed.values().end());
  }
  return BoxedTensor::Make(boxes.front().shape().DropOuter(1).Prepend(nrows), std::move(values));
}

absl::StatusOr<std::vector<BoxedTensor>> UnstackBoxes(const BoxedTensor& boxed) {
  if (boxed.rank() == 0) return absl::InvalidArgumentError("a scalar box cannot be unstacked; box with a higher minimum_rank");
  const Shape row_shape = boxed.shape().DropOuter(1);
  const int64_t size = row_shape.num_elements();
  std::vector<BoxedTensor> rows;
  rows.reserve(static_cast<size_t>(boxed.shape()[0]));
  for (int64_t i = 0; i < boxed.shape()[0]; ++i) {
    const auto first = boxed.values().begin() + i * size;
    STRUCTTENSOR_ASSIGN_OR_RETURN(BoxedTensor row, BoxedTensor::Make(row_shape, std::vector<Value>(first, first + size)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace structtensor
