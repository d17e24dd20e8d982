// What the generated decoder and encoder of each message type do, decided in full: the emitters (compiler/emit) only print
// this.
#ifndef STRUCTTENSOR_COMPILER_PLAN_DECODER_PLAN_H_
#define STRUCTTENSOR_COMPILER_PLAN_DECODER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "structtensor/compiler/plan/names.h"
#include "structtensor/compiler/schema/schema.h"
#include "structtensor/plan/plan.h"

namespace structtensor::compiler {

// The functions of runtime/structtensor/decode/internal/fields.h that read one occurrence of a field.
enum class Archetype {
  kSingularVarint,  // argument: the kind of varint
  kRepeatedVarint,
  kPackedVarint,
  kSingularFixed,  // argument: the C++ type
  kRepeatedFixed,
  kPackedFixed,
  kSingularClosedEnum,
  kRepeatedClosedEnum,
  kPackedClosedEnum,
  kMapValueClosedEnum,
  kOneofClosedEnum,
  kSingularString,  // argument: decode::TextCheck
  kRepeatedString,
  kSingularMessage,
  kRepeatedMessage,
  kClosedEnumMap,
  kSingularGroup,
  kRepeatedGroup,
};

// One column: a field, or the case of a oneof.
struct GeneratedColumn {
  const schema::FieldSchema* field;  // null for a oneof's case
  std::string name;                  // in the plan and in tables
  std::string member;                // in the node struct, and of the accessor
  std::string accessor_type;         // "::structtensor::SingularColumn<int64_t>"
  std::string comment;               // the declaration
  int32_t number;                    // 0 for a oneof's case
  plan::Kind kind;
  plan::Element element;
  plan::Cardinality cardinality;
  plan::Presence presence;
  std::optional<size_t> oneof_case;  // of a oneof's member: the case, in GeneratedMessage::columns
  int presence_bit = -1;             // plan::FieldPlan::presence_bit
  bool skipped = false;              // plan::FieldPlan::skipped
  std::optional<plan::FieldAnnotations> annotations = std::nullopt;  // whose texts are those of the schema
  std::string message_plan;                                          // qualified name of the constant, "" for none
  std::string enum_plan;
  std::string decode_function;  // of the message, qualified; or the object to call, if the message is decoded inline
  std::string encode_function;  // likewise
};

// One case of the switch over tags.
struct TagCase {
  uint32_t number;
  plan::WireType wire_type;
  uint32_t tag_size_bytes;
  Archetype archetype;
  std::string argument;
  size_t column;                      // in GeneratedMessage::columns
  std::optional<size_t> oneof_case;   // likewise
  bool by_table = false;              // read by runtime/structtensor/decode/internal/scalars.h
  std::vector<size_t> expected_next;  // cases whose tags are looked for right behind the value
  std::string label;                  // "" if no case expects this one

  uint32_t tag() const { return plan::Tag(number, wire_type); }
};

// The call that writes one field: a function of runtime/structtensor/encode/internal/fields.h and its arguments besides p, the
// column and where the value is.
struct EncodeStep {
  size_t column;  // in GeneratedMessage::columns
  std::string function;
  std::string template_arguments;  // "wire::Int32, encode::kPresent"
  bool message;                    // takes the message's encode function and the context
  std::string last_arguments;  // "encode::ConstantTag<wire::Tag(3, wire::kVarint)>()"; of a MessageSet's extension, its number
};

struct GeneratedMessage {
  const schema::MessageSchema* message;
  MessageNames names;
  std::vector<GeneratedColumn> columns;  // fields by number, then the cases of oneofs
  std::vector<TagCase> cases;
  std::vector<EncodeStep> encode_steps;  // by field number
  bool wide;                             // most fields are absent from most messages: what is there leads, not the schema
  bool presence_words = false;           // plan::MessagePlan::presence_words
  bool decoded_inline = false;           // within the decode functions of the messages of this file that contain it
  std::optional<uint32_t> group_number;  // of a field of this file of which it is the group
};

struct GeneratedEnum {
  const schema::EnumSchema* enumeration;
  std::string name;
};

struct GeneratedFile {
  const schema::File* file;
  std::vector<std::string> namespaces;        // of the package
  std::vector<std::string> header_includes;   // generated headers of imported files
  std::vector<std::string> source_includes;   // and those that only the source needs
  std::vector<std::string> forward_declared;  // "namespace::Class" of column classes that no include declares
  std::vector<GeneratedEnum> enums;
  std::vector<GeneratedMessage> messages;
};

// `names` serves all files of a run.
GeneratedFile PlanFile(const schema::File& file, NameTable& names);

// The row of the plan for column `index`, without what belongs to a program: its message, its enumeration and its column_offset
// are not set. Texts and annotations are those of the column and of its schema.
plan::FieldPlan FieldPlanOf(const GeneratedMessage& message, size_t index);

// encoder_plan.cc. Requires: the plan's columns.
std::vector<EncodeStep> PlanEncoding(const GeneratedMessage& message);

// The struct of runtime/structtensor/wire/internal/kinds.h, as generated sources name it: "wire::Sint32". Requires: values of
// `kind` are varints.
std::string VarintKindName(plan::Kind kind);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_PLAN_DECODER_PLAN_H_
