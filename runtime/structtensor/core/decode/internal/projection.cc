#include "structtensor/core/decode/internal/projection.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/plan/field_names.h"
#include "structtensor/core/wire/abi/utf8.h"

namespace structtensor::decode_internal {

using column_internal::ColumnBuffer;
using column_internal::TreeNode;

namespace {

constexpr size_t kMaxPathSteps = 1000;  // as DecodeOptions::max_depth
constexpr size_t kMaxKeys = 64;         // bits of a presence word

// What is chosen below a message field.
struct Choice {
  bool all = false;
  std::map<size_t, Choice> fields;                         // by index
  std::map<size_t, std::map<std::string, Choice>> by_key;  // by index of the map, then by the key's text
};

absl::Status Problem(const Path& path, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", ToAbsl(problem)));
}

absl::Status NoField(const Path& path, const plan::MessagePlan& message, const Path::Step& step) {
  return absl::NotFoundError(absl::StrCat("field path ", path.ToString(), ": ", ToAbsl(message.full_name), " has no field ",
                                          step.ToString(),
                                          base_internal::InsteadOf(step.ToString(), plan::FieldNamesOf(message))));
}

// Returns the key that a step after a map's name names, or nullopt if the step is not a key.
std::optional<std::string> KeyText(const Path::Step& step) {
  switch (step.kind()) {
    case Path::Step::Kind::kIndex:
      return absl::StrCat(step.index());
    case Path::Step::Kind::kKey:
      return step.text();
    case Path::Step::Kind::kField:
    case Path::Step::Kind::kAnyField:
    case Path::Step::Kind::kElements:
    case Path::Step::Kind::kMalformed:
      break;
  }
  return std::nullopt;
}

// Returns the key with the bits that it would have in the column of keys, or nullopt if the text is not a key of that type.
// Each key has one text, which becomes the name of its field: "07" is not a key.
std::optional<plan::MapKey> KeyOf(const plan::FieldPlan& key_field, std::string_view text) {
  plan::MapKey key{text, 0};
  const auto parse = [&](auto number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    key.bits = static_cast<uint64_t>(number);
    return error == std::errc() && end == text.data() + text.size() && absl::StrCat(number) == text;
  };
  bool ok = true;
  switch (key_field.element) {
    case plan::Element::kString:
      ok = wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      break;
    case plan::Element::kBool:
      key.bits = text == "true";
      ok = text == "true" || text == "false";
      break;
    case plan::Element::kInt32:
      ok = parse(int32_t{});
      break;
    case plan::Element::kUint32:
      ok = parse(uint32_t{});
      break;
    case plan::Element::kUint64:
      ok = parse(uint64_t{});
      break;
    default:
      ok = parse(int64_t{});
  }
  return ok ? std::optional(key) : std::nullopt;
}

absl::Status NotAKey(const Path& path, const plan::FieldPlan& key_field, std::string_view text) {
  const bool is_bool = key_field.element == plan::Element::kBool;
  return Problem(path, absl::StrCat("'", ToAbsl(text), "' is not a key of a map with keys of type ",
                                    ToAbsl(plan::ElementName(key_field.element)), is_bool ? "; write true or false" : ""));
}

absl::Status AddPath(const plan::MessagePlan& root, std::string_view text, Choice* choice) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path path, Path::Parse(text));
  if (path.empty()) return absl::InvalidArgumentError("a field path is empty; it must name a field, as in address.city");
  if (path.size() > kMaxPathSteps) {
    return absl::InvalidArgumentError(
        absl::StrCat("a field path of ", path.size(), " names; messages are nested to a depth of ", kMaxPathSteps, " at most"));
  }
  const plan::MessagePlan* message = &root;
  const plan::FieldPlan* field = nullptr;
  for (size_t i = 0; i < path.size();) {
    const Path::Step& step = path[i++];
    if (step.kind() != Path::Step::Kind::kField) {
      return Problem(path, absl::StrCat("expected the name of a field, found ", step.ToString(), i == 1 ? "" : " after ",
                                        path.Prefix(i - 1).ToString(),
                                        "; a decoder takes names of fields and keys of maps, as in labels[\"env\"].value"));
    }
    if (message == nullptr) return Problem(path, absl::StrCat(path.Prefix(i - 1).ToString(), " is not a message"));
    field = message->FindByName(step.text());
    if (field == nullptr || field->cardinality == plan::Cardinality::kOneofCase) return NoField(path, *message, step);
    const size_t index = static_cast<size_t>(field - message->fields.data());
    message = field->message;
    const std::optional<std::string> key = i < path.size() ? KeyText(path[i]) : std::nullopt;
    if (key.has_value()) {
      if (field->cardinality != plan::Cardinality::kMap) {
        return Problem(path, absl::StrCat(path.Prefix(i).ToString(), " is not a map, so it has no key ", path[i].ToString()));
      }
      const bool has_text_keys = message->fields[0].element == plan::Element::kString;
      if (has_text_keys && path[i].kind() == Path::Step::Kind::kIndex) {
        return Problem(path, absl::StrCat("the keys of ", path.Prefix(i).ToString(), " are strings: write [\"", *key, "\"]"));
      }
      if (!KeyOf(message->fields[0], *key).has_value()) return NotAKey(path, message->fields[0], *key);
      ++i;
      choice = &choice->by_key[index][*key];
      message = message->fields[1].message;
    } else {
      choice = &choice->fields[index];
    }
  }
  choice->all = true;
  return absl::OkStatus();
}

}  // namespace

class ProjectionBuilder {
 public:
  explicit ProjectionBuilder(Projection& projection) : projection_(projection) {}

  absl::StatusOr<const plan::MessagePlan*> Build(const plan::MessagePlan& message, const Choice& choice) {
    if (choice.all) return &message;
    std::vector<plan::FieldPlan>& fields = projection_.fields_.emplace_back(message.fields.begin(), message.fields.end());
    fields.reserve(fields.size() + choice.by_key.size());
    uint32_t size_bytes = message.node_size_bytes;
    for (size_t i = 0; i < message.fields.size(); ++i) {
      const auto chosen = choice.fields.find(i);
      if (fields[i].cardinality == plan::Cardinality::kOneofCase) {
        fields[i].skipped = std::none_of(choice.fields.begin(), choice.fields.end(), [&](const auto& each) {
          return message.fields[each.first].oneof_case == static_cast<int32_t>(i);
        });
        continue;
      }
      fields[i].skipped = chosen == choice.fields.end();
      if (!fields[i].skipped && fields[i].is_message()) {
        if (fields[i].cardinality != plan::Cardinality::kMap || chosen->second.all) {
          STRUCTTENSOR_ASSIGN_OR_RETURN(fields[i].message, Build(*fields[i].message, chosen->second));
          continue;
        }
        // The keys are needed too: they decide which of two entries counts.
        Choice below = chosen->second;
        below.fields[0].all = true;
        STRUCTTENSOR_ASSIGN_OR_RETURN(fields[i].message, Build(*fields[i].message, below));
      }
    }
    for (const auto& [index, keys] : choice.by_key) {
      if (const auto entries = choice.fields.find(index); entries != choice.fields.end()) {
        const Choice& chosen = entries->second;
        const auto values = chosen.fields.find(1);
        if (chosen.all || (values != chosen.fields.end() && values->second.all)) continue;  // the keys add nothing
        const std::string name(message.fields[index].name);
        return absl::InvalidArgumentError(absl::StrCat("the fields to decode include keys of the map ", name,
                                                       " and parts of all its entries; choose one of the two, or all of ",
                                                       name));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(const plan::MessagePlan* by_key, BuildByKey(message.fields[index], keys));
      plan::FieldPlan field = message.fields[index];
      field.number = 0;
      field.kind = plan::Kind::kMessage;
      field.cardinality = plan::Cardinality::kSingular;
      field.layout = plan::Layout::kChosenKeys;
      field.message = by_key;
      field.column_offset = size_bytes;
      size_bytes += sizeof(ColumnBuffer);
      fields[index].by_key = static_cast<int32_t>(fields.size());
      fields.push_back(field);
    }
    plan::MessagePlan& result = projection_.messages_.emplace_back(message);
    result.fields = fields;
    result.node_size_bytes = size_bytes;
    return &result;
  }

 private:
  // A struct with a field for each key.
  absl::StatusOr<const plan::MessagePlan*> BuildByKey(const plan::FieldPlan& map,
                                                      const std::map<std::string, Choice>& choices) {
    const plan::MessagePlan& entry = *map.message;
    if (choices.size() > kMaxKeys) {
      return absl::InvalidArgumentError(absl::StrCat(choices.size(), " keys of ", ToAbsl(map.name), " are chosen, more than ",
                                                     kMaxKeys, "; choose the whole map instead"));
    }
    std::vector<plan::FieldPlan>& fields = projection_.fields_.emplace_back();
    std::vector<plan::MapKey>& keys = projection_.keys_.emplace_back();
    fields.reserve(choices.size());
    for (const auto& [text, choice] : choices) {
      const plan::MapKey key = *KeyOf(entry.fields[0], projection_.strings_.emplace_back(text));
      plan::FieldPlan field = entry.fields[1];
      field.name = key.text;
      field.number = 0;
      field.presence = plan::Presence::kExplicit;
      field.layout = plan::LayoutOf(plan::Cardinality::kSingular, field.element, true);
      field.presence_bit = static_cast<int32_t>(fields.size());
      field.column_offset = static_cast<uint32_t>(sizeof(TreeNode) + fields.size() * sizeof(ColumnBuffer));
      if (field.message != nullptr) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(field.message, Build(*field.message, choice));
      }
      fields.push_back(field);
      keys.push_back(key);
    }
    plan::MessagePlan& result = projection_.messages_.emplace_back(entry);
    result.fields = fields;
    result.keys = keys;
    result.map_entry = false;
    result.node_size_bytes = static_cast<uint32_t>(sizeof(TreeNode) + fields.size() * sizeof(ColumnBuffer));
    result.presence_words = true;
    return &result;
  }

  Projection& projection_;
};

absl::StatusOr<std::shared_ptr<const Projection>> Projection::Make(const plan::MessagePlan& root,
                                                                   std::span<const std::string> paths) {
  Choice choice;
  for (const std::string& path : paths) STRUCTTENSOR_RETURN_IF_ERROR(AddPath(root, path, &choice));
  auto projection = std::make_shared<Projection>();
  STRUCTTENSOR_ASSIGN_OR_RETURN(projection->plan_, ProjectionBuilder(*projection).Build(root, choice));
  return std::shared_ptr<const Projection>(std::move(projection));
}

}  // namespace structtensor::decode_internal
