// Message types that are loaded at run time, from .proto files or from descriptor sets.
//
//   absl::StatusOr<Schema> schema = Schema::FromProtoFiles({"trace.proto"}, {"protos"});
//   absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = schema->PlanOf("Span");
//   BatchDecoder decoder(**plan);
//
// Plans are made as the compiler makes them for generated code. Their decode and encode functions are the engine's
// (core/engine/engine.h). So a message type decodes to the same columns either way.
//
// Annotations (proto_schemas/structtensor/options.proto, built in: .proto files may import it without a copy) are part of
// plans.
//
// The library structtensor::schema is separate because it needs libprotobuf to read descriptors; decoding does not.
#ifndef STRUCTTENSOR_APP_SCHEMA_SCHEMA_H_
#define STRUCTTENSOR_APP_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/app/schema/text_format.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor {

// The release of the libprotobuf that reads schemas, as `protoc --version` prints it: "3.21.12", "35.1". It decides which
// editions .proto files may have.
std::string ProtobufVersion();

// Cheap to copy, immutable; safe to use from several threads.
class Schema {
 public:
  // Makes a schema from a serialized google.protobuf.FileDescriptorSet, as `protoc --include_imports --descriptor_set_out`
  // writes it. Protobuf's own files (google/protobuf/*.proto) and structtensor/options.proto may be missing from it. A file may
  // be in it twice.
  // Errors: InvalidArgument if it is not a FileDescriptorSet, an import is missing, two different files have one name, protoc
  // would refuse it, or an annotation does not suit its field.
  static absl::StatusOr<Schema> FromDescriptorSet(std::string_view bytes);

  // Makes a schema from .proto files. Each file is named as imports name it, or by a path to it below one of `import_dirs`.
  // Imports are searched in import_dirs, in order, then among protobuf's own files and structtensor/options.proto. Empty
  // import_dirs mean the folders of files that are named by absolute paths or from "..", the current folder, and the folders of
  // the other files, in this order.
  // Errors: NotFound if a file does not exist; InvalidArgument for mistakes in the files (the first twenty), each as
  // "file:line:column: what is wrong".
  static absl::StatusOr<Schema> FromProtoFiles(const std::vector<std::string>& files,
                                               const std::vector<std::string>& import_dirs);

  // Returns this schema with the annotations of a text file, which override its own. The text is a structtensor.Annotations
  // message in text format. The annotations become options in the new schema's files and its descriptor set.
  //   file_name  what errors call the text
  // Errors: InvalidArgument for mistakes in the text, for paths that the schema does not have, and for annotations that do not
  //   suit their fields, each as "file:line:column: what is wrong".
  absl::StatusOr<Schema> WithAnnotations(std::string_view text, std::string_view file_name) const;

  // Returns the full names of the message types that the files declare, including nested types, without map entries, in the
  // order of files and declarations. Types of protobuf's own files and of options.proto are listed only if there are no others.
  std::vector<std::string> MessageNames() const;

  // Returns the MessageNames() that are not the type of a field of another message: the types that a file of messages may hold.
  // If each is the type of a field of another, returns all.
  std::vector<std::string> RootMessageNames() const;

  // Returns the full name of the message type that `name` means. `name` is a full name, from any file of the schema or an
  // import, or the end of a full name ("Span", "Trace.Span") that only one message type has.
  // Errors: NotFound, with similar names, if no type has it; InvalidArgument, with the full names, if several types have it.
  absl::StatusOr<std::string> Resolve(std::string_view name) const;

  enum class Annotations {
    kApply,
    kIgnore,  // for uses that need messages, not columns
  };

  // Returns the plan of the message type that `name` means, as in Resolve(). Extensions that are declared in any file of the
  // schema are fields of the types that they extend.
  // Ownership: the plan owns all its parts. It must outlive every decoder, encoder and batch that is made with it; decoders and
  // scans that are made with the shared pointer keep it alive.
  // Cost: O(fields of all message types that it reaches). Each call makes a new plan, so keep the plan. Errors: the errors of
  // Resolve().
  absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> PlanOf(std::string_view name,
                                                                  Annotations annotations = Annotations::kApply) const;

  // Returns a function that gives PlanOf() for full names, and null for other names, for MessageJsonOptions::resolve. The
  // function keeps the schema and the plans. Several threads may call it and its copies.
  std::function<const plan::MessagePlan*(std::string_view full_name)> PlanFinder() const;

  // Returns protobuf's text format for messages of the type that `name` means. Errors: the errors of Resolve().
  absl::StatusOr<TextFormat> TextFormatOf(std::string_view name, const TextFormatOptions& options = {}) const;

  // Returns a function that says which message types the indexes of a Confluent header name (io/records/confluent_header.h),
  // for ScanOptions::types_of_indexes. It returns full names: none if the indexes name no type, and two if serializers
  // disagree. [1] is the second message type that the file declares, [1, 0] the first type that is declared inside it.
  // Descriptors have a nested type for each map field, which serializers that read .proto files do not count.
  // The file is the one that declares the type that `name` means. If `name` is "", it is the main file: the only file given
  // to the schema that no other one imports. Files that are only imported do not count, nor do protobuf's own files.
  // The function keeps the schema. Errors: the errors of Resolve(); InvalidArgument if `name` is "" and several files may be
  // the main file.
  absl::StatusOr<std::function<std::vector<std::string>(std::span<const int32_t>)>> TypesOfIndexes(
      std::string_view name = "") const;

  // Compares two serialized messages of the type that `name` means, as libprotobuf reads them, including unknown fields. Of map
  // entries with equal keys, the last one counts.
  // Returns the first difference, or "" if they are equal. Errors: the errors of Resolve(); InvalidArgument if libprotobuf does
  // not parse one of them.
  absl::StatusOr<std::string> DifferenceOfMessages(std::string_view name, std::string_view a, std::string_view b) const;

  // Returns the paths of the .proto files on the disk that FromProtoFiles() has read, with imports.
  const std::vector<std::string>& SourceFiles() const;

  // Returns the files with all imports, in the form that FromDescriptorSet() reads.
  std::string SerializeDescriptorSet() const;

 private:
  class State;

  explicit Schema(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCHEMA_SCHEMA_H_
