// Rows of extension types that the types themselves cannot hold.
//
//   stacked   a sparse tensor of 2 elements and one of 5   its components have a row for each element, not for each value
//   grouped   masked [1, 2, 3] as rows [[1, 2], [3]]       its components must be dense
//
// Both become ExtensionRows: the components, each with the rows as its outer axis, and the spec of one element. The components
// of row i make element i again:
//   indices [[[0, 1], [1, 2]], [[0, 0], ...]]    values [[7, 8], [1, ...]]    element: SparseTensor
#ifndef STRUCTTENSOR_TENSOR_VALUES_EXTENSION_ROWS_H_
#define STRUCTTENSOR_TENSOR_VALUES_EXTENSION_ROWS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/extension_type_spec.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/extension_type.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The spec of ExtensionRows. Whether two specs are compatible (subtypes, merged) depends on shapes and elements only: whether
// components of a shape are dense or ragged follows from the data.
class ExtensionRowsSpec final : public ExtensionValueSpec {
 public:
  static constexpr std::string_view kTypeName = "structtensor.ExtensionRows";

  // Makes the spec from its state (shape, outer rank, element, component specs). Errors: InvalidArgument if it is not such a
  // state.
  static absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> FromState(const Nest<StaticState>& state);

  // Requires: what FromState() checks.
  ExtensionRowsSpec(Shape shape, int outer_rank, TypeSpec element, Nest<TypeSpec> components)
      : shape_(std::move(shape)), outer_rank_(outer_rank), element_(std::move(element)), components_(std::move(components)) {}

  std::string_view type_name() const override { return kTypeName; }
  // The axes of the rows, then the axes of the elements.
  Shape shape() const override { return shape_; }
  // How many outer axes to take off until an element is left. 0: the value is one element that its type refused.
  int outer_rank() const { return outer_rank_; }
  const TypeSpec& element() const { return element_; }

  RowRule row_rule() const override { return outer_rank_ > 0 ? RowRule::kComponentRows : RowRule::kNoRows; }
  Nest<StaticState> Serialize() const override;
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return FromState(state);
  }
  Nest<TypeSpec> ComponentSpecs() const override { return components_; }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

  // "ExtensionRowsSpec([2], MaskedTensor.Spec(...))"
  std::string DebugString() const override;
  bool IsCompatibleWith(const ExtensionTypeSpec& other) const override;
  bool IsSubtypeOf(const ExtensionTypeSpec& other) const override;
  std::shared_ptr<const ExtensionTypeSpec> MostSpecificCompatibleType(const ExtensionTypeSpec& other) const override;
  // Returns the spec of the element if the change takes off the last outer axis.
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithShapes(const ShapeChange& change) const override;

 private:
  Shape shape_;
  int outer_rank_;
  TypeSpec element_;
  Nest<TypeSpec> components_;
};

// Returns the spec of `count` stacked values of this spec (or kUnknownDimension). For a type without rows, it is the spec of
// ExtensionRows whose components have one axis more.
// Errors: the errors of Stacked() for all other specs, and for components that cannot be stacked.
absl::StatusOr<TypeSpec> StackedOrRows(const TypeSpec& spec, int64_t count);

class ExtensionRows final : public ExtensionType {
 public:
  // Returns the value whose elements are left when the outer_rank outer axes of all components are taken off. It has `rank`
  // axes: the outer axes, then the axes of the elements.
  // Requires: element is of an extension type; there are components; they have `rank` axes in common; 0 <= outer_rank <= rank.
  static Value Make(TypeSpec element, int outer_rank, int rank, Nest<Value> components);

  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  const Nest<Value>& components() const { return components_; }

  Value SliceRows(int64_t begin, int64_t end) const override;
  // When the last outer axis is taken off: an element, of its own type unless that type refuses it.
  Value Row(int64_t i) const override;
  Value WithOuterPartition(const RowPartition& partition) const override;
  absl::StatusOr<Value> TakeRows(std::span<const int64_t> rows) const override;

 private:
  ExtensionRows(std::shared_ptr<const ExtensionRowsSpec> spec, Nest<Value> components)
      : spec_(std::move(spec)), components_(std::move(components)) {}

  std::shared_ptr<const ExtensionRowsSpec> spec_;
  Nest<Value> components_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_EXTENSION_ROWS_H_
