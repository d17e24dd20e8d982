// What the kind of a field says about its values on the wire and in its column. No other table has these facts.
#ifndef STRUCTTENSOR_CORE_PLAN_KINDS_H_
#define STRUCTTENSOR_CORE_PLAN_KINDS_H_

#include <cstdint>

#pragma GCC visibility push(default)

namespace structtensor::plan {

// The type of one value as its field declares it. The numbers are those of FieldDescriptorProto.Type.
enum class Kind : uint8_t {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18,
};

// The type of a column's elements once it is decoded.
enum class Element : uint8_t {
  kBool,   // one byte, 0 or 1
  kInt32,  // also enums, as their numbers
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,  // UTF-8
  kBytes,
  kMessage,  // a node of columns
};

// As in the protobuf encoding guide.
enum WireType : uint32_t { kVarint = 0, kI64 = 1, kLen = 2, kSgroup = 3, kEgroup = 4, kI32 = 5 };

// How one value is written; repeated values may also be packed, as LEN. A group is written as SGROUP.
constexpr WireType WireTypeOf(Kind kind) {
  switch (kind) {
    case Kind::kDouble:
    case Kind::kFixed64:
    case Kind::kSfixed64:
      return kI64;
    case Kind::kFloat:
    case Kind::kFixed32:
    case Kind::kSfixed32:
      return kI32;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kMessage:
      return kLen;
    case Kind::kGroup:
      return kSgroup;
    case Kind::kInt64:
    case Kind::kUint64:
    case Kind::kInt32:
    case Kind::kBool:
    case Kind::kUint32:
    case Kind::kEnum:
    case Kind::kSint32:
    case Kind::kSint64:
      return kVarint;
  }
  return kVarint;
}

constexpr Element ElementOf(Kind kind) {
  switch (kind) {
    case Kind::kDouble:
      return Element::kDouble;
    case Kind::kFloat:
      return Element::kFloat;
    case Kind::kInt64:
    case Kind::kSfixed64:
    case Kind::kSint64:
      return Element::kInt64;
    case Kind::kUint64:
    case Kind::kFixed64:
      return Element::kUint64;
    case Kind::kInt32:
    case Kind::kSfixed32:
    case Kind::kSint32:
    case Kind::kEnum:
      return Element::kInt32;
    case Kind::kUint32:
    case Kind::kFixed32:
      return Element::kUint32;
    case Kind::kBool:
      return Element::kBool;
    case Kind::kString:
      return Element::kString;
    case Kind::kBytes:
      return Element::kBytes;
    case Kind::kGroup:
    case Kind::kMessage:
      return Element::kMessage;
  }
  return Element::kMessage;
}

// The tag before a value: a field number and a wire type.
constexpr uint32_t Tag(uint32_t number, WireType type) { return number << 3 | type; }

// Bytes of the shortest encoding of `tag`.
constexpr uint32_t TagSizeBytes(uint32_t tag) {
  return tag < 0x80 ? 1 : tag < 0x4000 ? 2 : tag < 0x200000 ? 3 : tag < 0x10000000 ? 4 : 5;
}

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_PLAN_KINDS_H_
