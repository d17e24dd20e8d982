#include "structtensor/converter/internal/column_ids.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "structtensor/tensor/value.h"

namespace structtensor::converter_internal {

std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema) {
  std::vector<ColumnId> ids;
  for (const FieldSpec& column : schema.flat_fields()) {
    const plan::FieldPlan* const field = message.FindByName(column.name);
    if (field == nullptr || field->number == 0) continue;
    ColumnId& id = ids.emplace_back(ColumnId{.name = column.name, .id = field->number});
    if (field->is_message() && column.spec.structured() != nullptr) {
      id.fields = ColumnIdsOf(*field->message, *column.spec.structured());
    }
  }
  return ids;
}

StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message) {
  if (ids.empty()) return rows;
  std::vector<Field> fields;
  std::set<std::string> names;
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    std::string name = rows.field_names()[i];
    Value value = rows.flat_field(i);
    const auto id = std::find_if(ids.begin(), ids.end(), [&name](const ColumnId& each) { return each.name == name; });
    if (id != ids.end()) {
      const plan::FieldPlan* const field = id->id != 0 ? message.FindByNumber(id->id) : message.FindByName(name);
      if (field != nullptr) {
        name = std::string(field->name);
        if (field->is_message() && value.structured() != nullptr) {
          value = NamedByNumber(*value.structured(), id->fields, *field->message);
        }
      }
    }
    if (!names.insert(name).second) return rows;
    fields.push_back({std::move(name), std::move(value)});
  }
  return rows.WithFlatFields(std::move(fields));
}

}  // namespace structtensor::converter_internal
