// How the case of a oneof is written by name.
#ifndef STRUCTTENSOR_CORE_PLAN_SHARED_CASE_NAMES_H_
#define STRUCTTENSOR_CORE_PLAN_SHARED_CASE_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "structtensor/core/plan/plan.h"

namespace structtensor::plan_internal {

struct CaseName {
  int32_t number;    // of the field
  std::string name;  // of its column; the digits of the number if that column is another field's
};

// Returns the names of the fields of `oneof`, a field of `message` with the cardinality kOneofCase. They all differ: a field
// that an annotation skips gives its name up to a field that has it by another annotation.
inline std::vector<CaseName> CaseNamesOf(const plan::MessagePlan& message, const plan::FieldPlan& oneof) {
  std::vector<CaseName> names;
  for (const plan::FieldPlan& field : message.fields) {
    if (field.oneof_case != &oneof - message.fields.data()) continue;
    const bool owns_column = message.FindByColumnName(field.column_name()) == &field;
    names.push_back({field.number, owns_column ? std::string(field.column_name()) : std::to_string(field.number)});
  }
  return names;
}

}  // namespace structtensor::plan_internal

#endif  // STRUCTTENSOR_CORE_PLAN_SHARED_CASE_NAMES_H_
