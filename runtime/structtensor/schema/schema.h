// Message types that are known when the program runs: from .proto files, or from descriptor sets.
//
//   absl::StatusOr<Schema> schema = Schema::FromProtoFiles({"trace.proto"}, {"protos"});
//   absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = schema->PlanOf("Span");
//   BatchDecoder decoder(**plan);
//
// Plans are made as the compiler makes them for generated code, and their decode and encode functions are the engine's
// (engine/engine.h), so that a message type decodes to the same columns either way.
//
// Annotations (proto_schemas/structtensor/options.proto, which .proto files may import without having it) are part of plans.
//
// A library of its own, structtensor::schema, since it needs libprotobuf for reading descriptors; decoding does not.
#ifndef STRUCTTENSOR_SCHEMA_SCHEMA_H_
#define STRUCTTENSOR_SCHEMA_SCHEMA_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"
#include "structtensor/schema/text_format.h"

namespace structtensor {

class DecoderLibrary;

// Cheap to copy, immutable; safe to use from several threads.
class Schema {
 public:
  // Of a serialized google.protobuf.FileDescriptorSet, as `protoc --include_imports --descriptor_set_out` writes. Imports of
  // protobuf's own files (google/protobuf/*.proto), and of structtensor/options.proto, may be missing from it.
  // Errors: InvalidArgument if it is none, if an import is missing, for what protoc would refuse, and for annotations that do
  // not suit their fields.
  static absl::StatusOr<Schema> FromDescriptorSet(std::string_view bytes);

  // Of .proto files. Each is named as imports name it, or by a path to it below one of `import_dirs`; imports are looked for in
  // these, in their order, and then among protobuf's own files and structtensor/options.proto. Without import_dirs, the current
  // folder is one.
  // Errors: NotFound if a file is not there; InvalidArgument for the mistakes in them (the first twenty), each as
  // "file:line:column: what is wrong".
  static absl::StatusOr<Schema> FromProtoFiles(const std::vector<std::string>& files,
                                               const std::vector<std::string>& import_dirs);

  // This schema with the annotations of a text file, which override its own: the text format of a structtensor.Annotations
  // message. They are options of the new schema's files, and are in its descriptor set.
  //   file_name  what errors call the text
  // Errors: InvalidArgument for mistakes in the text, for paths that the schema does not have, and for annotations that do not
  //   suit their fields, each as "file:line:column: what is wrong".
  absl::StatusOr<Schema> WithAnnotations(std::string_view text, std::string_view file_name) const;

  // Full names of the message types that the files themselves declare, nested ones too, without entries of maps: in the order
  // of the files and of their declarations. Those of protobuf's own files, and of options.proto, only if there are no others.
  std::vector<std::string> MessageNames() const;

  // Those of MessageNames() that are no field of another one: what a file may hold messages of. If each is a field of another,
  // all.
  std::vector<std::string> RootMessageNames() const;

  // The full name of the message type that is meant by `name`: a full name, of any file of the schema or of an import, or the
  // end of one ("Span", "Trace.Span") that only one message type has.
  // Errors: NotFound, with the names that look like it; InvalidArgument if several types have it, with their full names.
  absl::StatusOr<std::string> Resolve(std::string_view name) const;

  enum class Annotations {
    kApply,
    kIgnore,  // for what is about messages, not about columns
  };

  // The plan of the message type that is meant by `name`, as Resolve() says. Extensions that are declared in any file of the
  // schema are fields of the types that they extend.
  // Ownership: the plan keeps all that it consists of. It must outlive every decoder, encoder and batch that is made with it;
  // decoders and scans that are made with the shared pointer see to that themselves.
  // `library`: null, or decode functions to use instead of the engine's: those that were compiled from DecoderLibrarySource()
  // of this schema. They are used if the library has those of all message types that the plan reaches. The plan keeps it.
  // Cost: O(fields of all message types that it reaches); each call makes a new plan, so keep it.
  // Errors: those of Resolve().
  absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> PlanOf(
      std::string_view name, Annotations annotations = Annotations::kApply,
      std::shared_ptr<const DecoderLibrary> library = nullptr) const;

  // What PlanOf() gives for full names, as MessageJsonOptions::resolve wants it: null for names that are none. The function
  // keeps the schema and the plans. Several threads may call it and its copies.
  std::function<const plan::MessagePlan*(std::string_view full_name)> PlanFinder() const;

  // protobuf's text format of messages of the type that is meant by `name`. Errors: those of Resolve().
  absl::StatusOr<TextFormat> TextFormatOf(std::string_view name, const TextFormatOptions& options = {}) const;

  // C++ that a compiler makes a DecoderLibrary of (decode/decoder_library.h): the decode functions of these message types and
  // of all that they reach, as the plugin generates them. It includes headers of structtensor that need nothing but the
  // standard library.
  // The same for equal schemas and names. Errors: those of Resolve().
  absl::StatusOr<std::string> DecoderLibrarySource(const std::vector<std::string>& names) const;

  // Compares two serialized messages of the type that is meant by `name`, as libprotobuf reads them, unknown fields included.
  // Returns the first difference, or "" if they are equal. Errors: those of Resolve(); InvalidArgument if libprotobuf does not
  // parse one of them.
  absl::StatusOr<std::string> DifferenceOfMessages(std::string_view name, std::string_view a, std::string_view b) const;

  // The files with all imports, as FromDescriptorSet() reads them.
  std::string SerializeDescriptorSet() const;

 private:
  class State;

  explicit Schema(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_SCHEMA_SCHEMA_H_
