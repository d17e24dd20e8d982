// What all verbs of the command share: how they are declared, what they print, and how they fail.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"
#include "structtensor/scan/scan.h"
#include "structtensor/schema/schema.h"

namespace structtensor::command {

// Keeps the order in which members are set.
using Json = nlohmann::ordered_json;

// The version of the documents that --json prints: it grows when a member goes or changes its meaning.
inline constexpr int kJsonVersion = 1;

// A message type of a schema.
struct MessageType {
  Schema schema;
  std::string name;  // in full
  std::shared_ptr<const plan::MessagePlan> plan;
  // Which columns files of columns among the inputs have: as the schema in them says, whatever --annotations says of others.
  std::shared_ptr<const plan::MessagePlan> plan_of_files;
};

// Where the schema comes from: .proto files, or a descriptor set.
class SchemaFlags {
 public:
  void Declare(CLI::App& app);
  bool given() const { return !protos_.empty() || !descriptor_sets_.empty() || !import_dirs_.empty(); }

  // Whether somebody has asked for what only a schema has: a message type, annotations.
  bool needed() const { return !message_.empty() || !annotations_.empty(); }

  // The schema, with the annotations of --annotations. Errors: those of reading it; InvalidArgument if none is given.
  absl::StatusOr<Schema> Load() const;
  // The schema in column files, likewise. Errors: those of LoadMessage().
  absl::StatusOr<Schema> LoadOf(const std::vector<std::string>& inputs) const;
  // The schema with its message type: as --message says, or the only one there can be, which is told on standard error unless
  // `quiet`. Where none is given, that which column files among `inputs` have (MetadataOf): of several, the one with all
  // fields of the others.
  // `outputs`: files in folders among `inputs` that are no inputs, as ExpandInputs() has them.
  // Errors: those of Load() and of Schema::Resolve(); InvalidArgument if there are several, or schemas of files that do not go
  // together.
  absl::StatusOr<MessageType> LoadMessage(bool quiet, const std::vector<std::string>& inputs = {},
                                          const std::vector<std::string>& outputs = {}) const;

 private:
  absl::StatusOr<Schema> LoadPlain() const;
  absl::StatusOr<Schema> Annotated(const Schema& schema) const;
  absl::StatusOr<std::string> MessageOf(const Schema& schema, bool quiet) const;

  std::vector<std::string> import_dirs_;
  std::vector<std::string> protos_;
  std::vector<std::string> descriptor_sets_;
  std::string annotations_;
  std::string message_;
};

// The message type of rows, if they are what `type` has at the path `rows` (ScanOptions::rows). Errors: those of
// MessageOfRows().
absl::StatusOr<MessageType> TypeOfRows(const MessageType& type, const std::string& rows);

// Makes the scan read files of columns as plan_of_files says, whatever the plan of its rows, and know the types in messages of
// type Any, where these are read or written as JSON; and read text format.
void ReadFilesOf(const MessageType& type, ScanOptions* options);

// The type with the plan that it has without annotations, which are about columns: for what is about messages. If the inputs
// are files of columns in which annotations skip a required field, with their plan: rows of such files are messages without it.
absl::StatusOr<MessageType> Unannotated(const MessageType& type, const std::vector<std::string>& inputs);

// What column files say of the messages that their rows are: "structtensor.message", the full name of the type, and
// "structtensor.descriptor_set", a FileDescriptorSet in base64. In it, fields that annotations skip and the selection names all
// the same are not skipped, so that their columns come back. Errors: those of ResolveSelection().
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> MetadataOf(const MessageType& type,
                                                                            const ScanOptions& options);

// A verb. It is made with the command, declares its options, and runs if it is the one that was asked for.
class Verb {
 public:
  virtual ~Verb() = default;
  // What is wrong with the options together, or "". Called before Run.
  virtual std::string Resolve() { return ""; }
  // Returns the exit code. Errors are told by the caller, with exit code 1.
  virtual absl::StatusOr<int> Run() = 0;
};

// Each adds its verb to `app` and returns it.
std::unique_ptr<Verb> AddConvert(CLI::App& app);
std::unique_ptr<Verb> AddCount(CLI::App& app);
std::unique_ptr<Verb> AddHead(CLI::App& app);
std::unique_ptr<Verb> AddIndex(CLI::App& app);
std::unique_ptr<Verb> AddInspect(CLI::App& app);
std::unique_ptr<Verb> AddSchema(CLI::App& app);
std::unique_ptr<Verb> AddSql(CLI::App& app);
std::unique_ptr<Verb> AddStats(CLI::App& app);
std::unique_ptr<Verb> AddValidate(CLI::App& app);
std::unique_ptr<Verb> AddCompletion(CLI::App& app);

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& example, const std::string& what);

// The help of a verb that was asked for begins with its example; the list of verbs has none.
void BeginHelpWithExample(CLI::App& verb);

// Reads all inputs with a row for each record, so that each message is seen beside what became of it, and hands the batches to
// `use`. Lists broken records on standard error. Returns how many there were. Errors: those of Scan and of `use`.
// Requires: a type of Unannotated(), as annotations would leave out what messages have.
absl::StatusOr<int64_t> ScanEachRecord(const MessageType& type, ScanOptions options, const Scan::UseBatch& use);

// Prints `document` with the version in front, as the only thing on standard output.
void PrintJson(const std::string& verb, Json document);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_H_
