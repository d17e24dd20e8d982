// The names of a message type's fields, for messages about one that is not there.
#ifndef STRUCTTENSOR_PLAN_FIELD_NAMES_H_
#define STRUCTTENSOR_PLAN_FIELD_NAMES_H_

#include <string>
#include <vector>

#include "structtensor/plan/plan.h"

namespace structtensor::plan {

// As field paths have them, in the order of the declaration: without the case columns of oneofs.
inline std::vector<std::string> FieldNamesOf(const MessagePlan& message) {
  std::vector<std::string> names;
  for (const FieldPlan& field : message.fields) {
    if (field.cardinality != Cardinality::kOneofCase) names.emplace_back(field.name);
  }
  return names;
}

}  // namespace structtensor::plan

#endif  // STRUCTTENSOR_PLAN_FIELD_NAMES_H_
