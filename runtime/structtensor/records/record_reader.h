// Serialized messages out of files, in batches.
//
// This folder turns byte sources into records and knows nothing of what is in them. It may include base/ and storage/ only (and
// the libraries that decompress, in a file each). Memory follows the batch and the longest record, never the length of the
// input.
#ifndef STRUCTTENSOR_RECORDS_RECORD_READER_H_
#define STRUCTTENSOR_RECORDS_RECORD_READER_H_

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

#include "absl/status/statusor.h"
#include "structtensor/records/internal/window.h"
#include "structtensor/records/record_format.h"  // IWYU pragma: export
#include "structtensor/records/record_index.h"

namespace structtensor {

// What the beginning of an input looks like, and what speaks for it: "12 records fit".
struct SniffedFormat {
  RecordFormat format;
  std::string reason;
  bool found = true;  // whether anything speaks for it
};

// Looks at the first 64 KiB of a file, decompressed. What nothing speaks for is taken for kDelimited. Errors: the file cannot
// be read; InvalidArgument if it is a text other than JSON.
absl::StatusOr<SniffedFormat> SniffFile(const std::string& path);

// Why a text stands for no message.
struct TextProblem {
  size_t byte = 0;  // in the text, where reading stopped
  std::string problem = {};
  bool in_header = false;  // of CSV: no row of the input can be read
};
// Appends the message that `text` stands for, or returns why it stands for none.
using MessageOfText = std::function<std::optional<TextProblem>(std::string_view text, std::string& message)>;
// What calls bool reader->AppendMessage(text, message, &byte, &problem), which MessageJson and TextFormat have.
template <typename Reader>
MessageOfText MessageOfTextBy(std::shared_ptr<Reader> reader) {
  return [reader = std::move(reader)](std::string_view text, std::string& message) -> std::optional<TextProblem> {
    TextProblem problem;
    if (reader->AppendMessage(text, message, &problem.byte, &problem.problem)) return std::nullopt;
    return problem;
  };
}
// Appends `text` itself: for those who count records.
std::optional<TextProblem> TextAsMessage(std::string_view text, std::string& message);

struct RecordReaderOptions {
  // Of all inputs. By default it is found out for each: by RecordFormatOfName; else by what the file begins with, as
  // SniffFile() does. Pipes are taken for kDelimited. A text is an error then, and JSON, too, where nobody can read it.
  std::optional<RecordFormat> format = std::nullopt;
  // Whether each message begins with the header of Confluent's serializers (its schema's number), as values of Kafka do. It is
  // passed over, with the indexes that tell the message type; a record without one is damaged. Inputs whose name says nothing
  // else are taken for kDelimited then.
  bool confluent_headers = false;
  // What reads JSON, and text format; needed for kJson and kTextproto. They are called in the thread of NextBatch.
  MessageOfText message_of_json = {};
  MessageOfText message_of_textproto = {};
  // What reads CSV; needed for kCsv. `header` and `row` are as they stand in the text, without the ends of their lines.
  std::function<std::optional<TextProblem>(std::string_view header, std::string_view row, std::string& message)>
      message_of_csv = {};
  // A longer message, or text of one, is an error. From 1 to kMaxRecordBytes.
  size_t max_message_bytes = kMaxRecordBytes;
  // Parts of inputs, by the index of the input: of it, only these records are read. Record numbers and byte offsets are those
  // in the whole file. An input that is another file than the one that was cut is an error, and so is a part that does not end
  // where its last record does.
  std::map<size_t, InputPart> parts = {};
  // A TFRecord with a bad checksum, a record without its Confluent header and the cut-off end of an input become
  // RecordBatch::skipped instead of an error. Damage after which no further record can be found stays an error.
  bool skip_damaged = false;
};

// Where a record lies.
struct RecordLocation {
  uint32_t input = 0;         // index into the reader's inputs
  int64_t record_number = 0;  // in its input, from 0; skipped records count
  int64_t byte_offset = 0;    // of the message's first byte in its input, after decompression
  // Of a text; 0 of others. Of a RecordError, the line and the column (in bytes, from 1) where the text is wrong.
  int64_t line = 0;          // that the text begins in, from 1
  int64_t byte_in_line = 0;  // at which it begins, from 0
  int64_t column = 0;        // 0: not known

  // In the order in which records are read.
  friend bool operator<(const RecordLocation& a, const RecordLocation& b) {
    return a.input != b.input ? a.input < b.input : a.record_number < b.record_number;
  }
};

struct RecordError {
  RecordLocation location;  // byte_offset is that of the frame
  std::string problem;      // what was found against what was expected
  std::string advice;       // what to do
  // What is there of the message, a view into the batch, and where it begins in its input: the whole message if its checksum is
  // wrong, its beginning if the input ends too early (or that of the frame, if even its length is cut off).
  std::string_view bytes;
  int64_t bytes_offset = 0;
};

// The messages of one NextBatch. Keep one and hand it in again: its memory is reused.
class RecordBatch {
 public:
  // Views into the batch. kBatchSlackBytes behind each message can be read, but for those of AssignViews().
  std::span<const std::string_view> messages() const { return messages_; }
  // locations()[i] is that of messages()[i].
  std::span<const RecordLocation> locations() const { return locations_; }
  // Records between these messages, or around them, that were left out; in order.
  std::span<const RecordError> skipped() const { return skipped_; }
  // Bytes of all messages.
  size_t payload_bytes() const { return payload_bytes_; }

  // For readers of other kinds of files: forgets what is there, and takes copies of `messages`, whose places `locations` has,
  // and of what was left out. None of them may be a view into this batch. Requires: as many messages as locations.
  void Assign(std::span<const std::string_view> messages, std::span<const RecordLocation> locations,
              std::span<const RecordError> skipped = {});

  // Forgets what is there, and takes `messages` without a copy, for those who have them in memory: views that must stay valid
  // as long as they are here, and behind which nothing needs to be readable. Their locations are of input 0, their record
  // numbers go up from `first_record_number`.
  void AssignViews(std::span<const std::string_view> messages, int64_t first_record_number);

 private:
  friend class FramedRecordReader;

  records_internal::ByteBuffer buffer_;
  std::vector<std::string_view> messages_;
  std::vector<RecordLocation> locations_;
  std::vector<RecordError> skipped_;
  size_t payload_bytes_ = 0;
};

class RecordReader {
 public:
  // Returns a reader of `inputs`, one after another: paths of files, also remote ones (storage/remote_files.h), "-" being
  // standard input. What is compressed by gzip,
  // Zstandard or LZ4 is decompressed. An input is opened when its turn comes.
  // Errors: InvalidArgument if an option has a value that it cannot have; the message names the option, the value and its
  // range.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Create(std::vector<std::string> inputs,
                                                              const RecordReaderOptions& options = {});

  // The same for one input that is in memory, and must stay there; it is called "the buffer". Compressed bytes are not
  // decompressed. Requires: options.format is set.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OfBytes(std::string_view bytes, const RecordReaderOptions& options);

  virtual ~RecordReader() = default;

  // Reads up to `max_messages` messages of up to `max_bytes` bytes in all to `batch`, and at least one whatever its length.
  // Skipped records count as messages do. Returns false at the end of the last input. A true return may come with skipped
  // records only. A batch goes on from one input to the next.
  // Ownership: the batch owns its bytes; it may outlive the reader.
  // Errors: InvalidArgument if max_messages is 0. DataLoss if an input is damaged, NotFound, PermissionDenied, ... if one
  //   cannot be read; the message begins with Where(). The records in front of such an error have been returned by then, and
  //   every later call returns it again.
  virtual absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) = 0;

  // "spans.bin record 1042, byte 81301": the byte at `byte_in_message` of the record at `location`. Of a text, "spans.json line
  // 7", with ", column 12" where that is known.
  virtual std::string Where(const RecordLocation& location, size_t byte_in_message = 0) const = 0;

  // What the input is called: its path (DisplayPath), or "<stdin>".
  virtual std::string InputName(uint32_t input) const = 0;

  // Bytes taken from the inputs so far, after decompression.
  virtual int64_t bytes_read() const = 0;

  // The header of an input in CSV of which rows have been read; "" of any other.
  virtual std::string_view Header(uint32_t /*input*/) const { return {}; }
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_RECORD_READER_H_
