// The plan: what a decoder does, as plain data. One Message per message type, one Field per column.
//
// The schema compiler fills these structs once; the emitter prints them as constants into generated code, and everything that
// is not hot (finishing, rollback, views, errors) walks them at run time. This folder includes nothing but the standard
// library.
#ifndef STRUCTTENSOR_PLAN_PLAN_H_
#define STRUCTTENSOR_PLAN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "structtensor/plan/kinds.h"

#pragma GCC visibility push(default)

namespace structtensor::plan {

// The contract between generated code and the runtime: generated code states the version that it was made for, and does not
// compile with a runtime of another one. It grows with each change of the plan's structs, of the functions that generated code
// calls, or of what these mean.
inline constexpr int kContractVersion = 7;

// A message type with at most that many columns is narrow. Generated rows read narrow types by a shorter way
// (column/internal/row_table.h).
inline constexpr size_t kMaxNarrowColumns = 64;

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

// Where a column keeps what its rows have of the field. The compiler decides it for a field, and the column tree for a message
// field that it keeps as serialized bytes; everything that walks columns goes by it.
enum class Layout : uint8_t {
  kByRow,            // singular scalar: a value for each row, which counts if the row's presence word says so
  kMessageByRow,     // singular message: a node in the same rows; presence words say which rows have it
  kCaseByRow,        // case of a oneof: made from the presence words when the node is finished
  kAppended,         // singular scalar, or case of a oneof: values side by side, and beside each its row
  kAppendedMessage,  // singular message: a node in the same rows, and the rows that have it
  kElements,         // repeated scalar: elements side by side, and row_splits
  kElementMessages,  // repeated message, map: a node with a row for each element, and row_splits
  kChosenKeys,       // values of chosen keys of a map: a node in the same rows, all of which have it
  kBytes,            // singular message that is kept as bytes: as kAppended
  kElementBytes,     // repeated message that is kept as bytes: as kElements
};

// Whether there is a node of columns below the column.
constexpr bool HasNode(Layout layout) {
  switch (layout) {
    case Layout::kMessageByRow:
    case Layout::kAppendedMessage:
    case Layout::kElementMessages:
    case Layout::kChosenKeys:
      return true;
    case Layout::kByRow:
    case Layout::kCaseByRow:
    case Layout::kAppended:
    case Layout::kElements:
    case Layout::kBytes:
    case Layout::kElementBytes:
      return false;
  }
  return false;
}

// Whether the column keeps messages as serialized bytes.
constexpr bool IsOpaque(Layout layout) { return layout == Layout::kBytes || layout == Layout::kElementBytes; }

// The layout of a field of those facts. `presence_words`: of its message type.
constexpr Layout LayoutOf(Cardinality cardinality, Element element, bool presence_words) {
  const bool message = element == Element::kMessage;
  switch (cardinality) {
    case Cardinality::kSingular:
      if (presence_words) return message ? Layout::kMessageByRow : Layout::kByRow;
      return message ? Layout::kAppendedMessage : Layout::kAppended;
    case Cardinality::kRepeated:
    case Cardinality::kMap:
      return message ? Layout::kElementMessages : Layout::kElements;
    case Cardinality::kOneofCase:
      return presence_words ? Layout::kCaseByRow : Layout::kAppended;
  }
  return Layout::kAppended;
}

// The layout of a message field that is kept as bytes.
constexpr Layout OpaqueLayout(Cardinality cardinality) {
  return cardinality == Cardinality::kSingular ? Layout::kBytes : Layout::kElementBytes;
}

// Message types that have a value type of their own outside protobuf.
enum class WellKnown : uint8_t {
  kNone,
  kTimestamp,  // {int64 seconds = 1; int32 nanos = 2;}
  kDuration,   // the same
  kWrapper,    // {T value = 1;}
};

struct MessagePlan;

// Another name of a number that an enum has a name for (option allow_alias).
struct EnumAlias {
  std::string_view name;
  int32_t number;
};

struct EnumPlan {
  std::string_view full_name;
  std::span<const int32_t> numbers;         // ascending, without repetition
  std::span<const std::string_view> names;  // names[i] is the first name declared for numbers[i]
  std::span<const EnumAlias> aliases = {};  // the others

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

// What annotations (proto_schemas/structtensor/options.proto) say of a field's column, each member where they say it, and
// protobuf's own option json_name. A field that annotations leave out is FieldPlan::skipped.
struct FieldAnnotations {
  enum class OptionalAs : uint8_t { kNotSaid, kRagged, kNullable, kDefaultFilled };
  enum class Timestamps : uint8_t { kNotSaid, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

  std::string_view column_name = {};  // "": the field's name
  OptionalAs optional_as = OptionalAs::kNotSaid;
  Timestamps timestamps = Timestamps::kNotSaid;  // the unit of a native time
  bool enum_names = false;                       // of an enum: names, not numbers
  bool dictionary = false;                       // of names: Arrow has them as a dictionary
  bool text = false;                             // of bytes: they are UTF-8
  uint32_t fixed_size_bytes = 0;                 // of bytes: how many each value has; 0: not said
  int32_t recursion_depth = 0;                   // of messages, see RecursionDepthOf(); 0: not said
  bool flatten = false;                          // of a singular message: its columns stand among those around it
  std::string_view prefix = {};                  // then, in front of their names
  std::string_view json_name = {};               // "": the field's name in lowerCamelCase

  bool operator==(const FieldAnnotations&) const = default;
};

struct FieldPlan {
  std::string_view name;  // an extension's is its full name in brackets: "[pkg.name]"
  int32_t number = 0;     // 0 for a oneof's case
  Kind kind = Kind::kInt32;
  Element element = Element::kInt32;
  Cardinality cardinality = Cardinality::kSingular;
  Presence presence = Presence::kImplicit;
  Layout layout = Layout::kByRow;
  bool packed = false;  // how the schema says that a repeated field is written; both ways are read
  bool validate_utf8 = false;
  bool closed_enum = false;               // a number that the enum has no name for is an unknown field
  int32_t oneof_case = -1;                // index in Message::fields of the oneof's case column; -1 outside oneofs
  int32_t presence_bit = -1;              // in the presence word of a row (column/internal/column.h); -1 for none
  const MessagePlan* message = nullptr;   // kMessage and kGroup, else null
  const EnumPlan* enumeration = nullptr;  // kEnum, else null
  uint32_t column_offset = 0;             // of the field's ColumnBuffer in its node, bytes
  Default default_value = {};
  bool skipped = false;  // annotated so, or not chosen (decode/internal/projection.h): no data ever touches its column
  int32_t by_key = -1;   // of a skipped map: index of the field in which the values of chosen keys are
  const FieldAnnotations* annotations = nullptr;  // null: none

  bool is_message() const { return element == Element::kMessage; }
  bool is_repeated() const { return cardinality == Cardinality::kRepeated || cardinality == Cardinality::kMap; }
  bool is_flattened() const { return annotations != nullptr && annotations->flatten; }
  // Of the column in tensors and files. A flattened field has none.
  std::string_view column_name() const {
    return annotations == nullptr || annotations->column_name.empty() ? name : annotations->column_name;
  }
};

// How often the field's message type may stand on its own path, where it may `limit` times by default. 0 is no limit, whatever
// annotations say: those who set none read columns by their fields, not as a table.
constexpr int RecursionDepthOf(const FieldPlan& field, int limit) {
  const bool annotated = limit != 0 && field.annotations != nullptr && field.annotations->recursion_depth != 0;
  return annotated ? field.annotations->recursion_depth : limit;
}

// How many bytes each value of the field has, or 0 if they may differ.
constexpr uint32_t FixedSizeBytesOf(const FieldPlan& field) {
  return field.annotations == nullptr ? 0 : field.annotations->fixed_size_bytes;
}

// What generated functions are called with. The runtime derives its own types from these, so that the plan needs to know none
// of them: column/internal/column.h, decode/internal/context.h, encode/internal/node.h.
struct DecodeTarget {};  // the columns of a message type at a field path
struct DecodeState {};
struct DecodeProgram {};  // what the engine's functions go by: engine/internal/decode_table.h, encode_table.h
struct EncodeProgram {};
struct EncodeSource {};  // the same, to be read
struct EncodeState {};

// Decodes one message, whose bytes start at `p`, into row `row` of `target`.
// Returns the position behind the message, or null after an error that `state` holds.
//   end      where the enclosing length-delimited message ends; 64 bytes from there may be read and are not used
//   nesting  remaining depth * 2, plus 1 in a group, which END_GROUP ends instead of `end`
using DecodeFunction = const uint8_t* (*)(const uint8_t* p, const uint8_t* end, DecodeTarget* target, uint32_t row,
                                          uint32_t nesting, DecodeState* state);

// Writes row `row` of `source` in front of `p`, where free memory ends, and returns where the message begins.
using EncodeFunction = uint8_t* (*)(uint8_t* p, EncodeSource* source, uint32_t row, EncodeState* state);

// A key of a map.
struct MapKey {
  std::string_view text;
  uint64_t bits;  // of keys that are no strings: integers sign-extended
};

struct MessagePlan {
  std::string_view full_name;
  std::span<const FieldPlan> fields = {};  // by field number; the case columns of oneofs follow
  uint32_t node_size_bytes = 0;
  WellKnown well_known = WellKnown::kNone;
  bool map_entry = false;
  bool message_set = false;                       // each extension is written as a group with its number and its message
  bool reaches_required = false;                  // this type or one that it reaches has a required field
  bool presence_words = false;                    // a row has one: all singular fields have a bit (column/internal/column.h)
  DecodeFunction decode = nullptr;                // null in a plan that no code was generated from
  EncodeFunction encode = nullptr;                // null in code that was generated without encoders
  const DecodeProgram* decode_program = nullptr;  // not null where the engine decodes; likewise
  const EncodeProgram* encode_program = nullptr;
  std::span<const MapKey> keys = {};  // of a struct whose fields are the values of chosen keys of a map: theirs

  // The field of that number, or null. Cost: O(log n).
  const FieldPlan* FindByNumber(int32_t number) const;
  // The field of that name (an extension's in brackets, a oneof's case column's "<oneof>_case"), or null. Cost: O(n).
  const FieldPlan* FindByName(std::string_view name) const;
  // The field whose column has that name in the struct that the type becomes: one of the type's own, or of a message that is
  // flattened into it, or null. Skipped fields count, too, where no other has their name. Cost: O(columns).
  const FieldPlan* FindByColumnName(std::string_view column_name) const;
};

// Whether bytes of the field may be none although they have a fixed size, which then stands for absent: where nothing else says
// so. `message`: the field's, or one of chosen keys of a map.
constexpr bool MayBeEmpty(const MessagePlan& message, const FieldPlan& field) {
  return field.cardinality == Cardinality::kSingular && (field.presence == Presence::kImplicit || !message.keys.empty());
}

// Bytes of one value in a column: 1, 4 or 8; 16 for strings and bytes, whose values are references into the input until the
// batch is finished; 0 for messages.
size_t ElementSizeBytes(Element element);

// "int64", "string", "message", ...
std::string_view ElementName(Element element);
// The name that .proto files use: "sint32", "group", ...
std::string_view KindName(Kind kind);
// As the protobuf encoding guide has it: "VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32"; "" for what is none.
std::string_view WireTypeName(WireType type);

// The plan of `message` and of every message type it reaches, one line a field, for people and golden files.
std::string DebugString(const MessagePlan& message);

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PLAN_PLAN_H_
