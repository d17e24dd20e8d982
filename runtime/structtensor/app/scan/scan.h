// Reads files of serialized messages as rows. Converters, commands and all other readers of files get their batches here.
//
//   absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(cookbook::RecipeColumns::plan(), {.inputs = {"recipes.pb"}});
//   while (true) {
//     absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) { return Use(batch.rows); });
//     if (!more.ok() || !*more) break;
//   }
//   absl::Status closed = (*scan)->Close();
//
// CMake target: structtensor::scan (component scan).
#ifndef STRUCTTENSOR_APP_SCAN_SCAN_H_
#define STRUCTTENSOR_APP_SCAN_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/scan/row_options.h"
#include "structtensor/app/scan/text_rows.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/records/record_index.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// A file whose records could not all be read (OnDamagedFile).
struct DamagedFile {
  std::string file;            // as RecordReader::InputName returns it
  RecordLocation location;     // where the damage is
  std::string_view code = {};  // as in BrokenRecord
  std::string problem;
  bool skipped = false;  // no record of the file was read; false: the records before `location` were
  std::string text;      // all of the above, for people
};

// Describes a damaged file, which RecordBatch::skipped() lists. Requires: damage.lost is not kRecord.
DamagedFile DamagedFileOf(const BrokenRecord& damage, const RecordReader& reader);

// Returns the full names of the message types that the indexes of a Confluent header may name; none if they name no type.
using TypesOfIndexes = std::function<std::vector<std::string>(std::span<const int32_t> message_indexes)>;

// What a scan reads, and how. A value: it can be copied and kept.
struct ScanOptions {
  // Paths of local or remote files (io/remote_files/remote_files.h); "-" is standard input. A folder is read as the
  // regular files in it, sorted by name, except files whose names begin with '.' or '_', and files that are not complete
  // (".NAME.partial-XXXXXX", with or without the first '.'). Partition folders in it, named key=value, are read the same way.
  // In other paths, '*' matches any part of a name of a file or folder, except a '.' at its beginning; it is an error if no
  // regular file fits. It is also an error if a folder or a pattern includes a file that the scan or its user writes
  // (dead_letters, reserved).
  std::vector<std::string> inputs = {"-"};
  // The format of all inputs. By default it is found for each input as RecordReaderOptions::format says.
  std::optional<RecordFormat> format = std::nullopt;
  // Whether each message begins with the header of Confluent's serializers (RecordReaderOptions::confluent_headers). A record
  // whose header names another message type than the scan's, or none, is a broken record.
  bool confluent_headers = false;
  // Needed for confluent_headers: the message types that message indexes name. Schema::TypesOfIndexes() returns it.
  TypesOfIndexes types_of_indexes = {};

  // The path of a repeated message field, or "". With a path, each element of the field is a record and becomes a row, as if it
  // were a message of the inputs. The inputs still hold messages of the type that the scan is made for.
  std::string rows = "";

  // The fields to read, the rows to keep, what happens to broken messages, the limits, and threads.
  RowOptions row_options = {};

  // How to handle damaged files; on_error does not apply to them. If only the first bytes of a record are left, they become a
  // dead letter. Damaged files are not broken records, so max_errors does not count them.
  OnDamagedFile on_damaged_file = OnDamagedFile::kFail;

  // Names of extra columns before the columns of the messages, or "". filename_column: the input of a row's message, a string
  // as RecordReader::InputName returns it. offset_column: where the
  // message begins in that input, int64, in bytes after decompression; 0 in inputs of columns. `rows` and empty() of a scan
  // have them; the decoded columns do not.
  std::string filename_column = "";
  std::string offset_column = "";

  // The most records of a batch, 1 to kGreatestBatchSize, because even empty ones take memory; and the most bytes of their
  // messages, at least 1. A longer message is a batch of its own. With more than a few MiB, the columns of a batch do not stay
  // in the processor's caches, and their memory is not reused.
  size_t batch_size = 4096;
  static constexpr size_t kGreatestBatchSize = size_t{1} << 24;
  size_t batch_bytes = size_t{4} << 20;

  // Whether the threads that decode also make the columns of ScanBatch::rows, except those without values. Otherwise columns
  // are made when they are first read. For programs that read most columns in one thread while others decode.
  bool make_columns = false;

  // `skip`: how many records to skip at the beginning, broken ones included; their messages are not looked at. `limit`: how
  // many records to read after them; -1 for all.
  int64_t skip = 0;
  int64_t limit = -1;

  // Parts of inputs, by the index of the input (RecordReaderOptions::parts). With parts, no input may be a folder or a pattern.
  std::map<size_t, InputPart> parts = {};

  // A local path for broken records (io/records/dead_letters.h), or "". `overwrite` replaces existing files.
  std::string dead_letters = "";
  bool overwrite = false;
  // The files to which the rows are written: dead letters must not replace them.
  std::vector<std::string> reserved = {};
  // Files that are read besides the inputs, such as those of the schema: neither dead letters nor rows may replace them.
  std::vector<std::string> also_read = {};

  // How JSON is read: which names it may have, and the types of Any.
  MessageJsonOptions json = {};
  // Reads text format (Schema::TextFormatOf() returns it). If null, text format is refused.
  MessageOfText message_of_textproto = {};

  // Makes the reader of the inputs, after folders have been replaced by their files. By default RecordReader::Create, which
  // does not need the message type.
  using OpenRecords = std::function<absl::StatusOr<std::unique_ptr<RecordReader>>(
      const plan::MessagePlan& message, std::vector<std::string> inputs, const RecordReaderOptions& options)>;
  OpenRecords open_records = {};

  // If set, ScanBatch::text_rows has the rows as text. A message whose row has no text is a broken record: on_error says
  // whether it ends the scan, has no row, or a row without values.
  TextRowsWriter text_rows_writer = {};

  // Called for each broken record that does not end the scan, in the order of the input; may be empty.
  std::function<void(const BrokenRecord&)> on_broken_record = {};
  // Called for the broken record that ends the scan with OnError::kFail, or the place where a file is damaged that ends the
  // scan with OnDamagedFile::kFail, before Next returns its error; may be empty.
  std::function<void(const BrokenRecord&)> on_fatal_record = {};
  // Called for each damaged file that does not end the scan, in the order of the inputs; may be empty.
  std::function<void(const DamagedFile&)> damaged_file_found = {};
};

// Views, valid during the call that receives them; copies of `columns` and `rows` may be kept.
struct ScanBatch {
  const DecodedBatch& columns;
  const StructuredTensor& rows;
  // Row i is made from messages[i]. broken[i] is 1 if it is the row of a record without a valid message (OnError::kNull).
  // Both are empty if some messages have no row (OnError::kSkip).
  std::span<const std::string_view> messages;
  std::span<const uint8_t> broken;
  std::shared_ptr<const TextRows> text_rows = nullptr;  // null unless ScanOptions::text_rows_writer is set; may be kept
  // Whether there is no need to encode `columns` as messages: an encoder wrote `messages` (RecordBatch::written_by_encoder),
  // and libprotobuf would parse the same from them. If keys of a map are repeated, `messages` still have all of them.
  bool messages_match_columns = false;
};

// A field whose values have another wire type than the schema declares: the messages come from a version of the schema in which
// the field had another type. Such values are unknown fields here, and the field is absent.
struct ChangedField {
  std::string field_path;
  plan::Kind declared;
  plan::WireType found;
  int64_t count;      // of such values, about
  std::string first;  // the message of the first such value: "a.pb record 3, byte 812"
};

// Values in messages of one type that were dropped because the schema does not know them (UnknownValues).
struct DroppedValues {
  std::string message_type;      // its full name
  int64_t unknown_fields;        // values of fields that the schema does not have
  int64_t unknown_enum_numbers;  // numbers that closed enums do not have
  std::string first_field_path;  // as in UnknownValues
  std::string first;             // the message of the first such value: "a.pb record 3, byte 812"
};

// One pass over the inputs, in order. One thread at a time.
class Scan {
 public:
  // `message` is the message type of the inputs. It must outlive the scan and its results. Inputs are opened when their turn
  // comes.
  // Errors: InvalidArgument for an option that is out of its range and for two columns with one name, NotFound for a folder
  //   that cannot be read, and the errors of BatchDecoder::Create and RecordReader::Create.
  static absl::StatusOr<std::unique_ptr<Scan>> Create(const plan::MessagePlan& message, ScanOptions options);
  // Creates a scan for a plan that a Schema made. The scan and its results keep the plan alive. Requires: message is not null.
  static absl::StatusOr<std::unique_ptr<Scan>> Create(std::shared_ptr<const plan::MessagePlan> message, ScanOptions options);

  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan();

  // The message type of the rows.
  const plan::MessagePlan& message() const;

  // A batch without rows. Every batch has its fields. With unknown sizes, its spec is the spec of every batch.
  const StructuredTensor& empty() const;

  using UseBatch = std::function<absl::Status(const ScanBatch& batch)>;

  // Reads the next records and passes their rows to `use`: once, several times if together they exceed a limit, or not at all
  // if no record has a row. Returns false at the end of the last input. The first call begins the dead-letter files.
  // Errors: the errors of `use`, of reading and of writing dead letters. DataLoss for the first broken record with
  //   OnError::kFail, for more than max_errors broken records, and for a damaged file with OnDamagedFile::kFail.
  //   ResourceExhausted if a limit is too small for anything. Every later call returns the error again.
  absl::StatusOr<bool> Next(const UseBatch& use);

  // Completes the dead-letter files, which then have their names. Must be called at the end, also after a scan that failed. A
  // scan that has not read everything and has no dead letters leaves existing files alone. Errors: errors of writing.
  absl::Status Close();

  // So far: records without a valid message; bytes read from the inputs, after decompression.
  int64_t broken_records() const;
  int64_t bytes_read() const;
  // So far: the damaged files that did not end the scan, in the order of the inputs.
  const std::vector<DamagedFile>& damaged_files() const;
  // True if messages were decoded so far and none was valid, which usually means that the message type is wrong. With
  // OnError::kFail, the messages that were read together with the one that ended the scan count too, at most 100.
  bool all_messages_invalid() const;
  // True if messages were decoded so far, all of them valid, and none had a field of its type, which also usually means that
  // the message type is wrong. Empty messages do not count. False if a choice of fields, an annotation or a condition may have
  // left out fields or messages.
  bool no_message_has_fields() const;
  // The bytes to read from all inputs, if they are plain files; -1 if that is not known: pipes, compressed files.
  int64_t size_bytes_of_inputs() const;
  size_t number_of_inputs() const;
  // Of all batches so far: each field once, in the order in which the fields appeared.
  const std::vector<InexactTimes>& inexact_times() const;
  // Of all batches so far, also each field once and in that order.
  const std::vector<ChangedField>& changed_fields() const;
  // Of all batches so far: each message type once, in the order in which they appeared. Empty if unknown fields are kept.
  const std::vector<DroppedValues>& dropped_values() const;
  // The same counts of the batches since the last call of the function, or since the beginning.
  std::vector<InexactTimes> TakeInexactTimes();
  std::vector<DroppedValues> TakeDroppedValues();

 private:
  class Impl;

  explicit Scan(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// The message type of rows: `message`, or the type of its field at the path `rows`, as ScanOptions::rows says.
// Errors: InvalidArgument if that is not a repeated message field; the message says what it is.
absl::StatusOr<const plan::MessagePlan*> MessageOfRows(const plan::MessagePlan& message, std::string_view rows);

// Returns a function that says why a header does not name the message type `message`, or returns "". `message`: a full name.
// One thread at a time may use it.
std::function<std::string(const ConfluentHeader& header)> CheckOfConfluentHeaders(std::string message,
                                                                                  TypesOfIndexes types_of_indexes);

// Returns the full name of the message type that the Confluent headers of the inputs name: the type of the first record whose
// header names one. Returns "" if there is no such record. Reads 16 MiB of messages at most. Standard input and pipes can
// be read only once, so they are left out.
// Requires: options.confluent_headers and options.types_of_indexes.
// Errors: InvalidArgument if the indexes may name several types; the errors of ExpandInputs and RecordReader::NextBatch.
absl::StatusOr<std::string> FindConfluentMessage(const ScanOptions& options);

// The files that a scan and its user write: options.reserved, and the two dead-letter files.
std::vector<std::string> OutputsOf(const ScanOptions& options);

// Returns the inputs, each folder and pattern replaced by its files, as ScanOptions::inputs says.
// Errors: NotFound, PermissionDenied, ... for a folder that cannot be read or has no files, and a pattern that no file fits;
//   InvalidArgument if one of `outputs` is in a folder or fits a pattern; for remote paths, the errors of ExpandRemotePath.
absl::StatusOr<std::vector<std::string>> ExpandInputs(const std::vector<std::string>& inputs,
                                                      const std::vector<std::string>& outputs = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCAN_SCAN_H_
