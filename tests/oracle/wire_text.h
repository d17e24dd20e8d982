// A serialized message taken apart into fields that can be rearranged and written again, in longer ways than need be.
#ifndef STRUCTTENSOR_TESTS_ORACLE_WIRE_TEXT_H_
#define STRUCTTENSOR_TESTS_ORACLE_WIRE_TEXT_H_

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::testing {

enum WireTextType : uint32_t { kWireVarint = 0, kWire64 = 1, kWireLen = 2, kWireGroup = 3, kWireEndGroup = 4, kWire32 = 5 };

struct WireField {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t scalar = 0;      // varints and fixed values
  std::string bytes;        // LEN that is not a message
  bool is_message = false;  // a message in `fields`: LEN or group
  std::vector<WireField> fields;
  const google::protobuf::FieldDescriptor* descriptor = nullptr;  // null for unknown fields
  // More bytes than needed, for the tag, for the length, and for the value of a varint.
  int tag_padding = 0;
  int length_padding = 0;
  int value_padding = 0;
};

using WireMessage = std::vector<WireField>;

// Requires: `bytes` is a serialized message of `type`.
WireMessage ReadWire(std::string_view bytes, const google::protobuf::Descriptor* type,
                     const google::protobuf::DescriptorPool& pool);

std::string WriteWire(const WireMessage& message);

// Appends `value` as a varint, with `padding` bytes more than it needs, up to `max_bytes` in all.
void AppendVarint(std::string& out, uint64_t value, int padding = 0, size_t max_bytes = 10);

// The wire type of one value of the field, not packed.
uint32_t WireTypeOfField(const google::protobuf::FieldDescriptor* field);

// The values of a packed run as fields of their own, and back.
std::vector<WireField> Unpack(const WireField& run);
WireField Pack(const std::vector<WireField>& elements);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_WIRE_TEXT_H_
