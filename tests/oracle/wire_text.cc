#include "wire_text.h"

#include <google/protobuf/wire_format_lite.h>

#include <cassert>
#include <cstring>

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;

uint64_t TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

uint64_t TakeFixed(std::string_view& bytes, size_t size_bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), size_bytes);
  bytes.remove_prefix(size_bytes);
  return value;
}

uint64_t TakeScalar(std::string_view& bytes, uint32_t wire_type) {
  return wire_type == kWireVarint ? TakeVarint(bytes) : TakeFixed(bytes, wire_type == kWire64 ? 8 : 4);
}

void AppendScalar(std::string& out, const WireField& field) {
  if (field.wire_type == kWireVarint) return AppendVarint(out, field.scalar, field.value_padding);
  out.append(reinterpret_cast<const char*>(&field.scalar), field.wire_type == kWire64 ? 8 : 4);
}

// Fields up to the end of `bytes`, or to an END_GROUP, which is taken.
WireMessage Take(std::string_view& bytes, const pb::Descriptor* type, const pb::DescriptorPool& pool) {
  WireMessage message;
  while (!bytes.empty()) {
    const auto tag = static_cast<uint32_t>(TakeVarint(bytes));
    if ((tag & 7) == kWireEndGroup) return message;
    WireField field;
    field.number = tag >> 3;
    field.wire_type = tag & 7;
    if (type != nullptr) {
      const int number = static_cast<int>(field.number);
      field.descriptor = type->FindFieldByNumber(number);
      if (field.descriptor == nullptr) field.descriptor = pool.FindExtensionByNumber(type, number);
    }
    const pb::Descriptor* submessage = field.descriptor == nullptr ? nullptr : field.descriptor->message_type();
    if (field.wire_type == kWireGroup) {
      field.is_message = true;
      field.fields = Take(bytes, submessage, pool);
    } else if (field.wire_type == kWireLen) {
      const size_t size_bytes = TakeVarint(bytes);
      std::string_view value = bytes.substr(0, size_bytes);
      bytes.remove_prefix(size_bytes);
      field.is_message = submessage != nullptr;
      if (field.is_message) {
        field.fields = Take(value, submessage, pool);
      } else {
        field.bytes = std::string(value);
      }
    } else {
      field.scalar = TakeScalar(bytes, field.wire_type);
    }
    message.push_back(std::move(field));
  }
  return message;
}

}  // namespace

void AppendVarint(std::string& out, uint64_t value, int padding, size_t max_bytes) {
  const size_t begin = out.size();
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
  for (; padding > 0 && out.size() - begin < max_bytes; --padding) {
    out.back() = static_cast<char>(out.back() | 0x80);
    out += '\0';
  }
}

uint32_t WireTypeOfField(const pb::FieldDescriptor* field) {
  return static_cast<uint32_t>(
      pb::internal::WireFormatLite::WireTypeForFieldType(static_cast<pb::internal::WireFormatLite::FieldType>(field->type())));
}

WireMessage ReadWire(std::string_view bytes, const pb::Descriptor* type, const pb::DescriptorPool& pool) {
  return Take(bytes, type, pool);
}

std::string WriteWire(const WireMessage& message) {
  constexpr size_t kMaxTagBytes = 5;
  constexpr size_t kMaxLengthBytes = 5;
  std::string out;
  for (const WireField& field : message) {
    AppendVarint(out, field.number << 3 | field.wire_type, field.tag_padding, kMaxTagBytes);
    if (field.wire_type == kWireLen) {
      const std::string value = field.is_message ? WriteWire(field.fields) : field.bytes;
      AppendVarint(out, value.size(), field.length_padding, kMaxLengthBytes);
      out += value;
    } else if (field.wire_type == kWireGroup) {
      out += WriteWire(field.fields);
      AppendVarint(out, field.number << 3 | kWireEndGroup, field.length_padding, kMaxTagBytes);
    } else {
      AppendScalar(out, field);
    }
  }
  return out;
}

std::vector<WireField> Unpack(const WireField& run) {
  assert(run.wire_type == kWireLen && run.descriptor != nullptr);
  std::vector<WireField> elements;
  std::string_view bytes = run.bytes;
  while (!bytes.empty()) {
    WireField& element = elements.emplace_back();
    element.number = run.number;
    element.descriptor = run.descriptor;
    element.wire_type = WireTypeOfField(run.descriptor);
    element.scalar = TakeScalar(bytes, element.wire_type);
  }
  return elements;
}

WireField Pack(const std::vector<WireField>& elements) {
  WireField run;
  run.wire_type = kWireLen;
  for (const WireField& element : elements) {
    run.number = element.number;
    run.descriptor = element.descriptor;
    AppendScalar(run.bytes, element);
  }
  return run;
}

}  // namespace structtensor::testing
