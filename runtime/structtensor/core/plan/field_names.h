// The names of a message type's fields.
#ifndef STRUCTTENSOR_CORE_PLAN_FIELD_NAMES_H_
#define STRUCTTENSOR_CORE_PLAN_FIELD_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::plan {

// The name in protobuf's JSON of a field with this name, unless the schema gives it another one: "fooBar" for "foo_bar".
inline std::string JsonNameOf(std::string_view name) {
  std::string json;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      json += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return json;
}

// The name of the field in protobuf's JSON. Unique in its message type. Requires: the field is not the case of a oneof.
inline std::string JsonNameOf(const FieldPlan& field) {
  if (field.name.starts_with('[')) return std::string(field.name);  // an extension
  const bool is_named = field.annotations != nullptr && !field.annotations->json_name.empty();
  return is_named ? std::string(field.annotations->json_name) : JsonNameOf(field.name);
}

// The field names for messages about a field that does not exist: as in field paths, in the order of the declaration, without
// the case columns of oneofs.
inline std::vector<std::string> FieldNamesOf(const MessagePlan& message) {
  std::vector<std::string> names;
  for (const FieldPlan& field : message.fields) {
    if (field.cardinality != Cardinality::kOneofCase) names.emplace_back(field.name);
  }
  return names;
}

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_PLAN_FIELD_NAMES_H_
