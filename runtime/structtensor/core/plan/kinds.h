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

// X(..., name) for each kind of varint: a name of Scalar, and of a struct in core/wire/abi/kinds.h. For tables and switches
// that need one entry for each.
#define STRUCTTENSOR_WRITTEN_VARINTS(X, ...) \
  X(__VA_ARGS__, Int32)                      \
  X(__VA_ARGS__, Int64)                      \
  X(__VA_ARGS__, Uint32)                     \
  X(__VA_ARGS__, Uint64)                     \
  X(__VA_ARGS__, Sint32)                     \
  X(__VA_ARGS__, Sint64)                     \
  X(__VA_ARGS__, Bool)

// The same for those that are read in different ways: an unsigned number is read as the signed one of its size.
#define STRUCTTENSOR_READ_VARINTS(X, ...) \
  X(__VA_ARGS__, Int32)                   \
  X(__VA_ARGS__, Int64)                   \
  X(__VA_ARGS__, Sint32)                  \
  X(__VA_ARGS__, Sint64)                  \
  X(__VA_ARGS__, Bool)

// X(..., bits) for each size of a fixed-width number.
#define STRUCTTENSOR_FIXED_SIZES(X, ...) \
  X(__VA_ARGS__, 32)                     \
  X(__VA_ARGS__, 64)

// How a scalar without a length is read and written. Several kinds share one way: an enum is written as an int32.
enum class Scalar : uint8_t {
#define STRUCTTENSOR_ENUMERATOR(prefix, name) k##name,
  STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_ENUMERATOR, ~)
#undef STRUCTTENSOR_ENUMERATOR
      kFixed32,  // four bytes
  kFixed64,      // eight bytes
  kNone,         // values with a length, and groups
};

struct KindFacts {
  Kind kind;
  std::string_view name;  // in .proto files
  Element element;
  WireType wire_type;  // of one value; repeated values may also be packed, as LEN
  Scalar scalar;
  uint8_t longest_bytes;  // the most bytes that the encoder writes for a value, or for the length of one that has a length
};

// Negative int32 and enum values are sign-extended to 64 bits, hence 10 bytes.
inline constexpr KindFacts kKindFacts[] = {
    {Kind::kDouble, "double", Element::kDouble, kI64, Scalar::kFixed64, 8},
    {Kind::kFloat, "float", Element::kFloat, kI32, Scalar::kFixed32, 4},
    {Kind::kInt64, "int64", Element::kInt64, kVarint, Scalar::kInt64, 10},
    {Kind::kUint64, "uint64", Element::kUint64, kVarint, Scalar::kUint64, 10},
    {Kind::kInt32, "int32", Element::kInt32, kVarint, Scalar::kInt32, 10},
    {Kind::kFixed64, "fixed64", Element::kUint64, kI64, Scalar::kFixed64, 8},
    {Kind::kFixed32, "fixed32", Element::kUint32, kI32, Scalar::kFixed32, 4},
    {Kind::kBool, "bool", Element::kBool, kVarint, Scalar::kBool, 1},
    {Kind::kString, "string", Element::kString, kLen, Scalar::kNone, 5},
    {Kind::kGroup, "group", Element::kMessage, kSgroup, Scalar::kNone, 5},
    {Kind::kMessage, "message", Element::kMessage, kLen, Scalar::kNone, 5},
    {Kind::kBytes, "bytes", Element::kBytes, kLen, Scalar::kNone, 5},
    {Kind::kUint32, "uint32", Element::kUint32, kVarint, Scalar::kUint32, 5},
    {Kind::kEnum, "enum", Element::kInt32, kVarint, Scalar::kInt32, 10},
    {Kind::kSfixed32, "sfixed32", Element::kInt32, kI32, Scalar::kFixed32, 4},
    {Kind::kSfixed64, "sfixed64", Element::kInt64, kI64, Scalar::kFixed64, 8},
    {Kind::kSint32, "sint32", Element::kInt32, kVarint, Scalar::kSint32, 5},
    {Kind::kSint64, "sint64", Element::kInt64, kVarint, Scalar::kSint64, 10},
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

struct ElementFacts {
  Element element;
  std::string_view name;      // in plans and messages
  std::string_view cpp_type;  // in generated code; "" for messages
  // Size of one element in a column; 0 for messages. Strings and bytes are views of the input until the batch is finished.
  size_t size_bytes;
};

inline constexpr ElementFacts kElementFacts[] = {
    {Element::kBool, "bool", "bool", 1},
    {Element::kInt32, "int32", "int32_t", 4},
    {Element::kInt64, "int64", "int64_t", 8},
    {Element::kUint32, "uint32", "uint32_t", 4},
    {Element::kUint64, "uint64", "uint64_t", 8},
    {Element::kFloat, "float", "float", 4},
    {Element::kDouble, "double", "double", 8},
    {Element::kString, "string", "std::string_view", 16},
    {Element::kBytes, "bytes", "std::string_view", 16},
    {Element::kMessage, "message", "", 0},
};

constexpr const ElementFacts& FactsOf(Element element) { return kElementFacts[static_cast<size_t>(element)]; }

constexpr bool ElementsAreInOrder() {
  size_t number = 0;
  for (const ElementFacts& facts : kElementFacts) {
    if (static_cast<size_t>(facts.element) != number++) return false;
  }
  return true;
}
static_assert(ElementsAreInOrder(), "FactsOf() needs them by number");

constexpr std::string_view ElementName(Element element) { return FactsOf(element).name; }
constexpr size_t ElementSizeBytes(Element element) { return FactsOf(element).size_bytes; }

// Returns visitor.operator()<T>(), where T is the type of the elements in their column; uint8_t for bools. Requires: the
// elements are numbers or bools.
template <typename Visitor>
decltype(auto) VisitElement(Element element, Visitor&& visitor) {
  switch (element) {
    case Element::kBool:
      return visitor.template operator()<uint8_t>();
    case Element::kInt32:
      return visitor.template operator()<int32_t>();
    case Element::kInt64:
      return visitor.template operator()<int64_t>();
    case Element::kUint32:
      return visitor.template operator()<uint32_t>();
    case Element::kFloat:
      return visitor.template operator()<float>();
    case Element::kDouble:
      return visitor.template operator()<double>();
    case Element::kUint64:
    case Element::kString:
    case Element::kBytes:
    case Element::kMessage:
      break;
  }
  return visitor.template operator()<uint64_t>();
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
