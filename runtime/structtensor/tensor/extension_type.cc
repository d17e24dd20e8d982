#include "structtensor/tensor/extension_type.h"

#include <cassert>
#include <vector>

#include "structtensor/tensor/internal/take_rows.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/row_axes.h"

namespace structtensor {
namespace {

// The value of that spec whose components are `change` of those of `value`. Without a status, since a type that does not take its
// own components back breaks its contract; a release build then ends with the error's text.
template <typename Change>
Value MapComponents(const ExtensionType& value, const TypeSpec& spec, const Change& change) {
  const Nest<Value> components = value.spec()->ToComponents(value);
  return *spec.extension()->FromComponents(*MapStructure(change, components));
}

}  // namespace

int64_t ExtensionType::nrows() const {
  const Shape shape = spec()->shape();
  if (shape.rank_known() && shape.rank() == 0) return 1;
  if (shape.rank_known() && shape[0] != kUnknownDimension) return shape[0];
  const std::vector<Value> components = Flatten(spec()->ToComponents(*this));
  return components.empty() ? 0 : components.front().nrows();
}

bool ExtensionType::Equals(const ExtensionType& other) const {
  if (this == &other) return true;
  if (!spec()->Equals(*other.spec())) return false;
  return spec()->ToComponents(*this) == other.spec()->ToComponents(other);
}

Value ExtensionType::SliceRows(int64_t begin, int64_t end) const {
  assert(0 <= begin && begin <= end && end <= nrows());
  return MapComponents(*this, WithNrows(spec(), end - begin),
                       [=](const Value& component) { return component.SliceRows(begin, end); });
}

Value ExtensionType::Row(int64_t i) const {
  assert(0 <= i && i < nrows());
  return MapComponents(*this, *Unstacked(spec()), [=](const Value& component) { return component.Row(i); });
}

Value ExtensionType::TakeRows(std::span<const int64_t> rows) const {
  return MapComponents(*this, WithNrows(spec(), static_cast<int64_t>(rows.size())),
                       [=](const Value& component) { return structtensor::TakeRows(component, rows); });
}

Value ExtensionType::WithOuterPartition(const RowPartition& partition) const {
  assert(partition.nvals() == nrows());
  return MapComponents(*this, structtensor::WithOuterPartition(partition.spec(), TypeSpec(spec())),
                       [&](const Value& component) { return structtensor::WithOuterPartition(partition, component); });
}

}  // namespace structtensor
