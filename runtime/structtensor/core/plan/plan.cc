#include "structtensor/core/plan/plan.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace structtensor::plan {

bool EnumPlan::Has(int32_t number) const {
  if (numbers.empty() || number < numbers.front() || number > numbers.back()) return false;
  if (static_cast<int64_t>(numbers.back()) - numbers.front() + 1 == static_cast<int64_t>(numbers.size())) return true;
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

std::string_view EnumPlan::Name(int32_t number) const {
  const auto it = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (it == numbers.end() || *it != number) return {};
  return names[static_cast<size_t>(it - numbers.begin())];
}

std::optional<int32_t> EnumPlan::NumberOf(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return numbers[i];
  }
  for (const EnumAlias& alias : aliases) {
    if (alias.name == name) return alias.number;
  }
  return std::nullopt;
}

const FieldPlan* MessagePlan::FindByNumber(int32_t number) const {
  const auto proper_end = std::partition_point(fields.begin(), fields.end(), [](const FieldPlan& f) { return f.number != 0; });
  const auto it =
      std::lower_bound(fields.begin(), proper_end, number, [](const FieldPlan& f, int32_t n) { return f.number < n; });
  return it != proper_end && it->number == number ? &*it : nullptr;
}

const FieldPlan* MessagePlan::FindByName(std::string_view name) const {
  for (const FieldPlan& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

namespace {

// `skipped`: whether skipped fields count, and fields that are flattened below them.
const FieldPlan* FindColumn(const MessagePlan& message, std::string_view column_name, bool skipped) {
  for (const FieldPlan& field : message.fields) {
    if (field.skipped && !skipped) continue;
    if (!field.is_flattened()) {
      if (field.column_name() == column_name) return &field;
      continue;
    }
    const std::string_view prefix = field.annotations->prefix;
    if (!column_name.starts_with(prefix)) continue;
    const FieldPlan* const below = FindColumn(*field.message, column_name.substr(prefix.size()), skipped);
    if (below != nullptr) return below;
  }
  return nullptr;
}

// A field for which `wanted` is true, in `message` or in a type that it reaches by fields that are not skipped; or null.
template <typename Wanted>
const FieldPlan* FindField(const MessagePlan& message, const Wanted& wanted) {
  std::vector<const MessagePlan*> reached = {&message};
  std::unordered_set<const MessagePlan*> seen = {&message};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const FieldPlan& field : reached[i]->fields) {
      if (wanted(field)) return &field;
      if (field.message != nullptr && !field.skipped && seen.insert(field.message).second) reached.push_back(field.message);
    }
  }
  return nullptr;
}

}  // namespace

const FieldPlan* MessagePlan::FindByColumnName(std::string_view column_name) const {
  const FieldPlan* const field = FindColumn(*this, column_name, /*skipped=*/false);
  return field != nullptr ? field : FindColumn(*this, column_name, /*skipped=*/true);
}

const FieldPlan* FindMapByKey(const MessagePlan& message) {
  return FindField(message, [](const FieldPlan& field) { return field.by_key >= 0; });
}

const FieldPlan* FindSkippedField(const MessagePlan& message) {
  return FindField(message, [](const FieldPlan& field) { return field.skipped; });
}

std::string_view WireTypeName(WireType type) {
  switch (type) {
    case kVarint:
      return "VARINT";
    case kI64:
      return "I64";
    case kLen:
      return "LEN";
    case kSgroup:
      return "SGROUP";
    case kEgroup:
      return "EGROUP";
    case kI32:
      return "I32";
  }
  return "";
}

namespace {

std::string_view CardinalityName(Cardinality cardinality) {
  switch (cardinality) {
    case Cardinality::kSingular:
      return "singular";
    case Cardinality::kRepeated:
      return "repeated";
    case Cardinality::kMap:
      return "map";
    case Cardinality::kOneofCase:
      return "oneof_case";
  }
  return "";
}

std::string_view PresenceName(Presence presence) {
  switch (presence) {
    case Presence::kImplicit:
      return "implicit";
    case Presence::kExplicit:
      return "explicit";
    case Presence::kRequired:
      return "required";
  }
  return "";
}

std::string_view OptionalAsName(FieldAnnotations::OptionalAs optional_as) {
  switch (optional_as) {
    case FieldAnnotations::OptionalAs::kUnspecified:
      return "";
    case FieldAnnotations::OptionalAs::kRagged:
      return " ragged";
    case FieldAnnotations::OptionalAs::kNullable:
      return " nullable";
    case FieldAnnotations::OptionalAs::kDefaultFilled:
      return " default_filled";
  }
  return "";
}

std::string_view TimestampsName(FieldAnnotations::Timestamps timestamps) {
  switch (timestamps) {
    case FieldAnnotations::Timestamps::kUnspecified:
      return "";
    case FieldAnnotations::Timestamps::kSeconds:
      return " seconds";
    case FieldAnnotations::Timestamps::kMilliseconds:
      return " milliseconds";
    case FieldAnnotations::Timestamps::kMicroseconds:
      return " microseconds";
    case FieldAnnotations::Timestamps::kNanoseconds:
      return " nanoseconds";
  }
  return "";
}

std::string_view EnumAsName(FieldAnnotations::EnumAs enum_as) {
  switch (enum_as) {
    case FieldAnnotations::EnumAs::kUnspecified:
      return "";
    case FieldAnnotations::EnumAs::kNumber:
      return " numbers";
    case FieldAnnotations::EnumAs::kName:
      return " names";
    case FieldAnnotations::EnumAs::kDictionary:
      return " dictionary";
  }
  return "";
}

void AppendAnnotations(const FieldAnnotations& annotations, std::string& out) {
  if (!annotations.column_name.empty()) {
    out += " column=";
    out += annotations.column_name;
  }
  out += OptionalAsName(annotations.optional_as);
  out += TimestampsName(annotations.timestamps);
  if (!annotations.json_name.empty()) {
    out += " json_name=";
    out += annotations.json_name;
  }
  out += EnumAsName(annotations.enum_as);
  if (annotations.text) out += " text";
  if (annotations.fixed_size_bytes != 0) out += " fixed_size_bytes=" + std::to_string(annotations.fixed_size_bytes);
  if (annotations.recursion_depth != 0) out += " recursion_depth=" + std::to_string(annotations.recursion_depth);
  if (annotations.flatten) out += " flatten";
  if (!annotations.prefix.empty()) {
    out += " prefix=";
    out += annotations.prefix;
  }
}

void AppendField(const MessagePlan& message, const FieldPlan& field, std::string& out) {
  out += "  ";
  out += std::to_string(field.number);
  out += ' ';
  out += field.name;
  out += ": ";
  out += CardinalityName(field.cardinality);
  if (field.cardinality == Cardinality::kSingular) {
    out += ' ';
    out += PresenceName(field.presence);
  }
  out += ' ';
  out += KindName(field.kind);
  if (field.message != nullptr) {
    out += ' ';
    out += field.message->full_name;
  }
  if (field.enumeration != nullptr) {
    out += ' ';
    out += field.enumeration->full_name;
    out += field.closed_enum ? " closed" : " open";
  }
  if (field.packed) out += " packed";
  if (field.validate_utf8) out += " utf8";
  if (field.oneof_case >= 0) {
    out += " in ";
    out += message.fields[static_cast<size_t>(field.oneof_case)].name;
  }
  if (field.default_value.declared) out += " default";
  if (field.skipped) out += " skipped";
  if (field.annotations != nullptr) AppendAnnotations(*field.annotations, out);
  out += '\n';
}

}  // namespace

std::string DebugString(const MessagePlan& root) {
  std::string out;
  std::vector<const MessagePlan*> reached = {&root};
  for (size_t i = 0; i < reached.size(); ++i) {
    const MessagePlan& message = *reached[i];
    out += message.full_name;
    if (message.map_entry) out += " map_entry";
    if (message.well_known != WellKnown::kNone) out += " well_known";
    out += '\n';
    for (const FieldPlan& field : message.fields) {
      AppendField(message, field, out);
      if (field.message != nullptr && std::find(reached.begin(), reached.end(), field.message) == reached.end()) {
        reached.push_back(field.message);
      }
    }
  }
  return out;
}

}  // namespace structtensor::plan
