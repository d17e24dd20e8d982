// What the kind of a field says about its values on the wire and in its column. No other table has these facts.
#ifndef STRUCTTENSOR_CORE_PLAN_KINDS_H_
#define STRUCTTENSOR_CORE_PLAN_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

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

// How a scalar without a length is read and written. Several kinds share one way: an enum is written as an int32.
enum class Scalar : uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kSint32,
  kSint64,
  kBool,
  kFixed32,  // four bytes
  kFixed64,  // eight bytes
  kNone,     // values with a length, and groups
};

struct KindFacts {
  Kind kind;
  std::string_view name;  // in .proto files
  Element element;
  WireType wire_type;  // of one value; repeated values may also be packed, as LEN
  Scalar scalar;
};

inline constexpr KindFacts kKindFacts[] = {
    {Kind::kDouble, "double", Element::kDouble, kI64, Scalar::kFixed64},
    {Kind::kFloat, "float", Element::kFloat, kI32, Scalar::kFixed32},
    {Kind::kInt64, "int64", Element::kInt64, kVarint, Scalar::kInt64},
    {Kind::kUint64, "uint64", Element::kUint64, kVarint, Scalar::kUint64},
    {Kind::kInt32, "int32", Element::kInt32, kVarint, Scalar::kInt32},
    {Kind::kFixed64, "fixed64", Element::kUint64, kI64, Scalar::kFixed64},
    {Kind::kFixed32, "fixed32", Element::kUint32, kI32, Scalar::kFixed32},
    {Kind::kBool, "bool", Element::kBool, kVarint, Scalar::kBool},
    {Kind::kString, "string", Element::kString, kLen, Scalar::kNone},
    {Kind::kGroup, "group", Element::kMessage, kSgroup, Scalar::kNone},
    {Kind::kMessage, "message", Element::kMessage, kLen, Scalar::kNone},
    {Kind::kBytes, "bytes", Element::kBytes, kLen, Scalar::kNone},
    {Kind::kUint32, "uint32", Element::kUint32, kVarint, Scalar::kUint32},
    {Kind::kEnum, "enum", Element::kInt32, kVarint, Scalar::kInt32},
    {Kind::kSfixed32, "sfixed32", Element::kInt32, kI32, Scalar::kFixed32},
    {Kind::kSfixed64, "sfixed64", Element::kInt64, kI64, Scalar::kFixed64},
    {Kind::kSint32, "sint32", Element::kInt32, kVarint, Scalar::kSint32},
    {Kind::kSint64, "sint64", Element::kInt64, kVarint, Scalar::kSint64},
};

constexpr const KindFacts& FactsOf(Kind kind) { return kKindFacts[static_cast<size_t>(kind) - 1]; }

constexpr bool FactsAreInOrder() {
  size_t number = 0;
  for (const KindFacts& facts : kKindFacts) {
    if (static_cast<size_t>(facts.kind) != ++number) return false;
  }
  return true;
}
static_assert(FactsAreInOrder(), "FactsOf() needs them by number");

constexpr WireType WireTypeOf(Kind kind) { return FactsOf(kind).wire_type; }
constexpr Element ElementOf(Kind kind) { return FactsOf(kind).element; }
constexpr Scalar ScalarOf(Kind kind) { return FactsOf(kind).scalar; }
// The name that .proto files use: "sint32", "group", ...
constexpr std::string_view KindName(Kind kind) { return FactsOf(kind).name; }

// The tag before a value: a field number and a wire type.
constexpr uint32_t Tag(uint32_t number, WireType type) { return number << 3 | type; }

// Bytes of the shortest encoding of `tag`.
constexpr uint32_t TagSizeBytes(uint32_t tag) {
  return tag < 0x80 ? 1 : tag < 0x4000 ? 2 : tag < 0x200000 ? 3 : tag < 0x10000000 ? 4 : 5;
}

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_PLAN_KINDS_H_
