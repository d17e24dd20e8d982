// Shapes of values as data, with every row length. A TypeSpec knows only a part of this.
#ifndef STRUCTTENSOR_TENSOR_MATH_DYNAMIC_RAGGED_SHAPE_H_
#define STRUCTTENSOR_TENSOR_MATH_DYNAMIC_RAGGED_SHAPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A list of row partitions, outermost first, then the shape of a dense array, whose axis 0 has the values of the last
// partition. An axis is uniform if all its rows have the same length by construction. Otherwise it is ragged, even if its rows
// happen to have the same length. Optional axes are ragged.
//
//   value                     lengths            row partitions    inner shape
//   [[1, 2, 3], [4, 5, 6]]    [2, 3]             none              [2, 3]
//   [[[1], [2]], [[3]]]       [2, (2, 1), 1]     row_splits 0 2 3  [3, 1]
//   7                         []                 none              []
class DynamicRaggedShape {
 public:
  // The size of an axis, or the length of each of its rows.
  using Length = std::variant<int64_t, std::vector<int64_t>>;

  DynamicRaggedShape() = default;  // of a scalar

  // Returns the shape with those lengths and as many row partitions as its last ragged axis needs, or more if
  // num_row_partitions says so. Shapes: one length for each axis; a list has one item for each row of the axis.
  // Errors: InvalidArgument if a length is negative, the first is a list, a list does not have one item for each row (the
  //   message names the axis), num_row_partitions is less than the shape needs or not below the number of axes, or dtype is not
  //   kInt32 or kInt64; ResourceExhausted if int64 cannot count the elements, or dtype cannot count the values of partitions.
  // Cost: O(lengths). Source: tf.experimental.DynamicRaggedShape.from_lengths.
  static absl::StatusOr<DynamicRaggedShape> FromLengths(std::span<const Length> lengths, DType dtype = DType::kInt64,
                                                        std::optional<int> num_row_partitions = std::nullopt);

  // The shape of a value, with the value's partitions. A struct gives only the partitions of its own axes; an extension type
  // gives the shape that its spec says. Errors: InvalidArgument if this spec has no shape. Cost: O(rank).
  static absl::StatusOr<DynamicRaggedShape> FromValue(const Value& value);
  static DynamicRaggedShape FromShape(Shape shape, DType dtype = DType::kInt64);  // Requires: fully known.

  // For parts that fit by construction. Requires: each partition has as many values as the next one has rows, the last one has
  // inner_shape[0] values, and partitions have that dtype.
  static DynamicRaggedShape FromParts(std::vector<RowPartition> row_partitions, Shape inner_shape,
                                      DType dtype = DType::kInt64) {
    return DynamicRaggedShape(std::move(row_partitions), std::move(inner_shape), dtype);
  }

  int rank() const { return static_cast<int>(row_partitions_.size()) + inner_shape_.rank(); }
  int num_row_partitions() const { return static_cast<int>(row_partitions_.size()); }
  const std::vector<RowPartition>& row_partitions() const { return row_partitions_; }
  const Shape& inner_shape() const { return inner_shape_; }  // fully known
  // The dtype of the row splits: kInt64 or kInt32.
  DType dtype() const { return dtype_; }
  // How many elements a value of this shape has.
  int64_t num_elements() const { return inner_shape_.num_elements(); }

  // Requires: 0 <= axis < rank().
  bool is_uniform(int axis) const;
  // The shape with kUnknownDimension for ragged axes.
  Shape static_shape() const;
  // The size or the row lengths of each axis. Cost: O(rows).
  std::vector<Length> lengths() const;

  // The size of a uniform axis; a negative `axis` counts from the end.
  // Errors: OutOfRange if there is no such axis; InvalidArgument if it is ragged.
  absl::StatusOr<int64_t> Dimension(int64_t axis) const;
  // Axes [begin, end) as a shape. As in Python, begin and end are clipped, and negative ones count from the end. A slice that
  // does not start at 0 has no partitions.
  // Errors: InvalidArgument if it does not start at 0 and an axis before `end` is ragged. Cost: O(rank).
  absl::StatusOr<DynamicRaggedShape> Slice(std::optional<int64_t> begin, std::optional<int64_t> end) const;

  // How the values of `axis` form rows, also if the axis is dense. Requires: 1 <= axis < rank().
  // Errors: ResourceExhausted if int64 cannot count the rows. This can only happen before an empty axis.
  absl::StatusOr<RowPartition> AxisPartition(int axis) const;

  // The same shape with that dtype. Errors: InvalidArgument if dtype is not kInt32 or kInt64; ResourceExhausted if dtype cannot
  // count the values of a partition.
  absl::StatusOr<DynamicRaggedShape> WithDtype(DType dtype) const;

  // "<DynamicRaggedShape lengths=[2, (2, 1), 4] num_row_partitions=1>"; long lists are shortened.
  std::string DebugString() const;

 private:
  DynamicRaggedShape(std::vector<RowPartition> row_partitions, Shape inner_shape, DType dtype)
      : row_partitions_(std::move(row_partitions)), inner_shape_(inner_shape), dtype_(dtype) {}

  std::vector<RowPartition> row_partitions_;
  Shape inner_shape_;
  DType dtype_ = DType::kInt64;
};

// True if lengths and number of row partitions are equal; dtypes may differ.
bool operator==(const DynamicRaggedShape& a, const DynamicRaggedShape& b);

// Returns structs of that shape, without fields. Errors: ResourceExhausted if they cannot be counted. Cost: O(rank).
// Source: StructuredTensor.from_shape.
absl::StatusOr<StructuredTensor> StructsOfShape(const DynamicRaggedShape& shape);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_DYNAMIC_RAGGED_SHAPE_H_
