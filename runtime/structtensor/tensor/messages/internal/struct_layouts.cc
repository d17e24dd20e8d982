#include "structtensor/tensor/messages/internal/struct_layouts.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "structtensor/tensor/messages/internal/unknown_fields_name.h"
#include "structtensor/tensor/messages/shared/enums_of.h"

namespace structtensor::messages_internal {

namespace {

// Message types by their full names: a projection has several plans of one type.
using TypeGraph = std::unordered_map<std::string_view, std::unordered_set<std::string_view>>;

// For each type, the types of its message fields.
TypeGraph GraphOf(const plan::MessagePlan& root) {
  TypeGraph graph;
  std::unordered_set<const plan::MessagePlan*> seen = {&root};
  std::vector<const plan::MessagePlan*> open = {&root};
  while (!open.empty()) {
    const plan::MessagePlan& type = *open.back();
    open.pop_back();
    std::unordered_set<std::string_view>& fields = graph[type.full_name];
    for (const plan::FieldPlan& field : type.fields) {
      if (field.message == nullptr || field.skipped) continue;
      fields.insert(field.message->full_name);
      if (seen.insert(field.message).second) open.push_back(field.message);
    }
  }
  return graph;
}

// Removes the types that reach no type, then those that reach only these, and so on.
void RemoveLeaves(TypeGraph& graph) {
  TypeGraph users;
  for (const auto& [type, fields] : graph) {
    for (const std::string_view field : fields) users[field].insert(type);
  }
  std::vector<std::string_view> open;
  for (const auto& [type, fields] : graph) {
    if (fields.empty()) open.push_back(type);
  }
  while (!open.empty()) {
    const std::string_view type = open.back();
    open.pop_back();
    graph.erase(type);
    for (const std::string_view user : users[type]) {
      std::unordered_set<std::string_view>& fields = graph[user];
      fields.erase(type);
      if (fields.empty()) open.push_back(user);
    }
  }
}

TypeGraph Reversed(const TypeGraph& graph) {
  TypeGraph reversed;
  for (const auto& [type, fields] : graph) {
    reversed[type];
    for (const std::string_view field : fields) reversed[field].insert(type);
  }
  return reversed;
}

// The types that are on a cycle, or between two cycles.
std::unordered_set<std::string_view> RecursiveTypes(const plan::MessagePlan& root) {
  TypeGraph graph = GraphOf(root);
  RemoveLeaves(graph);
  graph = Reversed(graph);
  RemoveLeaves(graph);
  std::unordered_set<std::string_view> types;
  for (const auto& [type, fields] : graph) types.insert(type);
  return types;
}

size_t SaturatingSum(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

}  // namespace

Optionals OptionalsOf(const plan::FieldPlan& field, Optionals by_default) {
  using OptionalAs = plan::FieldAnnotations::OptionalAs;
  switch (field.annotations == nullptr ? OptionalAs::kUnspecified : field.annotations->optional_as) {
    case OptionalAs::kRagged:
      return Optionals::kRagged;
    case OptionalAs::kNullable:
      return Optionals::kNullable;
    case OptionalAs::kDefaultFilled:
      return Optionals::kDefaultFilled;
    case OptionalAs::kUnspecified:
      break;
  }
  return by_default;
}

StructLayouts::StructLayouts(const plan::MessagePlan& root, const TensorOptions& options, bool keeps_unknown_fields)
    : options_(options), keeps_unknown_fields_(keeps_unknown_fields), recursive_(RecursiveTypes(root)) {
  Make(root);
}

const StructLayout* StructLayouts::Of(const plan::MessagePlan& message) const {
  const auto found = layouts_.find(&message);
  return found == layouts_.end() || !found->second.has_value() ? nullptr : &*found->second;
}

// Makes the layouts of `message` and of the types that it reaches, and returns that of `message`, or null.
const StructLayout* StructLayouts::Make(const plan::MessagePlan& message) {
  // Until it is made, a type that contains itself finds none.
  if (const auto [entry, is_new] = layouts_.try_emplace(&message); is_new) {
    std::optional<StructLayout>& made = entry->second;  // elements of the map keep their place
    made = LayoutOf(message);
  }
  return Of(message);
}

std::optional<StructLayout> StructLayouts::LayoutOf(const plan::MessagePlan& message) {
  StructLayout layout;
  auto names = std::make_shared<std::vector<std::string>>();
  bool has_layout = !recursive_.contains(message.full_name);
  for (size_t i = 0; i < message.fields.size(); ++i) {
    const plan::FieldPlan& field = message.fields[i];
    if (field.skipped) continue;
    const StructLayout::Column column = ColumnOf(field, i);  // also makes the layouts below
    has_layout = has_layout && !field.is_flattened();
    if (!has_layout) continue;
    layout.columns.push_back(column);
    names->emplace_back(field.column_name());
  }
  if (!has_layout) return std::nullopt;
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : *names) {
    if (!seen.insert(name).second) return std::nullopt;
  }
  if (keeps_unknown_fields_ && !message.map_entry) {
    layout.columns.push_back({.field = message.fields.size(), .deferred = true, .below = nullptr});
    names->push_back(UnknownFieldsName(message));
  }
  layout.names = std::move(names);
  for (StructLayout::Column& column : layout.columns) {
    column.made_before = layout.num_made;
    if (!column.deferred) {
      ++layout.num_made;
      continue;
    }
    if (column.field == message.fields.size()) continue;  // unknown fields
    const size_t below = column.below == nullptr ? 0 : column.below->num_deferred;
    layout.num_deferred = SaturatingSum(layout.num_deferred, SaturatingSum(1, below));
  }
  return layout;
}

StructLayout::Column StructLayouts::ColumnOf(const plan::FieldPlan& field, size_t index) {
  StructLayout::Column column = {.field = index, .deferred = false, .below = nullptr};
  if (!field.is_message()) {
    const bool filled = HasPresence(field) && OptionalsOf(field, options_.optionals) == Optionals::kDefaultFilled;
    column.deferred = EnumsOf(field, options_.enums) == Enums::kNumbers && !(filled && field.default_value.declared);
    return column;
  }
  const StructLayout* const below = Make(*field.message);
  const bool native =
      options_.well_known_types == WellKnownTypes::kNative && field.message->well_known != plan::WellKnown::kNone;
  const bool ragged = HasPresence(field) && OptionalsOf(field, options_.optionals) == Optionals::kRagged;
  column.deferred = below != nullptr && below->num_made == 0 && !native && !ragged;
  if (column.deferred) column.below = below;
  return column;
}

}  // namespace structtensor::messages_internal
