// Files of serialized messages as rows: the one way from inputs to batches, for converters, commands and whoever reads files.
//
//   absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(cookbook::RecipeColumns::plan(), {.inputs = {"recipes.pb"}});
//   while (true) {
//     absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) { return Use(batch.rows); });
//     if (!more.ok() || !*more) break;
//   }
//   absl::Status closed = (*scan)->Close();
#ifndef STRUCTTENSOR_SCAN_SCAN_H_
#define STRUCTTENSOR_SCAN_SCAN_H_

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
#include "structtensor/batch_to_tensor/to_structured_tensor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/json/message_json.h"
#include "structtensor/plan/plan.h"
#include "structtensor/records/record_index.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/selection/selection.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor {

// A record without a sound message.
struct BrokenRecord {
  RecordLocation location;
  std::string_view bytes;    // valid as long as the call that hands it over
  int64_t bytes_offset = 0;  // in the input, after decompression
  int64_t byte_offset = 0;   // of the problem, in `bytes`
  std::string field_path;
  std::string problem;
  std::string text;    // all of it, for people: "spans.bin record 3, byte 812, name: ..."
  std::string advice;  // what to do if the scan ends here
};

inline constexpr int kMaxScanThreads = 1024;

// What a scan reads, and how. A value: it can be copied, kept and compared by its parts.
struct ScanOptions {
  // Paths of files, also remote ones (storage/remote_files.h); "-" is standard input. A folder stands for the regular files in
  // it, by name, but for those whose names begin with '.' or '_', and those that the scan or its user writes (dead_letters,
  // reserved). So do folders of partitions in it, whose names are key=value. In remote paths, '*' stands for any part of a
  // name.
  std::vector<std::string> inputs = {"-"};
  // Of all inputs; by default, that of each as RecordReaderOptions::format says.
  std::optional<RecordFormat> format = std::nullopt;
  bool confluent_headers = false;  // as RecordReaderOptions

  // The path of a repeated message, or "": its elements are the records then, and messages of its type the rows, as if each
  // stood in the inputs by itself. What the inputs have one behind the other are messages of the type that the scan is made
  // for.
  std::string rows = "";

  // Patterns of the fields to read. Instead of it, decode.fields may name their paths; not both.
  Selection selection = {};
  // A condition (where/where.h), or "": only rows of which it is true are read. The fields in it are decoded first, and the
  // others only of messages that have a row. Records whose fields of the condition do not decode are treated as decode.on_error
  // says. What is wrong with a message in other fields shows only if it has a row.
  std::string where = "";
  // decode.on_error is the policy for records whose framing is damaged, too; decode.max_errors counts for the whole scan.
  DecodeOptions decode = {};
  TensorOptions tensor = {};

  // Names of columns in front of those of the messages, or "": the input that a row's message is from, a string as
  // RecordReader::InputName has it (what is not UTF-8 replaced, control characters escaped), and where the message begins in
  // that input, int64, in bytes after decompression; 0 in inputs of columns. `rows` and empty() of a scan have them, the
  // decoded columns do not.
  std::string filename_column = "";
  std::string offset_column = "";

  // Records of a batch, and bytes of their messages; a longer message is a batch of its own. At least 1. With more than a few
  // MiB, the columns of a batch no longer stay in the processor's caches, and their memory is not used again.
  size_t batch_size = 4096;
  size_t batch_bytes = size_t{4} << 20;

  // Threads that decode, while the caller's reads and uses what they have done: batches come in order all the same. With one,
  // the caller's thread decodes, too. 1 to kMaxScanThreads. Memory: of each thread a batch,
  // its messages and its columns, and of two more; of messages longer than batch_bytes fewer.
  int threads = 1;

  // Records to pass over at the beginning, broken ones too; their messages are not looked at. Then, records to read; -1 for
  // all.
  int64_t skip = 0;
  int64_t limit = -1;

  // Parts of inputs, by the index of the input (RecordReaderOptions::parts). None of the inputs is a folder then, nor a
  // pattern.
  std::map<size_t, InputPart> parts = {};

  // A path on this machine for broken records (records/dead_letters.h), or "". `overwrite` replaces files that are there.
  std::string dead_letters = "";
  bool overwrite = false;
  // Files, besides the inputs, that dead letters must not replace: what the rows go to.
  std::vector<std::string> reserved = {};

  // How JSON is read: which names it may have, and the types of Any.
  MessageJsonOptions json = {};
  // What reads text format (Schema::TextFormatOf() has it); null: nothing does, and it is refused.
  MessageOfText message_of_textproto = {};

  // Makes the reader of the inputs, whose folders have been replaced by their files; by default RecordReader::Create, for which
  // the message type does not matter.
  using OpenRecords = std::function<absl::StatusOr<std::unique_ptr<RecordReader>>(
      const plan::MessagePlan& message, std::vector<std::string> inputs, const RecordReaderOptions& options)>;
  OpenRecords open_records = {};

  // Is called for each broken record that does not end the scan, in the order of the input; may be empty.
  std::function<void(const BrokenRecord&)> on_broken_record = {};
  // Is called for the broken record that ends the scan with OnError::kFail, before Next returns its error; may be empty.
  std::function<void(const BrokenRecord&)> on_fatal_record = {};
};

// Views, valid as long as the call that hands them over; copies of `columns` and `rows` may be kept.
struct ScanBatch {
  const DecodedBatch& columns;
  const StructuredTensor& rows;
  // messages[i] is what row i is made of, and broken[i] is 1 if the row stands for a record without a sound message
  // (OnError::kNull). Both are empty if messages without a row are among them (OnError::kSkip).
  std::span<const std::string_view> messages;
  std::span<const uint8_t> broken;
};

// A field of which values stand on the wire as another type than the schema declares: messages of a version of the schema in
// which its type was another one. They are unknown fields here, and the field is absent.
struct ChangedField {
  std::string field_path;
  plan::Kind declared;
  plan::WireType found;
  int64_t count;      // of such values, about
  std::string first;  // the message of the first one: "a.pb record 3, byte 812"
};

// One pass over the inputs, in order. One thread at a time.
class Scan {
 public:
  // `message`, the type of what the inputs have, must outlive the scan and what it makes. Inputs are opened when their turn
  // comes.
  // Errors: InvalidArgument for an option that is out of its range, and for two columns of one name, NotFound for a folder that
  //   cannot be read, and those of
  //   BatchDecoder::Create and RecordReader::Create.
  static absl::StatusOr<std::unique_ptr<Scan>> Create(const plan::MessagePlan& message, ScanOptions options);
  // The same for a plan that a Schema has made: the scan and all that it makes keep the plan alive. Requires: message is not
  // null.
  static absl::StatusOr<std::unique_ptr<Scan>> Create(std::shared_ptr<const plan::MessagePlan> message, ScanOptions options);

  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan();

  // Of the rows.
  const plan::MessagePlan& message() const;

  // A batch without rows: every batch has its fields. Its spec with unknown sizes is that of all batches.
  const StructuredTensor& empty() const;

  using UseBatch = std::function<absl::Status(const ScanBatch& batch)>;

  // Reads the next records and hands their rows to `use`, once, or more often if they exceed a limit together; not at all if no
  // record has a row. Returns false at the end of the last input. The first call makes the dead-letter files.
  // Errors: those of `use`. DataLoss for the first broken record with OnError::kFail, and for more of them than
  //   decode.max_errors; those of reading and of writing dead letters. ResourceExhausted if a limit is too small for anything.
  //   Every later call returns the error again.
  absl::StatusOr<bool> Next(const UseBatch& use);

  // Closes the dead-letter files. To be called at the end, also of a scan that failed. Errors: of writing.
  absl::Status Close();

  // So far: records without a sound message; bytes taken from the inputs, after decompression.
  int64_t broken_records() const;
  int64_t bytes_read() const;
  // Whether messages were decoded so far and none was sound, as if they were of another type. With OnError::kFail those count
  // that were read together with the one that ended the scan, 100 at most.
  bool no_message_is_sound() const;
  // The bytes that are to be read from all inputs, if they are plain files; -1 if nobody knows: pipes, compressed files.
  int64_t size_bytes_of_inputs() const;
  size_t number_of_inputs() const;
  // Of all batches so far: a field once, in the order in which they came up.
  const std::vector<TimesOutOfRange>& times_out_of_range() const;
  // Likewise.
  const std::vector<ChangedField>& changed_fields() const;

 private:
  class Impl;

  explicit Scan(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// The message type of rows: `message`, or what it has at the path `rows`, as ScanOptions::rows says.
// Errors: InvalidArgument if there is no repeated message; the message says what there is instead.
absl::StatusOr<const plan::MessagePlan*> MessageOfRows(const plan::MessagePlan& message, std::string_view rows);

// The files that a scan and its user write: options.reserved, and the two of dead letters.
std::vector<std::string> OutputsOf(const ScanOptions& options);

// The inputs, each folder replaced by the files in it, as ScanOptions::inputs says, without those of `except`. Errors:
// NotFound, PermissionDenied, ... for a folder that cannot be read, or has no files; of remote paths, those of
// ExpandRemotePath.
absl::StatusOr<std::vector<std::string>> ExpandInputs(const std::vector<std::string>& inputs,
                                                      const std::vector<std::string>& except = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_SCAN_SCAN_H_
