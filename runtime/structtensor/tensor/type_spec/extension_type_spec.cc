#include "structtensor/tensor/type_spec/extension_type_spec.h"

#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/shared_parts.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/type_spec/static_state.h"

namespace structtensor {
namespace {

// Whether the states have one structure and `passes` for each pair of leaves.
template <typename Passes>
bool LeavesPass(const Nest<StaticState>& a, const Nest<StaticState>& b, const Passes& passes) {
  if (a.kind() != b.kind() || a.items().size() != b.items().size() || a.names() != b.names()) return false;
  if (a.is_leaf()) return passes(a.leaf(), b.leaf());
  for (size_t i = 0; i < a.items().size(); ++i) {
    if (!LeavesPass(a.items()[i], b.items()[i], passes)) return false;
  }
  return true;
}

std::optional<StaticState> Merge(const StaticState& a, const StaticState& b) {
  if (a.get_if<Shape>() != nullptr && b.get_if<Shape>() != nullptr) {
    return StaticState(a.get_if<Shape>()->MostSpecificCompatible(*b.get_if<Shape>()));
  }
  if (a.get_if<TypeSpec>() != nullptr && b.get_if<TypeSpec>() != nullptr) {
    std::optional<TypeSpec> merged = a.get_if<TypeSpec>()->MostSpecificCompatibleType(*b.get_if<TypeSpec>());
    return merged ? std::optional<StaticState>(*std::move(merged)) : std::nullopt;
  }
  return a == b ? std::optional<StaticState>(a) : std::nullopt;
}

absl::StatusOr<Nest<StaticState>> Change(const Nest<StaticState>& state, const ShapeChange& change) {
  if (state.kind() == NestKind::kNone) return state;
  if (state.is_leaf()) {
    if (const Shape* shape = state.leaf().get_if<Shape>()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Shape changed, change.shape(*shape));
      return Nest<StaticState>(StaticState(std::move(changed)));
    }
    if (const TypeSpec* spec = state.leaf().get_if<TypeSpec>()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec changed, change.spec(*spec));
      return Nest<StaticState>(StaticState(std::move(changed)));
    }
    return state;
  }
  std::vector<Nest<StaticState>> items;
  items.reserve(state.items().size());
  for (const Nest<StaticState>& item : state.items()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Nest<StaticState> changed, Change(item, change));
    items.push_back(std::move(changed));
  }
  return state.WithItems(std::move(items));
}

// Whether the spec has at least the axes of `shape` in front.
bool HasOuterAxes(const TypeSpec& spec, const Shape& shape) {
  if (spec.row_partition() != nullptr) return false;
  const Shape found = spec.shape();
  if (!found.rank_known() || found.rank() < shape.rank() || found[0] != shape[0]) return false;
  return found.Outer(shape.rank()).IsCompatibleWith(shape);
}

}  // namespace

RowRule ExtensionTypeSpec::row_rule() const {
  const Shape own = shape();
  if (!own.rank_known() || own.rank() == 0) return RowRule::kNoRows;
  // Sizes that depend on the number of rows become this number. No other size is expected to be equal to it.
  constexpr int64_t kProbeNrows = 1'000'000'007;
  const auto probe = WithShapes(ToNrows(kProbeNrows));
  if (!probe.ok() || *probe == nullptr) return RowRule::kNoRows;
  const Shape probed = own.DropOuter(1).Prepend(kProbeNrows);
  if (!((*probe)->shape() == probed)) return RowRule::kNoRows;
  const std::vector<TypeSpec> components = Flatten((*probe)->ComponentSpecs());
  if (components.empty()) return RowRule::kNoRows;
  for (const TypeSpec& component : components) {
    if (!HasOuterAxes(component, probed)) return RowRule::kNoRows;
  }
  return RowRule::kComponentRows;
}

bool ExtensionTypeSpec::Equals(const ExtensionTypeSpec& other) const {
  return type_name() == other.type_name() && Serialize() == other.Serialize();
}

size_t ExtensionTypeSpec::Hash() const {
  thread_local base_internal::SharedParts<size_t, 1> known;
  return known.ResultOf({weak_from_this().lock()}, [this] { return absl::HashOf(type_name(), Serialize()); });
}

std::string ExtensionTypeSpec::DebugString() const {
  return absl::StrCat(ToAbsl(type_name()), "(", structtensor::DebugString(Serialize()), ")");
}

bool ExtensionTypeSpec::IsCompatibleWith(const ExtensionTypeSpec& other) const {
  if (type_name() != other.type_name()) return false;
  return LeavesPass(Serialize(), other.Serialize(), [](const StaticState& a, const StaticState& b) {
    if (a.get_if<Shape>() != nullptr && b.get_if<Shape>() != nullptr) {
      return a.get_if<Shape>()->IsCompatibleWith(*b.get_if<Shape>());
    }
    if (a.get_if<TypeSpec>() != nullptr && b.get_if<TypeSpec>() != nullptr) {
      return a.get_if<TypeSpec>()->IsCompatibleWith(*b.get_if<TypeSpec>());
    }
    return a == b;
  });
}

bool ExtensionTypeSpec::IsSubtypeOf(const ExtensionTypeSpec& other) const {
  if (type_name() != other.type_name()) return false;
  return LeavesPass(Serialize(), other.Serialize(), [](const StaticState& a, const StaticState& b) {
    if (a.get_if<Shape>() != nullptr && b.get_if<Shape>() != nullptr) {
      return a.get_if<Shape>()->IsSubtypeOf(*b.get_if<Shape>());
    }
    if (a.get_if<TypeSpec>() != nullptr && b.get_if<TypeSpec>() != nullptr) {
      return a.get_if<TypeSpec>()->IsSubtypeOf(*b.get_if<TypeSpec>());
    }
    return a == b;
  });
}

std::shared_ptr<const ExtensionTypeSpec> ExtensionTypeSpec::MostSpecificCompatibleType(const ExtensionTypeSpec& other) const {
  if (type_name() != other.type_name()) return nullptr;
  const Nest<StaticState> state = Serialize();
  const Nest<StaticState> other_state = other.Serialize();
  std::vector<StaticState> leaves;
  const bool merged = LeavesPass(state, other_state, [&leaves](const StaticState& a, const StaticState& b) {
    std::optional<StaticState> leaf = Merge(a, b);
    if (!leaf) return false;
    leaves.push_back(*std::move(leaf));
    return true;
  });
  if (!merged) return nullptr;
  auto spec = WithState(*PackSequenceAs(state, leaves));
  return spec.ok() ? *std::move(spec) : nullptr;
}

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> ExtensionTypeSpec::WithShapes(const ShapeChange& change) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<StaticState> state, Change(Serialize(), change));
  return WithState(state);
}

}  // namespace structtensor
