#include "structtensor/converter/internal/column_ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/buffer.h"
#include "structtensor/tensor/ragged_tensor.h"
#include "structtensor/tensor/tensor.h"
#include "structtensor/tensor/value.h"

namespace structtensor::converter_internal {
namespace {

struct ColumnField {
  const plan::FieldPlan* field;
  bool own;  // of the type itself, not of a message flattened into it, which has its own numbers
};
using ColumnFields = std::unordered_map<std::string, ColumnField>;

// Adds the fields of the type's columns by column name: the same fields that MessagePlan::FindByColumnName() finds one by one.
void AddColumnFields(const plan::MessagePlan& message, const std::string& prefix, bool own, bool skipped,
                     ColumnFields& fields) {
  for (const plan::FieldPlan& field : message.fields) {
    if (field.skipped && !skipped) continue;
    if (field.is_flattened()) {
      AddColumnFields(*field.message, prefix + std::string(field.annotations->prefix), false, skipped, fields);
    } else {
      fields.try_emplace(prefix + std::string(field.column_name()), ColumnField{&field, own});
    }
  }
}

ColumnFields ColumnFieldsOf(const plan::MessagePlan& message) {
  ColumnFields fields;
  AddColumnFields(message, "", /*own=*/true, /*skipped=*/false, fields);
  AddColumnFields(message, "", /*own=*/true, /*skipped=*/true, fields);
  return fields;
}

// Returns the name of the column that has a number in the file. `name` is the column's name in the file.
std::string NameByNumber(const plan::MessagePlan& message, const plan::FieldPlan* field, const std::string& name, int32_t id) {
  // A field that is gone must not become another field that has its name now.
  if (field == nullptr) return absl::StrCat(name, " (field ", id, ")");
  if (!field->is_flattened()) return std::string(field->column_name());
  // The field had a column when the file was written. Under the field's own name it is refused with the reason. But another
  // column may have that name now.
  return message.FindByColumnName(field->name) == nullptr ? std::string(field->name) : absl::StrCat(name, " (field ", id, ")");
}

}  // namespace

std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without) {
  const ColumnFields fields = ColumnFieldsOf(message);
  std::vector<ColumnId> ids;
  for (const FieldSpec& column : schema.flat_fields()) {
    if (std::find(without.begin(), without.end(), column.name) != without.end()) continue;
    const auto found = fields.find(column.name);
    if (found == fields.end() || found->second.field->number == 0) continue;
    const plan::FieldPlan* const field = found->second.field;
    ColumnId id{.name = column.name, .id = found->second.own ? field->number : 0};
    if (field->is_message() && column.spec.structured() != nullptr) {
      id.fields = ColumnIdsOf(*field->message, *column.spec.structured());
    }
    if (id.id != 0 || !id.fields.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

namespace {

// Returns the layout of a column of the field, or of one element in such a column.
ArrowLayout LayoutOfColumn(const plan::FieldPlan& field, const std::string& name, const TypeSpec& column) {
  ArrowLayout layout{.name = name};
  const StructuredTensorSpec* const structs = column.structured();
  if (field.is_message() && structs != nullptr) {
    const bool chosen_keys = field.cardinality == plan::Cardinality::kMap && structs->kind() != StructKind::kMapEntry;
    if (!chosen_keys) {
      layout.fields = ArrowLayoutsOf(*field.message, *structs);
    } else if (const plan::FieldPlan* const value = field.message->FindByNumber(2); value != nullptr) {
      for (const FieldSpec& key : structs->flat_fields()) {
        layout.fields.push_back(LayoutOfColumn(*value, key.name, key.spec));
      }
    }
  } else if (field.enumeration != nullptr && field.annotations != nullptr && field.annotations->dictionary) {
    layout.dictionary_names.assign(field.enumeration->names.begin(), field.enumeration->names.end());
  } else if (const uint32_t size_bytes = plan::FixedSizeBytesOf(field); size_bytes != 0) {
    layout.fixed_size_bytes = static_cast<int32_t>(size_bytes);
    layout.empty_is_null = !field.is_repeated() && field.presence != plan::Presence::kRequired;
  }
  return layout;
}

}  // namespace

std::vector<ArrowLayout> ArrowLayoutsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                        const std::vector<std::string>& without) {
  const ColumnFields fields = ColumnFieldsOf(message);
  std::vector<ArrowLayout> layouts;
  for (const FieldSpec& column : schema.flat_fields()) {
    if (std::find(without.begin(), without.end(), column.name) != without.end()) continue;
    const auto found = fields.find(column.name);
    if (found == fields.end()) continue;
    ArrowLayout layout = LayoutOfColumn(*found->second.field, column.name, column.spec);
    if (!layout.is_default()) layouts.push_back(std::move(layout));
  }
  return layouts;
}

StructuredTensor NamedByNumber(const StructuredTensor& rows, const std::vector<ColumnId>& ids,
                               const plan::MessagePlan& message) {
  if (ids.empty()) return rows;
  std::unordered_map<std::string_view, const ColumnId*> ids_by_name;
  for (const ColumnId& id : ids) ids_by_name.try_emplace(id.name, &id);
  std::vector<Field> fields;
  std::set<std::string> names;  // names of columns with numbers, which come first
  std::vector<bool> numbered(rows.num_fields());
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    const std::string& name = rows.field_names()[i];
    Value value = rows.flat_field(i);
    const auto found = ids_by_name.find(name);
    const ColumnId* const id = found == ids_by_name.end() ? nullptr : found->second;
    const plan::FieldPlan* const field = id == nullptr ? nullptr
                                         : id->id != 0 ? message.FindByNumber(id->id)
                                                       : message.FindByColumnName(name);
    if (field != nullptr && field->is_message() && value.structured() != nullptr) {
      value = NamedByNumber(*value.structured(), id->fields, *field->message);
    }
    numbered[i] = id != nullptr && id->id != 0;
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

namespace {

// Returns the names of enum numbers. Absent numbers stay absent. If the names do not fit in one tensor, returns `numbers` as it
// is.
Tensor NamesOfNumbers(const plan::EnumPlan& enumeration, const Tensor& numbers) {
  constexpr size_t kMaxBytes = 0x7fffffff;
  const std::span<const int32_t> values = numbers.values<int32_t>();
  std::vector<char> bytes;
  std::vector<int32_t> offsets = {0};
  offsets.reserve(values.size() + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (numbers.is_valid(static_cast<int64_t>(i))) {
      std::string text(enumeration.Name(values[i]));
      if (text.empty()) text = std::to_string(values[i]);
      if (text.size() > kMaxBytes - bytes.size()) return numbers;
      bytes.insert(bytes.end(), text.begin(), text.end());
    }
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                             DType::kString, numbers.validity())
      .Reshape(numbers.shape());
}

// Replaces enum numbers by names in a column of the field, or in the elements of such a column.
Value NamedColumn(const plan::FieldPlan& field, const Value& column) {
  if (const StructuredTensor* const structs = column.structured(); structs != nullptr && field.is_message()) {
    const bool chosen_keys = field.cardinality == plan::Cardinality::kMap && structs->kind() != StructKind::kMapEntry;
    if (!chosen_keys) return Value(WithEnumNames(*structs, *field.message));
    const plan::FieldPlan* const value = field.message->FindByNumber(2);
    if (value == nullptr) return column;
    std::vector<Field> keys;
    for (size_t i = 0; i < structs->num_fields(); ++i) {
      keys.push_back({structs->field_names()[i], NamedColumn(*value, structs->flat_field(i))});
    }
    return Value(structs->WithFlatFields(std::move(keys)));
  }
  if (field.enumeration == nullptr) return column;
  if (const Tensor* const numbers = column.tensor(); numbers != nullptr && numbers->dtype() == DType::kInt32) {
    return Value(NamesOfNumbers(*field.enumeration, *numbers));
  }
  if (const RaggedTensor* const ragged = column.ragged(); ragged != nullptr && ragged->dtype() == DType::kInt32) {
    return Value(RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(),
                                                          NamesOfNumbers(*field.enumeration, ragged->flat_values())));
  }
  return column;
}

}  // namespace

StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without) {
  const ColumnFields columns = ColumnFieldsOf(message);
  std::vector<Field> fields;
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    const std::string& name = rows.field_names()[i];
    const auto found = columns.find(name);
    const bool is_field = found != columns.end() && std::find(without.begin(), without.end(), name) == without.end();
    fields.push_back({name, is_field ? NamedColumn(*found->second.field, rows.flat_field(i)) : rows.flat_field(i)});
  }
  return rows.WithFlatFields(std::move(fields));
}

}  // namespace structtensor::converter_internal
