#include "structtensor/tensor/values/extension_rows.h"

#include <cassert>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/shared/compose_rows.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

// The sizes of the first axes, as far as any component knows them.
Shape CommonShape(const std::vector<Value>& components, int rank) {
  std::vector<int64_t> dims(static_cast<size_t>(rank), kUnknownDimension);
  for (const Value& component : components) {
    const Shape shape = component.shape();
    for (int axis = 0; axis < rank; ++axis) {
      if (dims[static_cast<size_t>(axis)] == kUnknownDimension) dims[static_cast<size_t>(axis)] = shape[axis];
    }
  }
  return Shape(dims);
}

const ExtensionRowsSpec* AsRowsSpec(const ExtensionTypeSpec& spec) {
  return spec.type_name() == ExtensionRowsSpec::kTypeName ? dynamic_cast<const ExtensionRowsSpec*>(&spec) : nullptr;
}

// The length of the rows, if all have the same length. Without rows, it is `expected`, or 0 if that is not known.
std::optional<int64_t> OnlyLength(const RowPartition& partition, int64_t expected) {
  if (partition.is_uniform()) return partition.uniform_row_length();
  if (partition.nrows() == 0) return expected == kUnknownDimension ? 0 : expected;
  const int64_t length = partition.row_length(0);
  for (int64_t i = 1; i < partition.nrows(); ++i) {
    if (partition.row_length(i) != length) return std::nullopt;
  }
  return length;
}

// A component in the form of the spec. A component that became ragged together with other rows is dense again, if it is dense
// alone.
Value AsSpecSays(const TypeSpec& spec, const Value& component) {
  const RaggedTensor* ragged = component.ragged();
  if (spec.tensor() == nullptr || ragged == nullptr) return component;
  const Shape& expected = spec.tensor()->shape();
  std::vector<int64_t> dims = {ragged->nrows()};
  for (const RowPartition& partition : ragged->row_partitions()) {
    const bool known = expected.rank_known() && expected.rank() > static_cast<int>(dims.size());
    const std::optional<int64_t> length =
        OnlyLength(partition, known ? expected[static_cast<int>(dims.size())] : kUnknownDimension);
    if (!length) return component;
    dims.push_back(*length);
  }
  const Tensor& flat = ragged->flat_values();
  dims.insert(dims.end(), flat.shape().dims().begin() + 1, flat.shape().dims().end());
  const Shape shape(dims);
  return shape.num_elements() == flat.shape().num_elements() ? Value(flat.Reshape(shape)) : component;
}

Nest<Value> AsSpecSays(const ExtensionTypeSpec& spec, const Nest<Value>& components) {
  auto changed = MapStructure([](const TypeSpec& of, const Value& component) { return AsSpecSays(of, component); },
                              spec.ComponentSpecs(), components);
  return changed.ok() ? *std::move(changed) : components;
}

// A value of the element's type, if the type accepts the components and the value has `rank` axes.
std::optional<Value> MakeElement(const TypeSpec& element, const Nest<Value>& components, int rank) {
  const absl::StatusOr<Value> made = FromComponents(*element.extension(), AsSpecSays(*element.extension(), components));
  if (!made.ok() || made->extension() == nullptr || made->rank() != rank) return std::nullopt;
  if (made->extension()->spec()->type_name() != element.extension()->type_name()) return std::nullopt;
  return *made;
}

absl::Status NotAState() {
  return absl::InvalidArgumentError(
      "the state of ExtensionRows is (shape, outer rank, spec of the element, specs of components with these axes in front)");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> ExtensionRowsSpec::FromState(const Nest<StaticState>& state) {
  const std::vector<Nest<StaticState>>& items = state.items();
  if (state.kind() != NestKind::kTuple || items.size() != 4 || !items[0].is_leaf() || !items[1].is_leaf() ||
      !items[2].is_leaf()) {
    return NotAState();
  }
  const Shape* shape = items[0].leaf().get_if<Shape>();
  const int64_t* outer_rank = items[1].leaf().get_if<int64_t>();
  const TypeSpec* element = items[2].leaf().get_if<TypeSpec>();
  if (shape == nullptr || outer_rank == nullptr || element == nullptr || element->extension() == nullptr ||
      !shape->rank_known() || *outer_rank < 0 || *outer_rank > shape->rank() || (*outer_rank == 0 && shape->rank() > 0)) {
    return NotAState();
  }
  std::vector<TypeSpec> components;
  for (const StaticState& leaf : Flatten(items[3])) {
    const TypeSpec* component = leaf.get_if<TypeSpec>();
    if (component == nullptr || component->row_partition() != nullptr) return NotAState();
    const Shape found = component->shape();
    if (!found.rank_known() || found.rank() < shape->rank() || !found.Outer(shape->rank()).IsCompatibleWith(*shape)) {
      return NotAState();
    }
    components.push_back(*component);
  }
  if (components.empty()) return NotAState();
  return std::make_shared<const ExtensionRowsSpec>(*shape, static_cast<int>(*outer_rank), *element,
                                                   *PackSequenceAs(items[3], components));
}

Nest<StaticState> ExtensionRowsSpec::Serialize() const {
  return Nest<StaticState>::Tuple(
      {StaticState(shape_), StaticState(outer_rank_), StaticState(element_),
       *MapStructure([](const TypeSpec& component) { return StaticState(component); }, components_)});
}

Nest<Value> ExtensionRowsSpec::ToComponents(const ExtensionType& value) const {
  return static_cast<const ExtensionRows&>(value).components();
}

absl::StatusOr<Value> ExtensionRowsSpec::FromComponents(const Nest<Value>& components) const {
  STRUCTTENSOR_RETURN_IF_ERROR(AssertSameStructure(components_, components));
  for (const Value& component : Flatten(components)) {
    if (component.rank() < shape_.rank()) {
      return absl::InvalidArgumentError(absl::StrCat("a component of ", DebugString(), " is ", component.spec().DebugString(),
                                                     "; it needs the ", shape_.rank(), " axes of the rows in front"));
    }
  }
  Value rows = ExtensionRows::Make(element_, outer_rank_, shape_.rank(), components);
  if (rows.rank() != shape_.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the components of ", DebugString(), " differ in their first ",
                                                   shape_.rank(), " axes; they must be the same rows"));
  }
  return rows;
}

std::string ExtensionRowsSpec::DebugString() const {
  return absl::StrCat("ExtensionRowsSpec(", shape_.DebugString(), ", ", element_.DebugString(), ")");
}

bool ExtensionRowsSpec::IsCompatibleWith(const ExtensionTypeSpec& other) const {
  const ExtensionRowsSpec* rows = AsRowsSpec(other);
  return rows != nullptr && outer_rank_ == rows->outer_rank_ && shape_.IsCompatibleWith(rows->shape_) &&
         element_.IsCompatibleWith(rows->element_);
}

bool ExtensionRowsSpec::IsSubtypeOf(const ExtensionTypeSpec& other) const {
  const ExtensionRowsSpec* rows = AsRowsSpec(other);
  return rows != nullptr && outer_rank_ == rows->outer_rank_ && shape_.IsSubtypeOf(rows->shape_) &&
         element_.IsSubtypeOf(rows->element_);
}

std::shared_ptr<const ExtensionTypeSpec> ExtensionRowsSpec::MostSpecificCompatibleType(const ExtensionTypeSpec& other) const {
  const ExtensionRowsSpec* rows = AsRowsSpec(other);
  if (rows == nullptr || outer_rank_ != rows->outer_rank_ || shape_.rank() != rows->shape_.rank()) return nullptr;
  const std::optional<TypeSpec> element = element_.MostSpecificCompatibleType(rows->element_);
  // Elements of different ranks have components of different ranks, which cannot be rows of one array.
  if (!element || (element_.extension()->shape().rank_known() && !element->extension()->shape().rank_known())) return nullptr;
  const auto components = MapStructure(
      [](const TypeSpec& a, const TypeSpec& b) { return a.MostSpecificCompatibleType(b).value_or(a.WithUnknownSizes()); },
      components_, rows->components_);
  if (!components.ok()) return nullptr;
  return std::make_shared<const ExtensionRowsSpec>(shape_.MostSpecificCompatible(rows->shape_), outer_rank_, *element,
                                                   *components);
}

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> ExtensionRowsSpec::WithShapes(const ShapeChange& change) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Shape shape, change.shape(shape_));
  const int outer_rank = shape.rank_known() ? outer_rank_ + shape.rank() - shape_.rank() : -1;
  if (outer_rank == 0 && outer_rank_ > 0) return element_.extension()->shared_from_this();
  if (outer_rank < 0) return NotAState();
  std::vector<TypeSpec> components;
  for (const TypeSpec& component : Flatten(components_)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec changed, change.spec(component));
    components.push_back(std::move(changed));
  }
  return std::make_shared<const ExtensionRowsSpec>(shape, outer_rank, element_, *PackSequenceAs(components_, components));
}

Value ExtensionRows::Make(TypeSpec element, int outer_rank, int rank, Nest<Value> components) {
  const std::vector<Value> leaves = Flatten(components);
  assert(element.extension() != nullptr && !leaves.empty() && 0 <= outer_rank && outer_rank <= rank);
  auto spec = std::make_shared<const ExtensionRowsSpec>(
      CommonShape(leaves, rank), outer_rank, std::move(element),
      *MapStructure([](const Value& component) { return component.spec(); }, components));
  return Value(std::shared_ptr<const ExtensionType>(new ExtensionRows(std::move(spec), std::move(components))));
}

Value ExtensionRows::SliceRows(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= nrows());
  return Make(spec_->element(), spec_->outer_rank(), rank(),
              *MapStructure([=](const Value& component) { return component.SliceRows(begin, end); }, components_));
}

Value ExtensionRows::Row(int64_t i) const {
  assert(rank() >= 1 && 0 <= i && i < nrows());
  const Nest<Value> row = *MapStructure([=](const Value& component) { return component.Row(i); }, components_);
  const int row_rank = rank() - 1;
  if (spec_->outer_rank() > 1) return Make(spec_->element(), spec_->outer_rank() - 1, row_rank, row);
  if (std::optional<Value> element = MakeElement(spec_->element(), row, row_rank)) return *std::move(element);
  if (row_rank == 0) return Make(spec_->element(), 0, 0, row);
  return Make(Unstacked(spec_->element()).value_or(spec_->element()), 1, row_rank, row);
}

absl::StatusOr<TypeSpec> StackedOrRows(const TypeSpec& spec, int64_t count) {
  absl::StatusOr<TypeSpec> stacked = Stacked(spec, count);
  const ExtensionTypeSpec* const element = spec.extension();
  if (stacked.ok() || element == nullptr || !element->shape().rank_known()) return stacked;
  const auto* const with_components = dynamic_cast<const ExtensionValueSpec*>(element);
  if (with_components == nullptr) return stacked;
  absl::Status status;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<TypeSpec> components, MapStructure(
                                                                     [&](const TypeSpec& component) {
                                                                       absl::StatusOr<TypeSpec> rows =
                                                                           Stacked(component, count);
                                                                       status.Update(rows.status());
                                                                       return rows.ok() ? *std::move(rows) : component;
                                                                     },
                                                                     with_components->ComponentSpecs()));
  if (!status.ok()) return status;
  return TypeSpec(std::make_shared<const ExtensionRowsSpec>(element->shape().Prepend(count), 1, spec, components));
}

absl::StatusOr<Value> ExtensionRows::TakeRows(std::span<const int64_t> rows) const {
  std::vector<Value> taken;
  for (const Value& component : Flatten(components_)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value of_component, values_internal::TakeRowsChecked(component, rows));
    taken.push_back(of_component);
  }
  return Make(spec_->element(), spec_->outer_rank(), rank(), *PackSequenceAs(components_, taken));
}

Value ExtensionRows::WithOuterPartition(const RowPartition& partition) const {
  assert(rank() >= 1 && partition.nvals() == nrows());
  return Make(spec_->element(), spec_->outer_rank() + 1, rank() + 1,
              *MapStructure([&](const Value& component) { return structtensor::WithOuterPartition(partition, component); },
                            components_));
}

}  // namespace structtensor
