#include "structtensor/io/column_files/internal/schema_ids.h"

#include <arrow/util/key_value_metadata.h>

#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace structtensor::column_files_internal {
namespace {

constexpr const char* kIdKey = "PARQUET:field_id";

using Type = std::shared_ptr<arrow::DataType>;

arrow::Result<arrow::FieldVector> FieldsWithIds(const arrow::FieldVector& fields, const std::vector<ColumnId>& ids);

arrow::Result<Type> TypeWithIds(const Type& type, const std::vector<ColumnId>& ids) {
  if (ids.empty()) return type;
  switch (type->id()) {
    case arrow::Type::STRUCT: {
      ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, FieldsWithIds(type->fields(), ids));
      return arrow::struct_(std::move(fields));
    }
    case arrow::Type::LIST: {
      ARROW_ASSIGN_OR_RAISE(Type element, TypeWithIds(type->field(0)->type(), ids));
      return arrow::list(type->field(0)->WithType(std::move(element)));
    }
    case arrow::Type::LARGE_LIST: {
      ARROW_ASSIGN_OR_RAISE(Type element, TypeWithIds(type->field(0)->type(), ids));
      return arrow::large_list(type->field(0)->WithType(std::move(element)));
    }
    case arrow::Type::MAP: {
      ARROW_ASSIGN_OR_RAISE(Type entry, TypeWithIds(type->field(0)->type(), ids));
      return arrow::MapType::Make(type->field(0)->WithType(std::move(entry)),
                                  static_cast<const arrow::MapType&>(*type).keys_sorted());
    }
    default:
      return type;
  }
}

arrow::Result<arrow::FieldVector> FieldsWithIds(const arrow::FieldVector& fields, const std::vector<ColumnId>& ids) {
  std::unordered_map<std::string_view, const ColumnId*> ids_by_name;  // types may have thousands of fields
  for (const ColumnId& id : ids) ids_by_name.try_emplace(id.name, &id);
  arrow::FieldVector with_ids;
  for (const std::shared_ptr<arrow::Field>& field : fields) {
    const auto found = ids_by_name.find(field->name());
    if (found == ids_by_name.end()) {
      with_ids.push_back(field);
      continue;
    }
    const ColumnId* const id = found->second;
    ARROW_ASSIGN_OR_RAISE(Type type, TypeWithIds(field->type(), id->fields));
    with_ids.push_back(field->WithType(std::move(type)));
    if (id->id == 0) continue;
    with_ids.back() = with_ids.back()->WithMergedMetadata(arrow::key_value_metadata({kIdKey}, {std::to_string(id->id)}));
  }
  return with_ids;
}

int32_t IdOf(const arrow::Field& field) {
  const int index = field.metadata() == nullptr ? -1 : field.metadata()->FindKey(kIdKey);
  if (index < 0) return 0;
  const std::string& text = field.metadata()->value(index);
  int32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : 0;
}

std::vector<ColumnId> IdsOfFields(const arrow::FieldVector& fields) {
  std::vector<ColumnId> ids;
  for (const std::shared_ptr<arrow::Field>& field : fields) {
    Type type = field->type();
    while (type->id() == arrow::Type::LIST || type->id() == arrow::Type::LARGE_LIST ||
           type->id() == arrow::Type::FIXED_SIZE_LIST || type->id() == arrow::Type::MAP) {
      type = type->field(0)->type();
    }
    ColumnId id{.name = field->name(), .id = IdOf(*field)};
    if (type->id() == arrow::Type::STRUCT) id.fields = IdsOfFields(type->fields());
    if (id.id != 0 || !id.fields.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> WithIds(const arrow::Schema& schema, const std::vector<ColumnId>& ids) {
  ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, FieldsWithIds(schema.fields(), ids));
  return arrow::schema(std::move(fields), schema.metadata());
}

std::vector<ColumnId> IdsOf(const arrow::Schema& schema) { return IdsOfFields(schema.fields()); }

}  // namespace structtensor::column_files_internal
