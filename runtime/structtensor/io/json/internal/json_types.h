// The data about a message type, besides its plan, that reading and writing JSON need.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TYPES_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/json/internal/json_name.h"

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

// `,"name":`, followed by bytes that can be read (JsonText::kPaddingBytes).
struct QuotedName {
  std::string padded = {};
  size_t size_bytes = 0;

  std::string_view after_comma() const { return {padded.data() + 1, size_bytes - 1}; }
  std::string_view with_comma() const { return {padded.data(), size_bytes}; }
};

// In the order in which a value is read and written, by cache lines: a type may have hundreds of fields.
struct alignas(64) JsonField {
  const plan::FieldPlan* field = nullptr;
  mutable const JsonType* type = nullptr;  // of messages and map entries; set when JsonTypes is first asked
  uint32_t number = 0;                     // of the field
  uint32_t tag = 0;                        // of a value that is not packed
  uint32_t index = 0;                      // in the plan
  int32_t oneof_case = -1;                 // as in the plan
  plan::Kind kind = plan::Kind::kMessage;
  plan::Cardinality cardinality = plan::Cardinality::kSingular;
  bool is_plain = false;            // singular; no message, group or NullValue
  bool is_plain_message = false;    // messages; no groups, maps, or items of a MessageSet
  bool is_null_value = false;       // of the enum google.protobuf.NullValue; null in JSON
  bool in_message_set = false;      // an extension that is an item of a MessageSet on the wire
  bool has_default = false;         // no presence: a value that is not on the wire is the default value, or no elements
  std::string name = {};            // as protobuf's JSON writes it; "[pkg.name]" for an extension
  QuotedName quoted_names[2] = {};  // to write: `name` and the name in the .proto file
};

struct JsonType {
  const plan::MessagePlan* plan = nullptr;
  JsonForm form = JsonForm::kObject;
  std::vector<JsonField> fields;                            // by number, without the cases of oneofs
  std::vector<JsonName> names = {};                         // of `fields`
  absl::flat_hash_map<std::string, uint32_t> by_name = {};  // index in `fields` by either of a field's names

  // *expected is the index of the field that is likely to come next; set it to 0 at the start of a message.
  // `readable`: how many bytes may be read from the beginning of `name` on.
  const JsonField* FindByName(std::string_view name, size_t readable, size_t* expected) const {
    if (*expected < names.size() && names[*expected].Is(name, readable)) return &fields[(*expected)++];
    return LookUpName(name, readable, expected);
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
  const JsonField* LookUpName(std::string_view name, size_t readable, size_t* expected) const;
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

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_TYPES_H_
