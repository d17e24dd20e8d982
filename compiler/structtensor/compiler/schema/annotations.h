// Annotations (proto_schemas/structtensor/options.proto): reads and checks what the options of descriptors say about columns.
#ifndef STRUCTTENSOR_COMPILER_SCHEMA_ANNOTATIONS_H_
#define STRUCTTENSOR_COMPILER_SCHEMA_ANNOTATIONS_H_

#include <optional>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "structtensor/compiler/schema/schema.h"
#include "structtensor_options/messages.pb.h"

namespace structtensor::schema {

// The name under which files import options.proto, and the number of its three extensions.
inline constexpr char kOptionsFileName[] = "structtensor/options.proto";
inline constexpr int kAnnotationsNumber = 62914;

// Whether the extension is one of the three, whichever file declares it.
bool IsOfAnnotations(const google::protobuf::FieldDescriptor& extension);

// The annotations in the options of a field, message or enum: the fields with our number, whichever file declares them.
// Nothing if there are none.
std::optional<option_messages::FieldOptions> AnnotationsIn(const google::protobuf::Message& options);
// Sets them. Requires: `options` is one of protobuf's own classes of options.
void SetAnnotationsIn(const option_messages::FieldOptions& annotations, google::protobuf::Message& options);

// A field of a message type of the schema. Everything except its annotations is already set.
struct AnnotatedField {
  const google::protobuf::FieldDescriptor* descriptor;
  MessageSchema* message;  // the message that has the field
  FieldSchema* field;
  FieldSchema* value;  // for a map, the value of its entries; else the field itself
};

// Whether the field has annotations, or its type has, or the type of the values of a map.
bool HasAnnotations(const google::protobuf::FieldDescriptor& field);

// Adds to `problems` what is wrong with the annotations of a type, if it has any.
void CheckTypeAnnotations(const google::protobuf::Descriptor& message, std::vector<Problem>& problems);
void CheckTypeAnnotations(const google::protobuf::EnumDescriptor& enumeration, std::vector<Problem>& problems);

// Sets in the fields what their annotations say, and adds to `problems` what is wrong with the annotations.
// Requires: `fields` are all fields for which HasAnnotations() is true.
void ApplyAnnotations(const std::vector<AnnotatedField>& fields, std::vector<Problem>& problems);

// Adds to `problems` the fields that cannot have their columns, because another column of the struct has the same name, or
// because a message would be flattened into itself.
// Requires: `fields` as for ApplyAnnotations(). ApplyAnnotations() has been called, and the cases of oneofs have their names.
void CheckColumns(const std::vector<AnnotatedField>& fields, std::vector<Problem>& problems);

}  // namespace structtensor::schema

#endif  // STRUCTTENSOR_COMPILER_SCHEMA_ANNOTATIONS_H_
