// Reads serialized messages from files, in batches.
//
// Memory grows with the batch and the longest record, not with the length of the input.
#ifndef STRUCTTENSOR_IO_RECORDS_RECORD_READER_H_
#define STRUCTTENSOR_IO_RECORDS_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "structtensor/io/records/broken_record.h"
#include "structtensor/io/records/confluent_header.h"  // IWYU pragma: export
#include "structtensor/io/records/internal/window.h"
#include "structtensor/io/records/record_format.h"  // IWYU pragma: export
#include "structtensor/io/records/record_index.h"

namespace structtensor {

// The format that the beginning of an input looks like, and the evidence: "12 records fit".
struct SniffedFormat {
  RecordFormat format;
  std::string reason;
  bool found = true;  // whether there is evidence for the format
};

// Looks at the first 64 KiB of a file, decompressed. Without evidence for any format, it is kDelimited. Errors: the file cannot
// be read; InvalidArgument if it is a text other than JSON.
absl::StatusOr<SniffedFormat> SniffFile(const std::string& path);

// Why a text cannot be read as a message.
struct TextProblem {
  size_t byte = 0;  // in the text, where reading stopped
  std::string problem = {};
  bool in_header = false;  // the problem is in the header of CSV: no row of the input can be read
};
// Reads `text` as a message and appends the message, or returns why it cannot.
using MessageOfText = std::function<std::optional<TextProblem>(std::string_view text, std::string& message)>;
// Returns a function that calls bool reader->AppendMessage(text, message, &byte, &problem), of MessageJson or TextFormat.
template <typename Reader>
MessageOfText MessageOfTextBy(std::shared_ptr<Reader> reader) {
  return [reader = std::move(reader)](std::string_view text, std::string& message) -> std::optional<TextProblem> {
    TextProblem problem;
    if (reader->AppendMessage(text, message, &problem.byte, &problem.problem)) return std::nullopt;
    return problem;
  };
}
// Appends `text` itself, for callers that only count records.
std::optional<TextProblem> TextAsMessage(std::string_view text, std::string& message);

// What to do about a damaged input: one that is cut off, whose compressed data is damaged, or in which the next record cannot
// be found. A record that is damaged by itself, such as a TFRecord with a bad checksum, does not make its input a damaged one.
enum class OnDamagedFile : uint8_t {
  kFail,  // end with an error
  kRest,  // keep the records before the damage, leave out the rest, and go on with the next input
  kSkip,  // leave out the whole input. Each input is read twice, first to look for damage; so it must be a file
};

struct RecordReaderOptions {
  // The format of all inputs. By default it is found for each input: from its name (RecordFormatOfName), otherwise from its
  // first bytes, as SniffFile() does. Pipes are taken to be kDelimited. If the first bytes are a text, it is an error, except
  // JSON in a file if message_of_json is set.
  std::optional<RecordFormat> format = std::nullopt;
  // Whether each message begins with the header of Confluent's serializers, as values of Kafka do. The header is not part of
  // the message. A record without a header is damaged. With this option, inputs whose name does not show the format are taken
  // to be kDelimited.
  bool confluent_headers = false;
  // Says why a message with this header is not wanted, or returns "". A message that is not wanted is a damaged record. Null:
  // all are wanted.
  std::function<std::string(const ConfluentHeader& header)> check_confluent_header = {};
  // Functions that read JSON and text format; needed for kJson and kTextproto. NextBatch calls them in the thread that calls
  // it.
  MessageOfText message_of_json = {};
  MessageOfText message_of_textproto = {};
  // Reads CSV; needed for kCsv. `header` and `row` are the lines of the text without their line ends.
  std::function<std::optional<TextProblem>(std::string_view header, std::string_view row, std::string& message)>
      message_of_csv = {};
  // A longer message, or a longer text of a message, is an error. From 1 to kMaxRecordBytes. With kMaxRecordBytes, a text has
  // the limit kMaxTextBytes: a file without line ends would otherwise be one text that takes all memory.
  size_t max_message_bytes = kMaxRecordBytes;
  // The most memory that a row may take, for readers of column files (ScanOptions::open_records). At least 1.
  size_t max_memory_bytes = size_t{1} << 30;
  // Whether a reader of column files uses two more threads: one reads the next rows, and one encodes rows as messages, while
  // the caller uses the messages before them. This takes memory for up to four times as many rows; if the messages of
  // a batch take more than 48 MiB, for twice as many. Requires: each NextBatch has the same `max_messages`.
  bool read_ahead = false;
  // Parts of inputs, by the index of the input: only these records of the input are read. Record numbers and byte offsets still
  // count from the beginning of the file. It is an error if the input is not the file that was cut. An input is damaged if a
  // part does not end where its last record ends; what is left out then is the rest of the part.
  std::map<size_t, InputPart> parts = {};
  // A TFRecord with a bad checksum, a text that is no message and a record without the right Confluent header become
  // RecordBatch::skipped instead of an error.
  bool skip_damaged = false;
  // With kRest and kSkip, damaged inputs are listed in RecordBatch::skipped. With kSkip, there can be no `parts`.
  OnDamagedFile on_damaged_file = OnDamagedFile::kFail;
  // How errors call the option with which the caller keeps the records before the damage; "" if there is none.
  std::string name_of_rest_option = "`on_damaged_file=kRest`";
};

// The messages of one NextBatch. Keep one and pass it again: its memory is reused.
class RecordBatch {
 public:
  // Views into the batch. kBatchSlackBytes after each message can be read, except after messages of AssignViews().
  std::span<const std::string_view> messages() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return messages_; }
  // The Confluent header of messages()[i], directly in front of it; "" if it has none.
  std::string_view confluent_header(size_t i) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return headers_.empty() ? std::string_view() : headers_[i];
  }
  // locations()[i] is the location of messages()[i].
  std::span<const RecordLocation> locations() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return locations_; }
  // Records before, between or after these messages that were left out, and damaged inputs; in order.
  std::span<const BrokenRecord> skipped() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return skipped_; }
  // Bytes of all messages.
  size_t payload_bytes() const { return payload_bytes_; }
  // Whether the reader itself made these messages, by an encoder for its message type (tensor/messages/tensor_encoder.h). Then
  // there is no need to encode their columns again.
  bool written_by_encoder() const { return written_by_encoder_; }

  // For readers of other kinds of files: clears the batch and copies `messages`, their `locations` and the `skipped` records.
  // None of them may be a view into this batch. Requires: as many messages as locations, and as many Confluent headers or none.
  void Assign(std::span<const std::string_view> messages, std::span<const RecordLocation> locations,
              std::span<const BrokenRecord> skipped = {}, std::span<const std::string> confluent_headers = {});
  // For the same readers, after Assign(): from now on, written_by_encoder() is true.
  void MarkWrittenByEncoder() { written_by_encoder_ = true; }

  // Clears the batch and takes `messages` without a copy, for callers that have them in memory. The views must stay valid as
  // long as the batch holds them. No bytes after them need to be readable. Their locations are in input 0, and their record
  // numbers start at `first_record_number`.
  void AssignViews(std::span<const std::string_view> messages, int64_t first_record_number);

 private:
  friend class FramedRecordReader;

  records_internal::ByteBuffer buffer_;
  std::vector<std::string_view> messages_;
  std::vector<std::string_view> headers_;  // of messages_; empty if none has a header
  std::vector<RecordLocation> locations_;
  std::vector<BrokenRecord> skipped_;
  size_t payload_bytes_ = 0;
  bool written_by_encoder_ = false;
};

class RecordReader {
 public:
  // Returns a reader of `inputs`, one after another: paths of local or remote files (io/remote_files/remote_files.h); "-" is
  // standard input. Inputs that are compressed by gzip, Zstandard or LZ4 are decompressed. An input is opened when its turn
  // comes.
  // Errors: InvalidArgument if an option is out of range; the message names the option, the value and the range.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Create(std::vector<std::string> inputs,
                                                              const RecordReaderOptions& options = {});

  // Returns a reader of one input in memory, `bytes`, which must outlive it. The input is called "the buffer". Compressed bytes
  // are not decompressed. Requires: options.format is set.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OfBytes(std::string_view bytes, const RecordReaderOptions& options);

  virtual ~RecordReader() = default;

  // Reads up to `max_messages` messages, together up to `max_bytes` bytes, to `batch`; at least one message, however long it
  // is. Skipped records count like messages. Returns false at the end of the last input. If it returns true, the batch may have
  // skipped records only. A batch may have records of several inputs. From a pipe it waits until the batch is full or the
  // input ends; programs that want messages as they come ask for few at a time.
  // Ownership: the batch owns its bytes; it may outlive the reader.
  // Errors: InvalidArgument if max_messages is 0. DataLoss if an input is damaged, NotFound, PermissionDenied, ... if an input
  //   cannot be read; the message begins with Where(). The records before such an error have already been returned. Every later
  //   call returns the error again.
  virtual absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) = 0;

  // "spans.bin record 1042, byte 81301": the byte at `byte_in_message` of the record at `location`. For a text, "spans.json
  // line 7", with ", column 12" if the column is known.
  virtual std::string Where(const RecordLocation& location, size_t byte_in_message = 0) const = 0;

  // The name of the input: its path (DisplayPath), or "<stdin>".
  virtual std::string InputName(uint32_t input) const = 0;

  // Bytes taken from the inputs so far, after decompression.
  virtual int64_t bytes_read() const = 0;

  // The header of a CSV input that has been read from; "" for other inputs.
  virtual std::string_view Header(uint32_t /*input*/) const { return {}; }
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_RECORD_READER_H_
