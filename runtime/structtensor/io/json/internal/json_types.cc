#include "structtensor/io/json/internal/json_types.h"

#include <algorithm>
#include <utility>

#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/plan/field_names.h"
#include "structtensor/io/json/internal/json_text.h"

namespace structtensor::json_internal {
namespace {

JsonForm FormOf(const plan::MessagePlan& message) {
  constexpr std::pair<std::string_view, JsonForm> kForms[] = {
      {"google.protobuf.Timestamp", JsonForm::kTimestamp},
      {"google.protobuf.Duration", JsonForm::kDuration},
      {"google.protobuf.FieldMask", JsonForm::kFieldMask},
      {"google.protobuf.Struct", JsonForm::kStruct},
      {"google.protobuf.Value", JsonForm::kValue},
      {"google.protobuf.ListValue", JsonForm::kListValue},
      {"google.protobuf.Any", JsonForm::kAny},
  };
  for (const auto& [name, form] : kForms) {
    if (message.full_name == name) return form;
  }
  return message.well_known == plan::WellKnown::kWrapper ? JsonForm::kWrapper : JsonForm::kObject;
}

}  // namespace

const JsonField* JsonType::LookUpName(std::string_view name, size_t readable, size_t* expected) const {
  // Writers leave out fields that are not set, and keep the order of the others.
  constexpr size_t kNear = 8;
  const size_t end = std::min(fields.size(), *expected + 1 + kNear);
  for (size_t i = *expected + 1; i < end; ++i) {
    if (!names[i].Is(name, readable)) continue;
    *expected = i + 1;
    return &fields[i];
  }
  const auto found = by_name.find(ToAbsl(name));
  if (found == by_name.end()) return nullptr;
  *expected = found->second + 1;
  return &fields[found->second];
}

const JsonField* JsonType::LookUpNumber(uint32_t number, size_t* expected) const {
  const auto found = std::ranges::lower_bound(fields, number, {}, &JsonField::number);
  if (found == fields.end() || found->number != number) return nullptr;
  *expected = static_cast<size_t>(found - fields.begin()) + 1;
  return &*found;
}

const int32_t* JsonTypes::NumberOf(const plan::EnumPlan& enumeration, std::string_view name) {
  EnumNames& names = enums_[&enumeration];
  if (names.empty()) {
    for (size_t i = 0; i < enumeration.names.size(); ++i) names.emplace(enumeration.names[i], enumeration.numbers[i]);
    for (const plan::EnumAlias& alias : enumeration.aliases) names.emplace(alias.name, alias.number);
  }
  const auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

const JsonType& JsonTypes::Of(const plan::MessagePlan& message) {
  std::unique_ptr<const JsonType>& known = types_[&message];
  if (known != nullptr) return *known;
  auto type = std::make_unique<JsonType>();
  type->plan = &message;
  type->form = FormOf(message);
  for (const plan::FieldPlan& field : message.fields) {
    if (field.cardinality == plan::Cardinality::kOneofCase || field.number <= 0) continue;
    JsonField added{.field = &field,
                    .number = static_cast<uint32_t>(field.number),
                    .tag = plan::Tag(static_cast<uint32_t>(field.number), plan::WireTypeOf(field.kind)),
                    .index = static_cast<uint32_t>(&field - message.fields.data()),
                    .oneof_case = field.oneof_case,
                    .kind = field.kind,
                    .cardinality = field.cardinality};
    const bool is_extension = field.name.starts_with('[');
    added.name = plan::JsonNameOf(field);
    added.is_null_value = field.enumeration != nullptr && field.enumeration->full_name == "google.protobuf.NullValue";
    added.is_plain = field.cardinality == plan::Cardinality::kSingular && !field.is_message() && !added.is_null_value;
    added.is_plain_message =
        field.kind == plan::Kind::kMessage && field.cardinality != plan::Cardinality::kMap && !message.message_set;
    added.in_message_set = message.message_set;
    added.has_default = !is_extension && (field.is_repeated() || field.cardinality == plan::Cardinality::kMap ||
                                          (!field.is_message() && field.presence == plan::Presence::kImplicit));
    const std::string_view names[] = {added.name, is_extension ? std::string_view(added.name) : field.name};
    for (size_t i = 0; i < 2; ++i) {
      std::string& padded = added.quoted_names[i].padded;
      padded = ",";
      AppendJsonString(names[i], padded);
      padded += ':';
      added.quoted_names[i].size_bytes = padded.size();
      padded.append(JsonText::kPaddingBytes, ' ');
    }
    type->fields.push_back(std::move(added));
  }
  for (const JsonField& field : type->fields) type->names.emplace_back(field.name);
  for (uint32_t i = 0; i < type->fields.size(); ++i) type->by_name.emplace(type->fields[i].name, i);
  // The name of a field in the .proto file counts too, unless it is the JSON name of another field.
  for (uint32_t i = 0; i < type->fields.size(); ++i) type->by_name.emplace(std::string(type->fields[i].field->name), i);
  known = std::move(type);
  return *known;
}

}  // namespace structtensor::json_internal
