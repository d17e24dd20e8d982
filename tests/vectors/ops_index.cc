// Indexing and fields by path.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codec.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::vectors {
namespace {

// An integer, also as a scalar tensor or from numpy.
absl::StatusOr<int64_t> DecodeIndex(const Json& json) {
  for (const char* wrapper : {"$tensor", "$npint"}) {
    if (const Json* content = FindMember(json, wrapper); content != nullptr) return DecodeIndex(*content);
  }
  if (!json.is_number_integer()) return Malformed(json, "an integer");
  return json.get<int64_t>();
}

absl::StatusOr<Key> DecodeSlice(const Json& bounds) {
  std::optional<int64_t> parts[3];
  for (size_t i = 0; i < bounds.size() && i < 3; ++i) {
    if (bounds[i].is_null()) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(parts[i], DecodeIndex(bounds[i]));
  }
  return Key::Range(parts[0], parts[1], parts[2].value_or(1));
}

absl::StatusOr<Key> DecodePiece(const Json& json) {
  if (json.is_string()) return Key(json.get<std::string>());
  if (FindMember(json, "$ellipsis") != nullptr) return Key::Ellipsis();
  if (FindMember(json, "$newaxis") != nullptr || json.is_null()) return Key::NewAxis();
  if (const Json* bounds = FindMember(json, "$slice"); bounds != nullptr) return DecodeSlice(*bounds);
  if (const Json* content = FindMember(json, "$tensor"); content != nullptr && content->is_array()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value array, DecodeValue(json));
    return array.tensor()->dtype() == DType::kBool ? Key::Mask(array) : Key::Rows(*array.tensor());
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t index, DecodeIndex(json));
  return Key(index);
}

// A tuple, or, as in TensorFlow, a list, is several pieces.
absl::StatusOr<std::vector<Key>> DecodeKey(const Json& json) {
  const Json* tuple = FindMember(json, "$tuple");
  if (json.is_array()) tuple = &json;
  std::vector<Key> keys;
  if (tuple == nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Key key, DecodePiece(json));
    keys.push_back(std::move(key));
    return keys;
  }
  for (const Json& piece : *tuple) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Key key, DecodePiece(piece));
    keys.push_back(std::move(key));
  }
  return keys;
}

absl::StatusOr<Result> GetItem(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Key> keys, DecodeKey(test.args.at("key")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value selected, Index(value, keys));
  return selected;
}

absl::StatusOr<Result> FieldValueOf(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  const Json& path = test.args.at("path");
  if (value.structured() == nullptr) return Malformed(test.input, "structs");
  if (path.is_string()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, value.structured()->field_value(path.get<std::string>()));
    return field;
  }
  const Json& steps = path.is_array() ? path : path.at("$tuple");
  Value selected = value;
  for (const Json& step : steps) {
    if (selected.structured() == nullptr) return absl::NotFoundError("there are no fields at " + step.dump());
    STRUCTTENSOR_ASSIGN_OR_RETURN(selected, selected.structured()->field_value(step.get<std::string>()));
  }
  return selected;
}

}  // namespace

void RegisterIndexOps(Registry& registry) {
  registry["getitem"] = GetItem;
  registry["rt_getitem"] = GetItem;
  registry["field_value"] = FieldValueOf;
}

}  // namespace structtensor::vectors
