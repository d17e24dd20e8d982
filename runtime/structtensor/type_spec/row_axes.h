// Specs of values with one axis more or less in front, or with other rows: what stacking, unstacking and slicing make of a
// spec.
#ifndef STRUCTTENSOR_TYPE_SPEC_ROW_AXES_H_
#define STRUCTTENSOR_TYPE_SPEC_ROW_AXES_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "structtensor/type_spec/shape.h"
#include "structtensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// What becomes of the shapes and of the specs that a spec holds.
struct ShapeChange {
  std::function<absl::StatusOr<Shape>(const Shape&)> shape;
  std::function<absl::StatusOr<TypeSpec>(const TypeSpec&)> spec;
};

// The spec of `count` values of that spec, stacked along a new axis 0. Values of ragged specs may differ in their row lengths,
// also in the sizes of inner axes that are known for none of them.
// Requires: count >= 0 or kUnknownDimension.
// Errors: InvalidArgument of row partitions, of extension types that have no spec for it (values without rows are stacked as
//   ExtensionRows, whose spec comes with them), or if a size exceeds int64. Source: StackableTypeSpec.stacked in the RFC.
absl::StatusOr<TypeSpec> Stacked(const TypeSpec& spec, int64_t count);

// The spec of the rows of values of that spec; every spec is a subtype of Unstacked(Stacked(spec, n)), which forgets only how
// many values ragged rows have. A ragged spec keeps its kind, also at ragged rank 0, so that it can be stacked again. A
// structured spec of rank 0 is a record of fields that are unstacked together.
// Errors: InvalidArgument of row partitions and of scalars (the message names the field). Source: StackableTypeSpec.unstacked.
absl::StatusOr<TypeSpec> Unstacked(const TypeSpec& spec);

// The spec of other rows of the same kind, `nrows` of them (or kUnknownDimension). An extension type that does not know such a
// spec keeps the one it has.
// Requires: spec has rank >= 1 or an unknown one, and is no row partition.
TypeSpec WithNrows(const TypeSpec& spec, int64_t nrows);

// The change to those rows, for specs of extension types. Shapes and specs in their state that have no axes stay.
ShapeChange ToNrows(int64_t nrows);

// The shape of rows of `shape` grouped by `partition`, as WithOuterPartition() of specs.
// Requires: shape has rank >= 1 or an unknown one.
Shape WithOuterPartition(const RowPartitionSpec& partition, const Shape& shape);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TYPE_SPEC_ROW_AXES_H_
