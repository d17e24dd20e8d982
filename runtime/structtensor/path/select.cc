#include "structtensor/path/select.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/path/internal/nested_struct.h"
#include "structtensor/tensor/index.h"

namespace structtensor {
namespace {

absl::Status NoAxisLeft(const Path& path, size_t step, const Value& value) {
  return absl::InvalidArgumentError(
      absl::StrCat("field path ", path.ToString(), ": there is no axis left for ", path[step].ToString(), ": ",
                   step == 0 ? std::string("the value itself") : path.Prefix(step).ToString(), " is ",
                   value.spec().DebugString(), ", and the axes of the structs around it stay whole"));
}

// Whether the value has the entries of a map whose keys are of the step's type.
bool IsMapFor(const Value& value, const Path::Step& step) {
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr || structs->kind() != StructKind::kMapEntry || structs->num_fields() == 0) return false;
  const Tensor* keys = structs->flat_field(0).tensor();
  if (keys == nullptr) return false;
  return step.kind() == Path::Step::Kind::kKey ? IsStringLike(keys->dtype()) : !IsStringLike(keys->dtype());
}

Key KeyFor(const Path::Step& step) {
  return step.kind() == Path::Step::Kind::kKey ? Key::MapKey(step.text()) : Key::MapKey(step.index());
}

// Applies `key` to axis `axis` of the value. The axes before it stay whole.
absl::StatusOr<Value> IndexAxis(const Value& value, int axis, Key key, const Path& path) {
  std::vector<Key> keys(static_cast<size_t>(axis), Key::All());
  keys.push_back(std::move(key));
  absl::StatusOr<Value> selected = Index(value, keys);
  if (selected.ok()) return selected;
  return absl::Status(selected.status().code(),
                      absl::StrCat("field path ", path.ToString(), ": ", selected.status().message()));
}

}  // namespace

absl::StatusOr<Value> Select(const Value& value, const Path& path) {
  Value selected = value;
  int axis = 0;  // the next axis that a bracket works on; the axes before it stay whole
  for (size_t i = 0; i < path.size(); ++i) {
    const Path::Step& step = path[i];
    switch (step.kind()) {
      case Path::Step::Kind::kAnyField:
        return path_internal::NotAFieldName(path, i);
      case Path::Step::Kind::kField: {
        const StructuredTensor* structs = selected.structured();
        if (structs == nullptr) return path_internal::NotAStruct(path, i, selected);
        const std::vector<std::string>& names = structs->field_names();
        size_t field = 0;
        while (field < names.size() && names[field] != step.text()) ++field;
        if (field == names.size()) return path_internal::NoSuchField(path, i, *structs);
        axis = structs->rank();
        // The struct is part of `selected`, so its field is taken before `selected` is replaced.
        Value inner = structs->field_value(field);
        selected = std::move(inner);
        break;
      }
      case Path::Step::Kind::kElements:
        if (axis >= selected.rank()) return NoAxisLeft(path, i, selected);
        ++axis;
        break;
      case Path::Step::Kind::kIndex:
      case Path::Step::Kind::kKey: {
        if (axis >= selected.rank()) return NoAxisLeft(path, i, selected);
        // The entries of a map are its innermost axis.
        const bool of_map = axis + 1 == selected.rank() && IsMapFor(selected, step);
        if (step.kind() == Path::Step::Kind::kKey && !of_map) {
          return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", step.ToString(),
                                                         " stands behind ", selected.spec().DebugString(),
                                                         ", which is not a map with string keys"));
        }
        STRUCTTENSOR_ASSIGN_OR_RETURN(selected, IndexAxis(selected, axis, of_map ? KeyFor(step) : Key(step.index()), path));
        // A key leaves an axis of 0 or 1 values.
        if (of_map) ++axis;
        break;
      }
    }
  }
  return selected;
}

}  // namespace structtensor
