// The names of a message type's fields.
#ifndef STRUCTTENSOR_PLAN_FIELD_NAMES_H_
#define STRUCTTENSOR_PLAN_FIELD_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::plan {

// The name of a field in protobuf's JSON, unless its option json_name gives another one: "fooBar" for "foo_bar".
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

#endif  // STRUCTTENSOR_PLAN_FIELD_NAMES_H_
