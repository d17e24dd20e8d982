#include "structtensor/app/convert/shared/wire_summary.h"

#include <map>
#include <utility>

#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/shared/field_reader.h"

namespace structtensor::convert_internal {
namespace {

constexpr int kMaxSummaryDepth = 8;

// A field and the bytes of its value on the wire, without the length.
struct WireValue {
  wire_internal::Field field;
  int64_t size_bytes = 0;
};

// The bytes of a value. The fields of a group are values of their own, so it has none. `bytes` ends with the value.
int64_t SizeOf(const wire_internal::Field& field, std::string_view bytes) {
  switch (field.type) {
    case plan::kI64:
      return 8;
    case plan::kI32:
      return 4;
    case plan::kLen:
      return static_cast<int64_t>(field.bytes.size());
    case plan::kVarint: {
      // All bytes of a varint but the last have their top bit set; the last byte of the tag before it has not.
      size_t size_bytes = 1;
      while (static_cast<uint8_t>(bytes[bytes.size() - 1 - size_bytes]) >= 0x80) ++size_bytes;
      return static_cast<int64_t>(size_bytes);
    }
    default:
      return 0;
  }
}

// Appends the fields of a message, including those of groups. False if the bytes stop being a message.
bool ReadValues(std::string_view bytes, std::vector<WireValue>& values) {
  WireValue value;
  for (wire_internal::FieldReader reader(bytes); !reader.AtEnd();) {
    if (!reader.Next(&value.field)) return false;
    value.size_bytes = SizeOf(value.field, bytes.substr(0, reader.offset()));
    values.push_back(value);
    if (value.field.type == plan::kSgroup) ReadValues(value.field.bytes, values);
  }
  return true;
}

bool LooksLikeText(std::string_view bytes) {
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return wire_internal::IsUtf8(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::vector<WireField> Summarize(std::span<const std::string_view> messages, int depth) {
  struct Collected {
    WireField field;
    std::vector<std::string_view> values;
    size_t last_message = SIZE_MAX;
  };
  std::map<std::pair<uint32_t, uint32_t>, Collected> fields;
  std::vector<WireValue> values;
  for (size_t i = 0; i < messages.size(); ++i) {
    values.clear();
    ReadValues(messages[i], values);
    for (const WireValue& value : values) {
      const wire_internal::Field& field = value.field;
      Collected& collected = fields[{field.number, field.type}];
      collected.field.number = field.number;
      collected.field.wire_type = field.type;
      ++collected.field.count;
      collected.field.bytes += value.size_bytes;
      if (collected.last_message != i) ++collected.field.messages;
      collected.last_message = i;
      if (field.type == plan::kLen) collected.values.push_back(field.bytes);
    }
  }
  std::vector<WireField> result;
  for (auto& [key, collected] : fields) {
    WireField& field = collected.field;
    bool any = false;
    for (const std::string_view bytes : collected.values) {
      any = any || !bytes.empty();
      field.text = field.text && LooksLikeText(bytes);
      values.clear();
      field.message = field.message && ReadValues(bytes, values);
    }
    // Short strings may look like messages, but messages hardly ever look like text.
    field.message = field.message && any && !field.text && field.wire_type == plan::kLen && depth > 0;
    field.text = field.text && field.wire_type == plan::kLen;
    if (field.message) field.fields = Summarize(collected.values, depth - 1);
    result.push_back(std::move(field));
  }
  return result;
}

}  // namespace

const char* WireKindText(const WireField& field) {
  switch (field.wire_type) {
    case plan::kVarint:
      return "varint";
    case plan::kI64:
      return "64 bits";
    case plan::kLen:
      return field.message ? "message" : field.text ? "text" : "bytes";
    case plan::kSgroup:
      return "group";
    case plan::kI32:
      return "32 bits";
    default:
      return "unknown";
  }
}

std::vector<WireField> SummarizeFields(std::span<const std::string_view> messages) {
  return Summarize(messages, kMaxSummaryDepth);
}

}  // namespace structtensor::convert_internal
