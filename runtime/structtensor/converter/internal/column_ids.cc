#include "structtensor/converter/internal/column_ids.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/tensor/value.h"

namespace structtensor::converter_internal {
namespace {

// Whether the field is of the type itself, not of a message that is flattened into it, whose numbers are its own.
bool IsOwn(const plan::MessagePlan& message, const plan::FieldPlan* field) {
  return std::any_of(message.fields.begin(), message.fields.end(),
                     [field](const plan::FieldPlan& each) { return &each == field; });
}

// What the column of a number is called. `name`: what the file calls it.
std::string NameByNumber(const plan::MessagePlan& message, const plan::FieldPlan* field, const std::string& name, int32_t id) {
  // A field that is gone must not become another one that has its name now.
  if (field == nullptr) return absl::StrCat(name, " (field ", id, ")");
  if (!field->is_flattened()) return std::string(field->column_name());
  // It had a column when the file was written. By the field's name it is refused with the reason, unless another column is
  // called so.
  return message.FindByColumnName(field->name) == nullptr ? std::string(field->name) : absl::StrCat(name, " (field ", id, ")");
}

}  // namespace

std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without) {
  std::vector<ColumnId> ids;
  for (const FieldSpec& column : schema.flat_fields()) {
    if (std::find(without.begin(), without.end(), column.name) != without.end()) continue;
    const plan::FieldPlan* const field = message.FindByColumnName(column.name);
    if (field == nullptr || field->number == 0) continue;
    ColumnId id{.name = column.name, .id = IsOwn(message, field) ? field->number : 0};
    if (field->is_message() && column.spec.structured() != nullptr) {
      id.fields = ColumnIdsOf(*field->message, *column.spec.structured());
    }
    if (id.id != 0 || !id.fields.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message) {
  if (ids.empty()) return rows;
  std::vector<Field> fields;
  std::set<std::string> names;  // of columns with numbers, which come first
  std::vector<bool> numbered(rows.num_fields());
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    const std::string& name = rows.field_names()[i];
    Value value = rows.flat_field(i);
    const auto id = std::find_if(ids.begin(), ids.end(), [&name](const ColumnId& each) { return each.name == name; });
    const plan::FieldPlan* const field = id == ids.end() ? nullptr
                                         : id->id != 0   ? message.FindByNumber(id->id)
                                                         : message.FindByColumnName(name);
    if (field != nullptr && field->is_message() && value.structured() != nullptr) {
      value = NamedByNumber(*value.structured(), id->fields, *field->message);
    }
    numbered[i] = id != ids.end() && id->id != 0;
    std::string new_name = name;
    if (numbered[i]) {
      new_name = NameByNumber(message, field, name, id->id);
      while (!names.insert(new_name).second) new_name += "_";
    }
    fields.push_back({std::move(new_name), std::move(value)});
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (numbered[i]) continue;
    while (!names.insert(fields[i].name).second) fields[i].name += " (column)";
  }
  return rows.WithFlatFields(std::move(fields));
}

}  // namespace structtensor::converter_internal
