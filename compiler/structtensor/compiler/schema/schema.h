// Reads descriptors once. Every question whose answer depends on syntax, editions or options is answered here, so no later
// stage looks at a descriptor. Compiles with protobuf 3.21 and with releases that know editions.
#ifndef STRUCTTENSOR_COMPILER_SCHEMA_SCHEMA_H_
#define STRUCTTENSOR_COMPILER_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::schema {

struct MessageSchema;
struct File;

struct EnumSchema {
  std::string full_name;
  std::string nested_name;  // "Outer.Inner": the full name without the package
  const File* file;
  struct Value {
    int32_t number;
    std::string name;
  };
  std::vector<Value> values;   // by number, with the first name of each number
  std::vector<Value> aliases;  // the other names, in the order of the declaration
};

struct Oneof {
  std::string name;
  // The name of the column that says which member is set: "<name>_case". It gets '_' at its end if a field has that name.
  std::string case_name;
};

struct FieldSchema {
  std::string name;         // for an extension, its full name
  std::string declaration;  // "repeated int32 counts = 3"
  int32_t number;
  bool extension;
  plan::Kind kind;
  plan::Cardinality cardinality;
  plan::Presence presence;
  bool packed;
  bool validate_utf8;
  bool closed_enum;
  int oneof;  // index in MessageSchema::oneofs, or -1 (the oneof of a proto3 optional does not count)
  const MessageSchema* message;
  const EnumSchema* enumeration;
  bool has_default;
  uint64_t default_bits;
  std::string default_text;
  bool skip = false;                   // an annotation leaves the field out
  plan::FieldAnnotations annotations;  // the other annotations; their strings are below
  std::string column_name;             // "": the field's name
  std::string prefix;
  std::string json_name;  // unique in the message; "": the name in lowerCamelCase
};

struct MessageSchema {
  std::string full_name;
  std::string nested_name;
  const File* file;
  std::vector<FieldSchema> fields;  // by number, including extensions in scope
  std::vector<Oneof> oneofs;
  bool map_entry;
  bool message_set;  // option message_set_wire_format
  bool reaches_required = false;
  plan::WellKnown well_known;
};

struct File {
  std::string name;  // "dir/x.proto"
  std::string package;
  std::vector<std::string> dependencies;         // names of imported files, in their order
  std::vector<std::string> public_dependencies;  // those that are imported as public
  std::vector<const MessageSchema*> messages;    // all; nested types come after their outer type
  std::vector<const EnumSchema*> enums;
  // Files that declare the types of extensions that messages here get from other files. Sorted, so that the order of protoc's
  // command line does not matter.
  std::set<std::string> later_dependencies;
  bool generated;  // in this run
};

// Something wrong with an annotation.
struct Problem {
  std::string full_name;  // of the annotated field, message type or enum
  std::string location;   // "dir/x.proto:3:5", or "dir/x.proto" where descriptors do not know lines
  std::string text;       // what is wrong, and what to do
  int option = 0;         // the number of the wrong annotation in structtensor.FieldOptions; 0 if it is not one alone

  // "dir/x.proto:3:5: pkg.Message.field: what is wrong".
  std::string Text() const;
};

struct SchemaOptions {
  bool extensions = true;   // extensions that the files or their imports declare are fields
  bool annotations = true;  // see annotations.h
};

// Everything that the files of one run declare or use.
class Schema {
 public:
  // `files`: the files to generate code for. Extensions are in scope for the messages of these files.
  explicit Schema(const std::vector<const google::protobuf::FileDescriptor*>& files, SchemaOptions options = {});

  const File& file(const google::protobuf::FileDescriptor* file) const { return *files_.at(file); }
  const MessageSchema& message(const google::protobuf::Descriptor* message) const { return *messages_.at(message); }

  // Sentences about declarations that this run cannot serve, for people to read.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // What is wrong with annotations, ordered by full name. If there are problems, do not use the rest of the schema.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  class Builder;
  std::unordered_map<const google::protobuf::FileDescriptor*, std::unique_ptr<File>> files_;
  std::unordered_map<const google::protobuf::Descriptor*, std::unique_ptr<MessageSchema>> messages_;
  std::unordered_map<const google::protobuf::EnumDescriptor*, std::unique_ptr<EnumSchema>> enums_;
  std::vector<std::string> warnings_;
  std::vector<Problem> problems_;
};

}  // namespace structtensor::schema

#endif  // STRUCTTENSOR_COMPILER_SCHEMA_SCHEMA_H_
