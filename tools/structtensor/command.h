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
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::command {

// Keeps the order in which members are set.
using Json = nlohmann::ordered_json;

// The version of the documents that --json prints. It grows when a member is removed or changes its meaning.
inline constexpr int kJsonVersion = 1;

// A message type of a schema.
struct MessageType {
  Schema schema;
  std::string name;  // in full
  std::shared_ptr<const plan::MessagePlan> plan;
  // The plan that column files among the inputs are read by. If the schema comes from such files, --annotations does not change
  // it.
  std::shared_ptr<const plan::MessagePlan> plan_of_files;
  std::vector<std::string> schema_files = {};  // that the schema was read from, with imports; no inputs
};

// Where the schema comes from: .proto files, or a descriptor set.
class SchemaFlags {
 public:
  void Declare(CLI::App& app);
  // Lets a verb that needs no schema take the options, so that it runs with the arguments of another verb.
  void DeclareUnused(CLI::App& app);
  bool given() const { return !protos_.empty() || !descriptor_sets_.empty() || !import_dirs_.empty(); }

  // Whether an option was given that needs a schema: --message or --annotations.
  bool needed() const { return !message_.empty() || !annotations_.empty(); }

  // The schema, with the annotations of --annotations. Errors: those of reading it; InvalidArgument if no schema is given.
  absl::StatusOr<Schema> Load() const;
  // The schema in column files, also with --annotations. Errors: those of LoadMessage().
  absl::StatusOr<Schema> LoadOf(const std::vector<std::string>& inputs) const;
  // The schema with its message type: the type of --message, or the only possible one, which is printed on standard error
  // unless `quiet`. If no schema is given, it comes from the column files among the inputs (MetadataOf). If these have several
  // schemas, it is the one that has all fields of the others.
  // With options.confluent_headers and without --message, the headers of the inputs name the type (FindConfluentMessage).
  //   options  the scan that the type is for: its inputs; the files that it writes, which must not be in folders among the
  //            inputs (OutputsOf); and on_damaged_file, which also says what to do about column files that cannot be opened
  // Errors: those of Load(), of ExpandInputs() and of Schema::Resolve(); InvalidArgument if several message types are possible,
  // or if schemas of files do not fit together; DataLoss for damaged column files.
  absl::StatusOr<MessageType> LoadMessage(bool quiet, const ScanOptions& options) const;

 private:
  absl::StatusOr<Schema> LoadPlain() const;
  absl::StatusOr<Schema> Annotated(const Schema& schema) const;
  // The files that Load() reads to make `schema`.
  std::vector<std::string> FilesOf(const Schema& schema) const;
  absl::StatusOr<std::string> MessageOf(const Schema& schema, bool quiet, const ScanOptions& options) const;

  std::vector<std::string> import_dirs_;
  std::vector<std::string> protos_;
  std::vector<std::string> descriptor_sets_;
  std::string annotations_;
  std::string message_;
};

// The message type of the rows, if the rows are the messages at the path `rows` of `type` (ScanOptions::rows). Errors: those of
// MessageOfRows().
absl::StatusOr<MessageType> TypeOfRows(const MessageType& type, const std::string& rows);

// Sets what the scan needs for files of `type`. It reads column files by plan_of_files, whatever the plan of its rows. It knows
// the types of messages in an Any that it reads or writes as JSON, and those that Confluent headers name. And it can read text
// format.
void ReadFilesOf(const MessageType& type, ScanOptions* options);

// `type` with its plan without annotations, for verbs that look at messages: annotations are about columns. But if the inputs
// have column files in which annotations skip a required field, with the plan of these files: their rows are messages without
// the field.
absl::StatusOr<MessageType> Unannotated(const MessageType& type, const std::vector<std::string>& inputs);

// The metadata that says which messages the rows of a column file are: "structtensor.message", the full name of the type, and
// "structtensor.descriptor_set", a FileDescriptorSet in base64. In this set, selected fields are not skipped, even if
// annotations skip them, so that their columns are read back. Errors: those of ResolveSelection().
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> MetadataOf(const MessageType& type,
                                                                            const ScanOptions& options);

// A verb. The command creates all verbs, which declare their options, and runs the verb that the user asks for.
class Verb {
 public:
  virtual ~Verb() = default;
  // What is wrong with the combination of options, or "". Called before Run.
  virtual std::string Resolve() { return ""; }
  // Returns the exit code. The caller prints errors and uses exit code 1.
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

// Adds a verb with its help: what it does, in a line, and a command that runs.
CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& example, const std::string& what);

// What a scan could not read.
struct DamageFound {
  int64_t broken_records = 0;
  std::vector<DamagedFile> damaged_files;
};

// Reads all inputs with a row for each record, and passes the batches to `use`, which so sees each message beside its row.
// Reads damaged files up to their damage. Lists broken records and damaged files on standard error, and returns them. Errors:
// those of Scan and of `use`.
// Requires: a type of Unannotated(), because annotations could leave out fields of messages.
absl::StatusOr<DamageFound> ScanEachRecord(const MessageType& type, ScanOptions options, const Scan::UseBatch& use);

// An object for each file: file, record, byte_offset, reason, and left_out: "rest" or "file".
Json DamagedFilesJson(const std::vector<DamagedFile>& files);

// Prints `document`, with the version as its first member, as the only text on standard output.
void PrintJson(const std::string& verb, Json document);

// Parts of the documents of verbs that read rows: an array with an object for each message type, or for each field.
Json DroppedValuesJson(const std::vector<DroppedValues>& values);
Json InexactTimesJson(const std::vector<InexactTimes>& times);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_H_
