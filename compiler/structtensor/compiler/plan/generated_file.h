// The contents of a generated file, as data: for each message type its columns, the cases of its decode function, the steps of
// its encode function, and its classes. The emitters (compiler/emit) print them.
#ifndef STRUCTTENSOR_COMPILER_PLAN_GENERATED_FILE_H_
#define STRUCTTENSOR_COMPILER_PLAN_GENERATED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "structtensor/compiler/plan/names.h"
#include "structtensor/compiler/schema/schema.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/core/plan/steps.h"

namespace structtensor::compiler {

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
  std::optional<size_t> oneof_case;  // for a oneof's member: the case, in GeneratedMessage::columns
  int presence_bit = -1;             // plan::FieldPlan::presence_bit
  bool skipped = false;              // plan::FieldPlan::skipped
  std::optional<plan::FieldAnnotations> annotations = std::nullopt;  // the strings belong to the schema
  std::string message_plan;                                          // qualified name of the constant, "" for none
  std::string enum_plan;
  std::string decode_function;  // of the message, qualified; or the object to call, if the message is decoded inline
  std::string encode_function;  // the same for encoding
};

// One case of the switch over tags.
struct TagCase {
  plan::ReadStep step;
  bool by_table = false;              // read by runtime/structtensor/core/decode/abi/scalars.h
  std::vector<size_t> expected_next;  // cases whose tags are looked for right after the value
  std::string label;                  // "" if no case expects this one

  uint32_t tag_size_bytes() const { return plan::TagSizeBytes(step.tag); }
};

// An accessor of a row class (core/generated_api/rows.h): its name, what it returns, and the call that reads it.
struct RowAccessor {
  size_t column;           // in GeneratedMessage::columns
  std::string member;      // "minutes"
  std::string has_member;  // "has_minutes"; "" if a row always has a value
  std::string type;        // "int32_t"
  std::string function;    // "::structtensor::RowReader::Get<int32_t>", to be called with the row and the column

  // Where the body can be: a function that returns a row by value must come after that row's class.
  enum class Place { kInClass, kAfterClasses, kInSource };
  Place place = Place::kInClass;
};

// A setter of a row builder class (core/generated_api/batch_builder.h).
struct RowSetter {
  std::string result;     // "void"
  std::string signature;  // "set_minutes(int32_t value)"
  std::string statement;  // "::structtensor::generated_api_internal::SetField<int32_t>(*this, 1, value);"
  RowAccessor::Place place = RowAccessor::Place::kInClass;
};

// The enum class of a oneof's members, in a row class.
struct OneofCaseEnum {
  std::string name;                                      // "ContactCase"
  std::vector<std::pair<std::string, int32_t>> members;  // {"kEmail", 3}
};

struct RowClass {
  std::string reader;                  // "::structtensor::RowReader"
  std::vector<RowAccessor> accessors;  // one for each column
  std::vector<OneofCaseEnum> oneof_cases;
  std::vector<RowSetter> setters;
  bool uses_times = false;
};

struct GeneratedMessage {
  const schema::MessageSchema* message;
  MessageNames names;
  std::vector<GeneratedColumn> columns;  // fields by number, then the cases of oneofs
  std::vector<TagCase> cases;
  std::vector<plan::WriteStep> write_steps;
  RowClass row;                          // empty for map entries
  bool wide;                             // has many fields, most of them probably absent: encoders walk the present ones only
  bool presence_words = false;           // plan::MessagePlan::presence_words
  bool decoded_inline = false;           // messages of this file that contain it decode it inline
  std::optional<uint32_t> group_number;  // the number of the field whose group this is, if it is in this file
};

struct GeneratedEnum {
  const schema::EnumSchema* enumeration;
  std::string name;
  std::string class_name;
  std::vector<std::pair<std::string, int32_t>> enumerators;  // by number, then the aliases
};

struct GeneratedFile {
  const schema::File* file;
  std::vector<std::string> namespaces;        // of the package
  std::vector<std::string> header_includes;   // generated headers of imported files
  std::vector<std::string> source_includes;   // generated headers that only the source needs
  std::vector<std::string> forward_declared;  // "namespace::Class" of column and row classes that no include declares
  std::vector<std::string> forward_enums;     // the same for enum classes
  std::vector<GeneratedEnum> enums;
  std::vector<GeneratedMessage> messages;
};

// Decides what is generated for `file`. All files of a run share `names`.
GeneratedFile MakeGeneratedFile(const schema::File& file, NameTable& names);

// The plan's entry for column `index`. Its message, enumeration and column_offset are not set: only a compiled program has
// these. Its strings and annotations belong to the column and to its schema.
plan::FieldPlan FieldPlanOf(const GeneratedMessage& message, size_t index);

// The type of an element of a column: "int32_t", "std::string_view"; "" for messages.
std::string CppType(plan::Element element);
// "::a::b::Name" for a name in the namespace of `file`.
std::string Qualified(const schema::File& file, const std::string& name);

// `reserved`: the names that no accessor may have. Requires: message.columns.
RowClass MakeRowClass(const GeneratedMessage& message, NameTable& names, std::unordered_set<std::string> reserved);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_PLAN_GENERATED_FILE_H_
