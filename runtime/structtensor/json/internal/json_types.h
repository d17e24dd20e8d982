// The data about a message type, besides its plan, that reading and writing JSON need.
#ifndef STRUCTTENSOR_JSON_INTERNAL_JSON_TYPES_H_
#define STRUCTTENSOR_JSON_INTERNAL_JSON_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "structtensor/plan/plan.h"

namespace structtensor::json_internal {

// How a message type is written in JSON.
enum class JsonForm : uint8_t {
  kObject,
  kTimestamp,
  kDuration,
  kFieldMask,
  kWrapper,
  kStruct,
  kValue,
  kListValue,
  kAny,
};

struct JsonType;

// Returns a == b. Names are a few bytes long; a call of memcmp() would take longer than this comparison.
inline bool IsSameName(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto differ_at = [&](size_t i, auto word) {
    auto other = word;
    std::memcpy(&word, a.data() + i, sizeof(word));
    std::memcpy(&other, b.data() + i, sizeof(other));
    return word != other;
  };
  if (a.size() >= sizeof(uint64_t)) {
    for (size_t i = 0; i + sizeof(uint64_t) < a.size(); i += sizeof(uint64_t)) {
      if (differ_at(i, uint64_t{})) return false;
    }
    return !differ_at(a.size() - sizeof(uint64_t), uint64_t{});
  }
  if (a.size() >= sizeof(uint32_t)) return !differ_at(0, uint32_t{}) && !differ_at(a.size() - sizeof(uint32_t), uint32_t{});
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

struct JsonField {
  const plan::FieldPlan* field = nullptr;
  uint32_t number = 0;                     // of the field
  std::string name = {};                   // as protobuf's JSON writes it; "[pkg.name]" for an extension
  std::string quoted_names[2] = {};        // to write: `name` and the name in the .proto file, with quotes and a colon
  bool is_null_value = false;              // of the enum google.protobuf.NullValue; null in JSON
  bool in_message_set = false;             // an extension that is an item of a MessageSet on the wire
  bool has_default = false;                // no presence: a value that is not on the wire is the default value, or no elements
  mutable const JsonType* type = nullptr;  // of messages and map entries; set when JsonTypes is first asked
};

struct JsonType {
  const plan::MessagePlan* plan = nullptr;
  JsonForm form = JsonForm::kObject;
  std::vector<JsonField> fields;                            // by number, without the cases of oneofs
  absl::flat_hash_map<std::string, uint32_t> by_name = {};  // index in `fields` by either of a field's names

  // *expected is the index of the field that is likely to come next; set it to 0 at the start of a message.
  const JsonField* FindByName(std::string_view name, size_t* expected) const {
    if (*expected < fields.size() && IsSameName(fields[*expected].name, name)) return &fields[(*expected)++];
    return LookUpName(name, expected);
  }
  const JsonField* FindByNumber(uint32_t number, size_t* expected) const {
    if (*expected < fields.size() && fields[*expected].number == number) return &fields[(*expected)++];
    return LookUpNumber(number, expected);
  }
  const JsonField* FindByNumber(uint32_t number) const {
    size_t expected = fields.size();
    return LookUpNumber(number, &expected);
  }
  // Whether a google.protobuf.Any holds this type as "value" in JSON.
  bool is_well_known() const { return form != JsonForm::kObject || plan->full_name == "google.protobuf.Empty"; }

 private:
  const JsonField* LookUpName(std::string_view name, size_t* expected) const;
  const JsonField* LookUpNumber(uint32_t number, size_t* expected) const;
};

class JsonTypes {
 public:
  // The number of the enum value with that name; null if there is none. Aliases work too.
  const int32_t* NumberOf(const plan::EnumPlan& enumeration, std::string_view name);
  const JsonType& Of(const plan::MessagePlan& message);
  // The type of the messages in the field. Requires: the field has messages or map entries.
  const JsonType& Of(const JsonField& field) {
    if (field.type == nullptr) field.type = &Of(*field.field->message);
    return *field.type;
  }

 private:
  using EnumNames = absl::flat_hash_map<std::string_view, int32_t>;

  absl::flat_hash_map<const plan::MessagePlan*, std::unique_ptr<const JsonType>> types_;
  absl::flat_hash_map<const plan::EnumPlan*, EnumNames> enums_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_JSON_INTERNAL_JSON_TYPES_H_
