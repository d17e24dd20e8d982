// The fields of a type's columns by column name.
#ifndef STRUCTTENSOR_CORE_PLAN_SHARED_COLUMN_FIELDS_H_
#define STRUCTTENSOR_CORE_PLAN_SHARED_COLUMN_FIELDS_H_

#include <string>
#include <unordered_map>

#include "structtensor/core/plan/plan.h"

namespace structtensor::plan_internal {

struct ColumnField {
  const plan::FieldPlan* field;
  const plan::MessagePlan* message;  // that has the field
  bool own;                          // of the type itself, not of a message flattened into it, which has its own numbers
};
using ColumnFields = std::unordered_map<std::string, ColumnField>;

inline void AddColumnFields(const plan::MessagePlan& message, const std::string& prefix, bool own, bool skipped,
                            ColumnFields& fields) {
  for (const plan::FieldPlan& field : message.fields) {
    if (field.skipped && !skipped) continue;
    if (field.is_flattened()) {
      AddColumnFields(*field.message, prefix + std::string(field.annotations->prefix), false, skipped, fields);
    } else {
      fields.try_emplace(prefix + std::string(field.column_name()), ColumnField{&field, &message, own});
    }
  }
}

// The same fields that MessagePlan::FindByColumnName() finds one by one.
inline ColumnFields ColumnFieldsOf(const plan::MessagePlan& message) {
  ColumnFields fields;
  AddColumnFields(message, "", /*own=*/true, /*skipped=*/false, fields);
  AddColumnFields(message, "", /*own=*/true, /*skipped=*/true, fields);
  return fields;
}

}  // namespace structtensor::plan_internal

#endif  // STRUCTTENSOR_CORE_PLAN_SHARED_COLUMN_FIELDS_H_
