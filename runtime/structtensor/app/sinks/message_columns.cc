#include "structtensor/app/sinks/message_columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "structtensor/core/plan/shared/case_names.h"
#include "structtensor/core/plan/shared/column_fields.h"
#include "structtensor/tensor/messages/shared/enums_of.h"

namespace structtensor {

std::vector<ColumnId> ColumnIdsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                  const std::vector<std::string>& without) {
  const plan_internal::ColumnFields fields = plan_internal::ColumnFieldsOf(message);
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

// The names of an enum, or of the fields of a oneof.
std::vector<std::string> NamesOf(const plan::MessagePlan& message, const plan::FieldPlan& field) {
  if (field.enumeration != nullptr) return {field.enumeration->names.begin(), field.enumeration->names.end()};
  std::vector<std::string> names;
  for (plan_internal::CaseName& name : plan_internal::CaseNamesOf(message, field)) names.push_back(std::move(name.name));
  return names;
}

// Returns the layout of a column of a field of `message`, or of one element in such a column.
ArrowLayout LayoutOfColumn(const plan::MessagePlan& message, const plan::FieldPlan& field, const std::string& name,
                           const TypeSpec& column, Enums enums) {
  ArrowLayout layout{.name = name};
  const StructuredTensorSpec* const structs = column.structured();
  if (field.is_message() && structs != nullptr) {
    const bool chosen_keys = field.cardinality == plan::Cardinality::kMap && structs->kind() != StructKind::kMapEntry;
    if (!chosen_keys) {
      layout.fields = ArrowLayoutsOf(*field.message, *structs, {}, enums);
    } else if (const plan::FieldPlan* const value = field.message->FindByNumber(2); value != nullptr) {
      for (const FieldSpec& key : structs->flat_fields()) {
        layout.fields.push_back(LayoutOfColumn(*field.message, *value, key.name, key.spec, enums));
      }
    }
  } else if (messages_internal::EnumsOf(field, enums) == Enums::kDictionary) {
    layout.dictionary_names = NamesOf(message, field);
  } else if (const uint32_t size_bytes = plan::FixedSizeBytesOf(field); size_bytes != 0) {
    layout.fixed_size_bytes = static_cast<int32_t>(size_bytes);
    layout.empty_is_null = !field.is_repeated() && field.presence != plan::Presence::kRequired;
  }
  return layout;
}

}  // namespace

std::vector<ArrowLayout> ArrowLayoutsOf(const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                                        const std::vector<std::string>& without, Enums enums) {
  const plan_internal::ColumnFields fields = plan_internal::ColumnFieldsOf(message);
  std::vector<ArrowLayout> layouts;
  for (const FieldSpec& column : schema.flat_fields()) {
    if (std::find(without.begin(), without.end(), column.name) != without.end()) continue;
    const auto found = fields.find(column.name);
    if (found == fields.end()) continue;
    ArrowLayout layout = LayoutOfColumn(*found->second.message, *found->second.field, column.name, column.spec, enums);
    if (!layout.is_default()) layouts.push_back(std::move(layout));
  }
  return layouts;
}

SinkOptions WithMessage(SinkOptions options, const plan::MessagePlan& message, const StructuredTensorSpec& schema,
                        const std::vector<std::string>& without, Enums enums) {
  std::erase_if(options.metadata, [](const auto& entry) { return entry.first == kMessageMetadataKey; });
  options.metadata.emplace_back(kMessageMetadataKey, message.full_name);
  options.ids = ColumnIdsOf(message, schema, without);
  options.layouts = ArrowLayoutsOf(message, schema, without, enums);
  return options;
}

}  // namespace structtensor
