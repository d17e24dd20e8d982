// The plan: what a decoder does, as plain data. One MessagePlan per message type, one FieldPlan per column.
//
// The schema compiler fills these structs once. The emitter prints them as constants into generated code. Everything that is
// not hot (finishing, rollback, views, errors) walks them at run time. This folder includes nothing but the standard library.
#ifndef STRUCTTENSOR_CORE_PLAN_PLAN_H_
#define STRUCTTENSOR_CORE_PLAN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "structtensor/core/plan/kinds.h"

#pragma GCC visibility push(default)

namespace structtensor::plan {

// The contract between generated code and the runtime. Generated code states the version it was made for, and does not compile
// with a runtime of another version. The version grows with each change of the plan's structs, of the functions that generated
// code calls, or of what these mean.
inline constexpr int kContractVersion = 10;

// A message type with at most this many columns is narrow. Generated rows read narrow types in a shorter way
// (core/column/abi/row_table.h).
inline constexpr size_t kMaxNarrowColumns = 64;

enum class Cardinality : uint8_t {
  kSingular,
  kRepeated,
  kMap,        // repeated entries; of several entries with equal keys, the last one counts
  kOneofCase,  // not a field of the message: the number of the oneof member that is set, 0 if none is
};

enum class Presence : uint8_t {
  kImplicit,  // unset and default are the same
  kExplicit,  // unset and default are different
  kRequired,
};

// How a column stores a field of its rows. The compiler chooses the layout of a field. The column tree chooses it for a message
// field that it keeps as serialized bytes. All code that walks columns uses it.
enum class Layout : uint8_t {
  kByRow,            // singular scalar: a value for each row; it counts if the row's presence word says so
  kMessageByRow,     // singular message: a node in the same rows; presence words say which rows have it
  kCaseByRow,        // case of a oneof: computed from the presence words when the node is finished
  kAppended,         // singular scalar, or case of a oneof: values side by side, each with its row
  kAppendedMessage,  // singular message: a node in the same rows, and a list of the rows that have it
  kElements,         // repeated scalar: elements side by side, and row_splits
  kElementMessages,  // repeated message, map: a node with a row for each element, and row_splits
  kChosenKeys,       // values of chosen keys of a map: a node in the same rows; all rows have it
  kBytes,            // singular message that is kept as bytes: like kAppended
  kElementBytes,     // repeated message that is kept as bytes: like kElements
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

// The layout of a field with these properties. `presence_words`: whether its message type has them.
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
  kDuration,   // same fields as kTimestamp
  kWrapper,    // {T value = 1;}
};

struct MessagePlan;

// Another name for a number that already has a name in the enum (option allow_alias).
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
  // The number with that name, which may be an alias; nullopt if there is none. Cost: O(names).
  std::optional<int32_t> NumberOf(std::string_view name) const;
};

// The value of an explicit `[default = ...]`. The field's element decides which member counts.
struct Default {
  bool declared = false;
  uint64_t bits = 0;           // integers sign-extended, floating point as its bits
  std::string_view text = {};  // strings and bytes
};

// What annotations (proto_schemas/structtensor/options.proto) and protobuf's own option json_name say about a field's column. A
// field that annotations leave out has FieldPlan::skipped.
struct FieldAnnotations {
  enum class OptionalAs : uint8_t { kUnspecified, kRagged, kNullable, kDefaultFilled };
  enum class Timestamps : uint8_t { kUnspecified, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };
  enum class EnumAs : uint8_t { kUnspecified, kNumber, kName, kDictionary };

  std::string_view column_name = {};  // "": the field's name
  OptionalAs optional_as = OptionalAs::kUnspecified;
  Timestamps timestamps = Timestamps::kUnspecified;  // the unit of a native time
  EnumAs enum_as = EnumAs::kUnspecified;             // of an enum: numbers, names, or names that are a dictionary in Arrow
  bool text = false;                                 // of bytes: they are UTF-8
  uint32_t fixed_size_bytes = 0;                     // of bytes: how many each value has; 0: unspecified
  int32_t recursion_depth = 0;                       // of messages, see RecursionDepthOf(); 0: unspecified
  bool flatten = false;                              // of a singular message: its columns take the place of its own column
  std::string_view prefix = {};                      // if flattened: comes before the names of these columns
  std::string_view json_name = {};                   // "": the field's name in lowerCamelCase

  bool operator==(const FieldAnnotations&) const = default;
};

struct FieldPlan {
  std::string_view name;  // for an extension: its full name in brackets, "[pkg.name]"
  int32_t number = 0;     // 0 for a oneof's case
  Kind kind = Kind::kInt32;
  Element element = Element::kInt32;
  Cardinality cardinality = Cardinality::kSingular;
  Presence presence = Presence::kImplicit;
  Layout layout = Layout::kByRow;
  bool packed = false;  // how the schema says to write a repeated field; both ways are read
  bool validate_utf8 = false;
  bool closed_enum = false;               // a number without a name in the enum is an unknown field
  int32_t oneof_case = -1;                // index in MessagePlan::fields of the oneof's case column; -1 outside oneofs
  int32_t presence_bit = -1;              // in the presence word of a row (core/column/abi/column.h); -1 for none
  const MessagePlan* message = nullptr;   // kMessage and kGroup, else null
  const EnumPlan* enumeration = nullptr;  // kEnum, else null
  uint32_t column_offset = 0;             // of the field's ColumnBuffer in its node, bytes
  Default default_value = {};
  bool skipped = false;  // by annotation, or not chosen (core/decode/internal/projection.h): its column never gets data
  int32_t by_key = -1;   // of a skipped map: index of the field that has the values of chosen keys
  const FieldAnnotations* annotations = nullptr;  // null: none

  bool is_message() const { return element == Element::kMessage; }
  bool is_repeated() const { return cardinality == Cardinality::kRepeated || cardinality == Cardinality::kMap; }
  bool is_flattened() const { return annotations != nullptr && annotations->flatten; }
  // The name of the column in tensors and files. A flattened field has no column.
  std::string_view column_name() const {
    return annotations == nullptr || annotations->column_name.empty() ? name : annotations->column_name;
  }
};

// How often the field's message type may occur on its own path; the default is `limit`. 0 means no limit, whatever annotations
// say: callers without a limit read columns by their fields, not as a table.
constexpr int RecursionDepthOf(const FieldPlan& field, int limit) {
  const bool annotated = limit != 0 && field.annotations != nullptr && field.annotations->recursion_depth != 0;
  return annotated ? field.annotations->recursion_depth : limit;
}

// How many bytes each value of the field has; 0 if sizes may differ.
constexpr uint32_t FixedSizeBytesOf(const FieldPlan& field) {
  return field.annotations == nullptr ? 0 : field.annotations->fixed_size_bytes;
}

// The arguments of generated functions. The runtime derives its own types from these, so the plan does not need to know them:
// core/column/abi/column.h, core/decode/abi/context.h, core/encode/abi/node.h.
struct DecodeTarget {};  // the columns of a message type at a field path
struct DecodeState {};
struct DecodeProgram {};  // what the engine's functions follow: core/engine/internal/decode_table.h, encode_table.h
struct EncodeProgram {};
struct EncodeSource {};  // the columns of a message type at a field path, to be read
struct EncodeState {};

// Decodes one message, whose bytes start at `p`, into row `row` of `target`.
// Returns the position after the message, or null after an error, which `state` holds.
//   end      where the enclosing length-delimited message ends; 64 bytes from there may be read but are not used
//   nesting  remaining depth * 2, plus 1 in a group, which ends at END_GROUP instead of `end`
using DecodeFunction = const uint8_t* (*)(const uint8_t* p, const uint8_t* end, DecodeTarget* target, uint32_t row,
                                          uint32_t nesting, DecodeState* state);

// Writes row `row` of `source` before `p`, where free memory ends. Returns where the message begins.
using EncodeFunction = uint8_t* (*)(uint8_t* p, EncodeSource* source, uint32_t row, EncodeState* state);

// A key of a map.
struct MapKey {
  std::string_view text;
  uint64_t bits;  // of keys that are not strings: integers sign-extended
};

struct MessagePlan {
  std::string_view full_name;
  std::span<const FieldPlan> fields = {};  // by field number; the case columns of oneofs follow
  uint32_t node_size_bytes = 0;
  WellKnown well_known = WellKnown::kNone;
  bool map_entry = false;
  bool message_set = false;                       // each extension is written as a group with its number and its message
  bool reaches_required = false;                  // this type, or a type that it reaches, has a required field
  bool presence_words = false;                    // rows have a word, all singular fields a bit (core/column/abi/column.h)
  DecodeFunction decode = nullptr;                // null in a plan without generated code
  EncodeFunction encode = nullptr;                // null in generated code without encoders
  const DecodeProgram* decode_program = nullptr;  // of the engine; both are null in generated plans
  const EncodeProgram* encode_program = nullptr;
  std::span<const MapKey> keys = {};  // of a struct whose fields are the values of chosen keys of a map: these keys

  // The field with that number, or null. Cost: O(log n).
  const FieldPlan* FindByNumber(int32_t number) const;
  // The field with that name (an extension's in brackets, a oneof's case column's "<oneof>_case"), or null. Cost: O(n).
  const FieldPlan* FindByName(std::string_view name) const;
  // The field with that column name in the type's struct, or null: a field of the type, or of a message that is flattened into
  // it. Skipped fields count if no other field has the name. Cost: O(columns).
  const FieldPlan* FindByColumnName(std::string_view column_name) const;
};

// Whether a bytes field of fixed size may also be empty. Empty then means absent: nothing else marks absence. `message`: the
// message of the field, or the struct of chosen keys of a map.
constexpr bool MayBeEmpty(const MessagePlan& message, const FieldPlan& field) {
  return field.cardinality == Cardinality::kSingular && (field.presence == Presence::kImplicit || !message.keys.empty());
}

// Returns a map with only the values of chosen keys decoded (DecodeOptions::fields), in `message` or in a type that it
// reaches. Returns null if there is no such map. Cost: O(fields of the types that it reaches).
const FieldPlan* FindMapByKey(const MessagePlan& message);
// Returns a field whose values are not decoded (FieldPlan::skipped), in the same types. Returns null if all fields are decoded.
const FieldPlan* FindSkippedField(const MessagePlan& message);

// As in the protobuf encoding guide: "VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32"; "" for other values.
std::string_view WireTypeName(WireType type);

// The plan of `message` and of every message type it reaches, one line per field, for people and golden files.
std::string DebugString(const MessagePlan& message);

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_PLAN_PLAN_H_
