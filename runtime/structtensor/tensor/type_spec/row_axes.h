// What stacking, unstacking and slicing make of specs: specs of values with one outer axis more or less, or with other rows.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_ROW_AXES_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_ROW_AXES_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/shape.h"
#include "structtensor/tensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How to change the shapes and the specs that a spec holds.
struct ShapeChange {
  std::function<absl::StatusOr<Shape>(const Shape&)> shape;
  std::function<absl::StatusOr<TypeSpec>(const TypeSpec&)> spec;
};

// The spec of `count` values of that spec, stacked along a new axis 0. Values of ragged specs may differ in their row lengths,
// also in the sizes of inner axes that are known for none of them.
// Requires: count >= 0 or kUnknownDimension.
// Errors: InvalidArgument for row partitions, for extension types that have no spec for the stack (values without rows are
//   stacked as ExtensionRows, which bring their spec), or if a size exceeds int64. Source: StackableTypeSpec.stacked in the
//   RFC.
absl::StatusOr<TypeSpec> Stacked(const TypeSpec& spec, int64_t count);

// The spec of the rows of values of that spec. Every spec is a subtype of Unstacked(Stacked(spec, n)), which forgets only how
// many values ragged rows have. A ragged spec stays ragged, also at ragged rank 0, so that it can be stacked again. A
// structured spec of rank 0 is a record of fields that are unstacked together.
// Errors: InvalidArgument for row partitions and scalars (the message names the field). Source: StackableTypeSpec.unstacked.
absl::StatusOr<TypeSpec> Unstacked(const TypeSpec& spec);

// The spec with `nrows` rows (or kUnknownDimension) of the same kind. An extension type that does not know such a spec keeps
// its spec.
// Requires: spec has rank >= 1 or unknown rank, and is not a row partition.
TypeSpec WithNrows(const TypeSpec& spec, int64_t nrows);

// The change to `nrows` rows, for specs of extension types. Shapes and specs without axes stay as they are.
ShapeChange ToNrows(int64_t nrows);

// The shape of rows of `shape` grouped by `partition`, like WithOuterPartition() of specs.
// Requires: shape has rank >= 1 or unknown rank.
Shape WithOuterPartition(const RowPartitionSpec& partition, const Shape& shape);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_ROW_AXES_H_
