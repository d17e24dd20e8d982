// The plan: what a decoder does, as plain data. One Message per message type, one Field per column.
//
// The schema compiler fills these structs once; the emitter prints them as constants into generated code, and everything that is
// not hot (finishing, rollback, views, errors) walks them at run time. This folder includes nothing but the standard library.
#ifndef STRUCTTENSOR_PLAN_PLAN_H_
#define STRUCTTENSOR_PLAN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace structtensor {

struct Node;           // column/internal/column.h
struct DecodeContext;  // decode/internal/context.h

namespace encode {
struct Node;     // encode/internal/node.h
struct Context;  // encode/internal/node.h
}  // namespace encode

namespace plan {

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

// Of what a column is made once it is decoded.
enum class Element : uint8_t {
  kBool,   // one byte, 0 or 1
  kInt32,  // also enums, which are their numbers
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,  // UTF-8
  kBytes,
  kMessage,  // a node of columns
};

enum class Cardinality : uint8_t {
  kSingular,
  kRepeated,
  kMap,        // repeated entries; of entries with equal keys the last one counts
  kOneofCase,  // not a field of the message: the number of the oneof's member that is set, 0 for none
};

enum class Presence : uint8_t {
  kImplicit,  // unset and default are the same
  kExplicit,  // unset is told from default
  kRequired,
};

// Message types that have a value type of their own outside protobuf.
enum class WellKnown : uint8_t {
  kNone,
  kTimestamp,  // {int64 seconds = 1; int32 nanos = 2;}
  kDuration,   // the same
  kWrapper,    // {T value = 1;}
};

struct MessagePlan;

struct EnumPlan {
  std::string_view full_name;
  std::span<const int32_t> numbers;         // ascending, without repetition
  std::span<const std::string_view> names;  // names[i] is the first name declared for numbers[i]

  // Whether `number` has a name. Cost: O(1) where the numbers have no gaps, else O(log n).
  bool Has(int32_t number) const;
  // The name of `number`, or "" if it has none.
  std::string_view Name(int32_t number) const;
};

// The value of an explicit `[default = ...]`. Which member counts follows from the field's element.
struct Default {
  bool declared = false;
  uint64_t bits = 0;           // integers sign-extended, floating point as its bits
  std::string_view text = {};  // strings and bytes
};

struct FieldPlan {
  std::string_view name;  // an extension's is its full name in brackets: "[pkg.name]"
  int32_t number;
  Kind kind;
  Element element;
  Cardinality cardinality;
  Presence presence;
  bool packed;  // how the schema says that a repeated field is written; both ways are read
  bool validate_utf8;
  bool closed_enum;             // a number that the enum has no name for is an unknown field
  int32_t oneof_case;           // index in Message::fields of the oneof's case column; -1 outside oneofs
  int32_t presence_bit;         // in the presence word of a row (column/internal/column.h); -1 for none
  const MessagePlan* message;   // kMessage and kGroup, else null
  const EnumPlan* enumeration;  // kEnum, else null
  uint32_t column_offset;       // of the field's Column in its node, bytes
  Default default_value;
  bool skipped = false;  // not chosen (decode/internal/projection.h): no data ever touches its column
  int32_t by_key = -1;   // of a skipped map: index of the field in which the values of chosen keys are

  bool is_message() const { return element == Element::kMessage; }
  bool is_repeated() const { return cardinality == Cardinality::kRepeated || cardinality == Cardinality::kMap; }
};

// Decodes one message, whose bytes start at `p`, into row `row` of `node`.
// Returns the position behind the message, or null after an error that `context` holds.
//   end      where the enclosing length-delimited message ends; 64 bytes from there may be read and are not used
//   nesting  remaining depth * 2, plus 1 in a group, which END_GROUP ends instead of `end`
using DecodeFunction = const uint8_t* (*)(const uint8_t* p, const uint8_t* end, Node* node, uint32_t row, uint32_t nesting,
                                          DecodeContext* context);

// Writes row `row` of `node` in front of `p`, where free memory ends, and returns where the message begins.
using EncodeFunction = uint8_t* (*)(uint8_t* p, encode::Node* node, uint32_t row, encode::Context* context);

// A key of a map.
struct MapKey {
  std::string_view text;
  uint64_t bits;  // of keys that are no strings: integers sign-extended
};

struct MessagePlan {
  std::string_view full_name;
  std::span<const FieldPlan> fields;  // by field number; the case columns of oneofs follow
  uint32_t node_size_bytes;
  WellKnown well_known;
  bool map_entry;
  bool message_set;                   // each extension is written as a group with its number and its message
  bool reaches_required;              // this type or one that it reaches has a required field
  bool presence_words;                // a row has one: all singular fields have a bit (column/internal/column.h)
  DecodeFunction decode;              // null in a plan that no code was generated from
  EncodeFunction encode;              // null in code that was generated without encoders
  std::span<const MapKey> keys = {};  // of a struct whose fields are the values of chosen keys of a map: theirs

  // The field of that number, or null. Cost: O(log n).
  const FieldPlan* FindByNumber(int32_t number) const;
  // The field of that name (an extension's in brackets, a oneof's case column's "<oneof>_case"), or null. Cost: O(n).
  const FieldPlan* FindByName(std::string_view name) const;
};

// Bytes of one value in a column: 1, 4 or 8; 16 for strings and bytes, whose values are references into the input until the
// batch is finished; 0 for messages.
size_t ElementSizeBytes(Element element);

// "int64", "string", "message", ...
std::string_view ElementName(Element element);
// The name that .proto files use: "sint32", "group", ...
std::string_view KindName(Kind kind);

// The plan of `message` and of every message type it reaches, one line a field, for people and golden files.
std::string DebugString(const MessagePlan& message);

}  // namespace plan
}  // namespace structtensor

#endif  // STRUCTTENSOR_PLAN_PLAN_H_
