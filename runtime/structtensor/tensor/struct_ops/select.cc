#include "structtensor/tensor/struct_ops/select.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/values/index.h"

namespace structtensor {
namespace {

absl::Status NoAxisLeft(const Path& path, size_t step, const Value& value) {
  return absl::InvalidArgumentError(
      absl::StrCat("field path ", path.ToString(), ": there is no axis left for ", path[step].ToString(), ": ",
                   step == 0 ? std::string("the value itself") : path.Prefix(step).ToString(), " is ",
                   value.spec().DebugString(), ", and the axes of the structs around it stay whole"));
}

absl::Status NotAMap(const Path& path, const Path::Step& step, const Value& value) {
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", step.ToString(), " is a key, and ",
                                                 value.spec().DebugString(), " is not a map"));
}

absl::Status NotAKey(const Path& path, const Path::Step& step, const Tensor& keys) {
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": '", step.text(),
                                                 "' is not a key of a map with keys of ", ToAbsl(DTypeName(keys.dtype()))));
}

// Returns the keys of the map if the value has the entries of one, else null.
const Tensor* KeysOfMap(const Value& value) {
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr || structs->kind() != StructKind::kMapEntry || structs->num_fields() == 0) return nullptr;
  return structs->flat_field(0).tensor();
}

// Returns the key that `text` names among `keys`, or nullopt if `text` is not how keys of their type are written. Each key has
// one text, as in a choice of fields: "07" is not a key.
std::optional<Key> KeyOf(const Tensor& keys, const std::string& text) {
  if (IsStringLike(keys.dtype())) return Key::MapKey(text);
  if (keys.dtype() == DType::kBool) {
    return text == "true" || text == "false" ? std::optional(Key::MapKey(text == "true")) : std::nullopt;
  }
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && absl::StrCat(number) == text) return Key::MapKey(number);
  uint64_t above = 0;
  if (absl::SimpleAtoi(text, &above) && absl::StrCat(above) == text) return Key::MapKey(above);
  return std::nullopt;
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
      case Path::Step::Kind::kMalformed:
        return struct_ops_internal::NotAFieldName(path, i);
      case Path::Step::Kind::kField: {
        const StructuredTensor* structs = selected.structured();
        if (structs == nullptr) return struct_ops_internal::NotAStruct(path, i, selected);
        const std::vector<std::string>& names = structs->field_names();
        size_t field = 0;
        while (field < names.size() && names[field] != step.text()) ++field;
        if (field == names.size()) return struct_ops_internal::NoSuchField(path, i, *structs);
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
        const Tensor* const keys = axis + 1 == selected.rank() ? KeysOfMap(selected) : nullptr;
        std::optional<Key> key;
        if (step.kind() == Path::Step::Kind::kKey) {
          if (keys == nullptr) return NotAMap(path, step, selected);
          key = KeyOf(*keys, step.text());
          if (!key.has_value()) return NotAKey(path, step, *keys);
        } else if (keys != nullptr && !IsStringLike(keys->dtype())) {
          key = Key::MapKey(step.index());
        }
        const bool of_map = key.has_value();
        STRUCTTENSOR_ASSIGN_OR_RETURN(selected, IndexAxis(selected, axis, of_map ? *key : Key(step.index()), path));
        // A key leaves an axis of 0 or 1 values.
        if (of_map) ++axis;
        break;
      }
    }
  }
  return selected;
}

}  // namespace structtensor
