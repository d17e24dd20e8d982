#include "structtensor/io/records/record_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/records/internal/byte_source.h"
#include "structtensor/io/records/internal/framing.h"
#include "structtensor/io/records/internal/random_access.h"
#include "structtensor/io/records/internal/sniff.h"
#include "structtensor/io/records/internal/text_framing.h"
#include "structtensor/io/records/internal/text_records.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

using records_internal::ByteSource;
using records_internal::Frame;
using records_internal::OpenByteSource;
using records_internal::OpenedSource;
using records_internal::TextKind;
using records_internal::TextPosition;
using records_internal::Window;

using ReadFrame = absl::StatusOr<Frame> (*)(Window& window, size_t max_bytes, size_t room_bytes);
using ReadTextFrame = absl::StatusOr<Frame> (*)(Window& window, size_t max_bytes, TextPosition& position);

// Null if `format` is not a text.
ReadTextFrame TextFramingOf(RecordFormat format) {
  if (!records_internal::IsTextFormat(format)) return nullptr;
  if (format == RecordFormat::kTextproto) return records_internal::ReadTextprotoFrame;
  if (format == RecordFormat::kCsv) return records_internal::ReadCsvFrame;
  return format == RecordFormat::kJson ? records_internal::ReadJsonFrame : records_internal::ReadLineFrame;
}

// Null if `format` is a text, or is not a format at all (a number that was cast to one).
ReadFrame FramingOf(RecordFormat format) {
  switch (format) {
    case RecordFormat::kDelimited:
      return records_internal::ReadDelimitedFrame;
    case RecordFormat::kTfRecord:
      return records_internal::ReadTfRecordFrame;
    case RecordFormat::kMessage:
      return records_internal::ReadWholeSource;
    case RecordFormat::kLength32BigEndian:
      return records_internal::ReadLength32BigEndianFrame;
    case RecordFormat::kLength32LittleEndian:
      return records_internal::ReadLength32LittleEndianFrame;
    case RecordFormat::kGrpc:
      return records_internal::ReadGrpcFrame;
    case RecordFormat::kBase64:
    case RecordFormat::kHex:
    case RecordFormat::kJson:
    case RecordFormat::kTextproto:
    case RecordFormat::kCsv:
      return nullptr;
  }
  return nullptr;
}

// Whether each record is text with the fields of a message, and not a serialized message written as text.
bool IsTextOfMessages(RecordFormat format) {
  return format == RecordFormat::kJson || format == RecordFormat::kTextproto || format == RecordFormat::kCsv;
}

absl::Status Validate(const RecordReaderOptions& options) {
  if (options.max_message_bytes < 1 || options.max_message_bytes > kMaxRecordBytes) {
    return base_internal::UnexpectedOption("max_message_bytes", std::to_string(options.max_message_bytes),
                                           absl::StrCat("1 to ", kMaxRecordBytes));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckEnum("on_damaged_file", options.on_damaged_file, OnDamagedFile::kSkip,
                                                        "kFail (0), kRest (1) or kSkip (2)"));
  if (options.on_damaged_file == OnDamagedFile::kSkip && !options.parts.empty()) {
    return absl::InvalidArgumentError(
        "`on_damaged_file=kSkip` leaves out whole files, and parts of files are read; pass `on_damaged_file=kRest`");
  }
  for (const auto& [input, part] : options.parts) {
    const int64_t end = part.end.has_value() ? part.end->byte_offset : part.file_bytes;
    if (!CanBeIndexed(part.format) || part.begin.byte_offset < 0 || part.begin.record_number < 0 ||
        part.begin.byte_offset > end || end > part.file_bytes ||
        (part.end.has_value() && part.end->record_number < part.begin.record_number)) {
      return absl::InvalidArgumentError(absl::StrCat("RecordReaderOptions::parts[", input, "] is not a part of a file with ",
                                                     part.file_bytes, " bytes and a format that can be cut"));
    }
  }
  if (!options.format.has_value()) return absl::OkStatus();
  if (FramingOf(*options.format) == nullptr && TextFramingOf(*options.format) == nullptr) {
    return base_internal::UnexpectedOption("format", std::to_string(static_cast<int>(*options.format)),
                                           "kDelimited (0) to kCsv (10)");
  }
  if (IsTextOfMessages(*options.format) && options.confluent_headers) {
    return absl::InvalidArgumentError(
        absl::StrCat("`format=", std::string(RecordFormatName(*options.format)),
                     "` has no Confluent headers, which are for serialized messages; read it without `confluent_headers`"));
  }
  if (*options.format == RecordFormat::kTextproto && options.message_of_textproto == nullptr) {
    return absl::InvalidArgumentError(
        "RecordReaderOptions::message_of_textproto is needed for text format, and is not set; Schema::TextFormatOf() has it");
  }
  if (*options.format == RecordFormat::kCsv && options.message_of_csv == nullptr) {
    return absl::InvalidArgumentError(
        "RecordReaderOptions::message_of_csv is needed for CSV, and is not set; scan files by Scan, which sets it");
  }
  if (*options.format != RecordFormat::kJson) return absl::OkStatus();
  if (options.message_of_json == nullptr) {
    return absl::InvalidArgumentError(
        "RecordReaderOptions::message_of_json is needed for JSON, and is not set; scan files by Scan, which sets it");
  }
  return absl::OkStatus();
}

// Added to the advice for a damaged first record of an input whose framing is not known.
constexpr char kAssumed[] =
    "; nothing says how the messages are separated, so a length before each was assumed; set `format` to another, or to "
    "`format=kMessage` for one message alone";

// The format that SniffFormat() finds, or JSON. An error for other text.
absl::StatusOr<SniffedFormat> SniffMessages(std::string_view sample, bool whole) {
  SniffedFormat sniffed = records_internal::SniffFormat(sample, whole);
  // The first bytes of a message might be those of another kind of file. It is no chance if the rest does not fit.
  if (!sniffed.found || sniffed.format == RecordFormat::kMessage) {
    const std::string foreign = records_internal::ForeignKindOf(sample);
    if (!foreign.empty()) return absl::InvalidArgumentError(foreign);
  }
  const TextKind text = sniffed.found ? TextKind::kNone : records_internal::TextKindOf(sample);
  if (text == TextKind::kJson) return SniffedFormat{RecordFormat::kJson, "it begins as JSON does"};
  if (text != TextKind::kNone) return records_internal::NotMessages(text);
  return sniffed;
}

std::string DisplayName(const std::string& input) { return input == "-" ? "<stdin>" : DisplayPath(input); }

// An error if the input cannot be read twice, as OnDamagedFile::kSkip does. A file that does not exist passes: opening it
// fails later.
absl::Status CheckCanBeReadTwice(const std::string& input) {
  std::error_code error;
  const bool once = input == "-" || (!IsRemotePath(input) && std::filesystem::exists(input, error) &&
                                     !std::filesystem::is_regular_file(input, error));
  if (!once) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(DisplayName(input),
                                                 ": `on_damaged_file=kSkip` reads each file twice, and this is not a regular "
                                                 "file; pass `on_damaged_file=kRest`"));
}

}  // namespace

std::optional<TextProblem> TextAsMessage(std::string_view text, std::string& message) {
  message += text;
  return std::nullopt;
}

absl::StatusOr<SniffedFormat> SniffFile(const std::string& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(OpenedSource opened, OpenByteSource(path));
  std::string sample(records_internal::kSniffBytes, '\0');
  size_t size_bytes = 0;
  bool whole = false;
  while (size_bytes < sample.size() && !whole) {
    const absl::StatusOr<size_t> more = opened.source->Read(sample.data() + size_bytes, sample.size() - size_bytes);
    if (!more.ok() && !absl::IsDataLoss(more.status())) return more.status();
    whole = !more.ok() || *more == 0;
    if (more.ok()) size_bytes += *more;
  }
  sample.resize(size_bytes);
  return SniffMessages(sample, whole);
}

namespace {

class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    const std::string_view taken = bytes_.substr(0, capacity_bytes);
    std::copy(taken.begin(), taken.end(), to);
    bytes_.remove_prefix(taken.size());
    return taken.size();
  }

 private:
  std::string_view bytes_;
};

}  // namespace

class FramedRecordReader : public RecordReader {
 public:
  FramedRecordReader(std::string_view bytes, const RecordReaderOptions& options)
      : FramedRecordReader(std::vector<std::string>{"the buffer"}, options) {
    bytes_ = bytes;
  }
  FramedRecordReader(std::vector<std::string> inputs, const RecordReaderOptions& options)
      : inputs_(std::move(inputs)), compressed_(inputs_.size()), headers_(inputs_.size()), options_(options) {}

  absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) override {
    batch->messages_.clear();
    batch->headers_.clear();
    batch->written_by_encoder_ = false;
    batch->locations_.clear();
    batch->skipped_.clear();
    batch->payload_bytes_ = 0;
    if (max_messages == 0) return absl::InvalidArgumentError("NextBatch: max_messages = 0; expected 1 or more");
    if (!error_.ok()) return error_;

    window_.MoveTo(&batch->buffer_);
    error_ = FillBatch(max_messages, max_bytes, batch);
    FinishMessages(batch);
    window_.LeaveBuffer();

    const bool any = !batch->messages_.empty() || !batch->skipped_.empty();
    if (!any && !error_.ok()) return error_;
    return any;
  }

  std::string Where(const RecordLocation& location, size_t byte_in_message) const override {
    if (location.line > 0) {
      return absl::StrCat(InputName(location.input), " line ", location.line,
                          location.column > 0 ? absl::StrCat(", column ", location.column) : "");
    }
    return absl::StrCat(InputName(location.input), " record ", location.record_number, ", byte ",
                        location.byte_offset + static_cast<int64_t>(byte_in_message),
                        compressed_[location.input] ? " (uncompressed)" : "");
  }

  std::string InputName(uint32_t input) const override { return DisplayName(inputs_[input]); }

  int64_t bytes_read() const override { return window_.bytes_read(); }

  std::string_view Header(uint32_t input) const override {
    return headers_[input] == nullptr ? std::string_view() : std::string_view(*headers_[input]);
  }

 private:
  struct Payload {
    size_t position;  // in the batch's buffer
    size_t size_bytes;
    size_t header_bytes = 0;  // of the Confluent header in front of it
  };

  absl::Status FillBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) {
    size_t taken_bytes = 0;
    while (payloads_.size() + damaged_.size() < max_messages) {
      if (!window_.has_source()) {
        if (next_input_ == inputs_.size()) break;
        if (options_.on_damaged_file == OnDamagedFile::kSkip) {
          STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<BrokenRecord> damage, DamageOf(next_input_));
          if (damage.has_value()) {
            ++next_input_;
            batch->skipped_.push_back(*std::move(damage));
            damaged_.push_back({window_.position(), 0});
            continue;
          }
        }
        STRUCTTENSOR_RETURN_IF_ERROR(OpenNextInput());
      }
      const size_t frame_position = window_.position();
      const TextPosition text_position = text_position_;
      RecordLocation location = {input(), record_number_, window_.source_offset()};
      // A batch has at least one record, however long it is. Others have what the records in front of them leave.
      const bool first = payloads_.empty() && damaged_.empty();
      if (!first && taken_bytes > max_bytes) break;
      const size_t room_bytes = first ? SIZE_MAX : max_bytes - taken_bytes;
      STRUCTTENSOR_ASSIGN_OR_RETURN(Frame frame, NextFrame(location, room_bytes));
      const bool complete = frame.outcome == Frame::kRecord || frame.outcome == Frame::kDamagedRecord;
      if (frame.outcome == Frame::kNoRoom || (complete && frame.payload_size_bytes > room_bytes)) {
        window_.Rewind(frame_position);  // this record is the first of the next batch
        text_position_ = text_position;
        return absl::OkStatus();
      }
      STRUCTTENSOR_RETURN_IF_ERROR(CheckKind(frame_position, frame));
      CheckEnd(location, frame);
      const bool text = records_internal::IsTextFormat(format_);
      if (text) headers_[input()] = text_position_.header;
      if (text) location.line = text_position_.line_of_frame;
      if (text) location.byte_in_line = text_position_.byte_of_frame;
      size_t header_bytes = 0;
      if (options_.confluent_headers && !text && frame.outcome == Frame::kRecord) header_bytes = TakeConfluentHeader(frame);
      const Payload payload = {frame.payload_position, frame.payload_size_bytes, header_bytes};
      const int64_t payload_offset = location.byte_offset + static_cast<int64_t>(payload.position - frame_position);
      taken_bytes += payload.size_bytes;
      switch (frame.outcome) {
        case Frame::kRecord:
          location.byte_offset = payload_offset;
          batch->locations_.push_back(location);
          payloads_.push_back(payload);
          batch->payload_bytes_ += payload.size_bytes;
          break;
        case Frame::kNoRoom:
          return absl::InternalError("NextBatch: a record without room in this batch was not left to the next one");
        case Frame::kEnd:
          window_.End();
          continue;
        case Frame::kDamagedRecord:
          if (frame.advice.empty()) frame.advice = "fetch the file again, or pass `on_error=kSkip` to leave the record out";
          if (assumed_ && record_number_ == 0) absl::StrAppend(&frame.advice, kAssumed);
          if (!options_.skip_damaged) return DataLoss(location, frame);
          batch->skipped_.push_back(Broken(location, frame, payload_offset, BrokenRecord::Lost::kRecord));
          damaged_.push_back(payload);
          break;
        case Frame::kDamagedTail:
        case Frame::kUnreadable:
          AddAdviceAboutRest(frame.advice);
          if (assumed_ && record_number_ == 0) absl::StrAppend(&frame.advice, kAssumed);
          if (options_.on_damaged_file == OnDamagedFile::kSkip) {
            frame.advice = "the file was valid when it was looked through, so it was changed since then; read it again";
          }
          if (options_.on_damaged_file != OnDamagedFile::kRest) return DataLoss(location, frame);
          batch->skipped_.push_back(Broken(location, frame, payload_offset, BrokenRecord::Lost::kRestOfFile));
          damaged_.push_back(payload);
          window_.End();
          // The caller may end here, so the batch does too.
          return absl::OkStatus();
      }
      ++record_number_;
      if (format_ == RecordFormat::kMessage) window_.End();
    }
    return absl::OkStatus();
  }

  static BrokenRecord Broken(const RecordLocation& location, Frame& frame, int64_t bytes_offset, BrokenRecord::Lost lost) {
    return {.location = location,
            .code = frame.code,
            .problem = std::move(frame.problem),
            .advice = std::move(frame.advice),
            .bytes_offset = bytes_offset,
            .lost = lost};
  }

  void AddAdviceAboutRest(std::string& advice) const {
    const bool only = advice.empty();
    if (only) advice = "fetch it again";
    if (options_.name_of_rest_option.empty()) return;
    absl::StrAppend(&advice, only ? ", or pass " : "; or pass ", options_.name_of_rest_option,
                    " to keep the records before it");
  }

  absl::StatusOr<OpenedSource> Open(const std::string& name) const {
    if (bytes_.has_value()) return OpenedSource{std::make_unique<BytesInMemory>(*bytes_), false, true};
    if (part_ == nullptr) return OpenByteSource(name);
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, records_internal::OpenPart(name, *part_));
    return OpenedSource{.source = std::move(source), .regular_file = true};
  }

  // Called at each frame. If a part ends elsewhere than its index says, the frame becomes a damaged tail: the bytes around both
  // ends of the part are those that were indexed, so a length between them is not.
  void CheckEnd(const RecordLocation& location, Frame& frame) const {
    if (part_ == nullptr || !part_->end.has_value()) return;
    const bool ends = frame.outcome == Frame::kEnd;
    if (!ends && frame.outcome != Frame::kDamagedTail) return;
    if (ends && location.record_number == part_->end->record_number) return;
    if (ends) frame = {.outcome = Frame::kDamagedTail, .payload_position = window_.position()};
    frame.code = "index";
    // Without "; the file looks truncated".
    frame.problem = ends ? "no more records" : frame.problem.substr(0, frame.problem.find(';'));
    absl::StrAppend(&frame.problem, "; by its index, this part of the file ends at byte ", part_->end->byte_offset,
                    ", in front of record ", part_->end->record_number);
    frame.advice = absl::StrCat("fetch it again", kPlanAgain);
  }

  // Reads the whole input. Returns what makes it a damaged one, or nothing. Errors: the input cannot be read.
  absl::StatusOr<std::optional<BrokenRecord>> DamageOf(size_t input) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckCanBeReadTwice(inputs_[input]));
    constexpr size_t kMaxMessages = 1 << 16, kMaxBytes = size_t{4} << 20;
    RecordReaderOptions options = options_;
    options.check_confluent_header = {};
    options.skip_damaged = true;
    options.on_damaged_file = OnDamagedFile::kRest;
    FramedRecordReader reader(std::vector<std::string>{inputs_[input]}, options);
    RecordBatch batch;
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, reader.NextBatch(kMaxMessages, kMaxBytes, &batch));
      if (!more) return std::optional<BrokenRecord>();
      for (const BrokenRecord& found : batch.skipped()) {
        if (found.lost == BrokenRecord::Lost::kRecord) continue;
        compressed_[input] = reader.compressed_[0];
        BrokenRecord damage = found;
        damage.location.input = static_cast<uint32_t>(input);
        damage.bytes = {};
        damage.lost = BrokenRecord::Lost::kFile;
        return std::optional<BrokenRecord>(std::move(damage));
      }
    }
  }

  absl::Status OpenNextInput() {
    const std::string& name = inputs_[next_input_];
    const auto found = options_.parts.find(next_input_);
    part_ = found == options_.parts.end() ? nullptr : &found->second;
    absl::StatusOr<OpenedSource> opened = Open(name);
    if (!opened.ok()) return InFile(next_input_, opened.status());
    compressed_[next_input_] = opened->compressed;
    window_.Begin(std::move(opened->source), part_ == nullptr ? 0 : part_->begin.byte_offset);
    record_number_ = part_ == nullptr ? 0 : part_->begin.record_number;
    ++next_input_;
    assumed_ = may_be_text_ = false;
    first_frame_ = part_ == nullptr || part_->begin.byte_offset == 0;
    text_position_ = {};
    if (part_ != nullptr) {
      format_ = part_->format;
      return absl::OkStatus();
    }
    if (options_.format.has_value()) {
      format_ = *options_.format;
      return absl::OkStatus();
    }
    const absl::StatusOr<RecordFormat> format = FindFormat(name, opened->regular_file);
    if (!format.ok()) return InFile(input(), format.status());
    format_ = *format;
    return absl::OkStatus();
  }

  // Does not look into a pipe: that could wait for more than its next record. Errors are ignored here, because they happen
  // again when records are read.
  absl::StatusOr<RecordFormat> FindFormat(const std::string& name, bool regular_file) {
    std::optional<RecordFormat> named = RecordFormatOfName(name);
    if (options_.confluent_headers && named.has_value() && IsTextOfMessages(*named)) {
      return absl::InvalidArgumentError(
          absl::StrCat("its name indicates ", std::string(RecordFormatName(*named)),
                       ", which has no Confluent headers; read it without `confluent_headers`, or set another `format`"));
    }
    if (named == RecordFormat::kJson && options_.message_of_json == nullptr) named.reset();
    if (named == RecordFormat::kTextproto && options_.message_of_textproto == nullptr) named.reset();
    if (named == RecordFormat::kCsv && options_.message_of_csv == nullptr) named.reset();
    if (named.has_value()) return *named;
    // With headers in front, messages cannot be recognized as messages.
    if (!regular_file || options_.confluent_headers) {
      may_be_text_ = assumed_ = true;
      return RecordFormat::kDelimited;
    }
    window_.Fill(records_internal::kSniffBytes).IgnoreError();
    const std::string_view available = window_.available();
    const bool whole = available.size() < records_internal::kSniffBytes;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const SniffedFormat sniffed,
                                  SniffMessages(available.substr(0, records_internal::kSniffBytes), whole));
    if (sniffed.format == RecordFormat::kJson && options_.message_of_json == nullptr) {
      return records_internal::NotMessages(TextKind::kJson);
    }
    assumed_ = !sniffed.found;
    return sniffed.format;
  }

  // For the first frame of an input, at `position`: an error if the input is of another kind, such as a Parquet file or text
  // in UTF-16. If its framing was not looked for, it is also an error if it is a text. But a record may be a message, whatever
  // it looks like, unless it looks like JSON.
  absl::Status CheckKind(size_t position, Frame& frame) {
    const bool may_be_text = std::exchange(may_be_text_, false);
    if (!std::exchange(first_frame_, false)) return absl::OkStatus();
    const bool text = records_internal::IsTextFormat(format_);
    const bool record = frame.outcome == Frame::kRecord;
    if (!may_be_text && !text && record) return absl::OkStatus();
    // Without this, gRPC frames in a pipe would be read as many empty messages.
    if (may_be_text && !options_.confluent_headers && record && frame.payload_size_bytes == 0) {
      return InFile(input(),
                    absl::InvalidArgumentError("it begins with a zero byte, which is an empty delimited message, or the "
                                               "start of a gRPC frame or of a 32-bit length; set `format`"));
    }
    const size_t end = window_.position() + window_.available_bytes();
    const std::string_view sample = window_.bytes_at(position, std::min(end - position, records_internal::kSniffBytes));
    std::string foreign = text || !record ? records_internal::ForeignKindOf(sample) : "";
    if (!foreign.empty() && (text || !options_.format.has_value())) {
      return InFile(input(), absl::InvalidArgumentError(foreign));
    }
    // A record of the framing that the caller names is damaged, whatever its bytes are, and may be left out.
    if (!foreign.empty()) frame.advice = std::move(foreign);
    if (!may_be_text) return absl::OkStatus();
    const TextKind kind = records_internal::TextKindOf(sample);
    if (kind == TextKind::kNone || (kind != TextKind::kJson && record)) return absl::OkStatus();
    return InFile(input(), records_internal::NotMessages(kind));
  }

  // Damaged compressed data (not a failing system) is a damaged tail, whatever the framing.
  absl::StatusOr<Frame> NextFrame(const RecordLocation& location, size_t room_bytes) {
    const ReadTextFrame read_text = TextFramingOf(format_);
    absl::StatusOr<Frame> frame = read_text != nullptr ? read_text(window_, MaxTextBytes(), text_position_)
                                                       : FramingOf(format_)(window_, options_.max_message_bytes, room_bytes);
    if (frame.ok()) return frame;
    if (!absl::IsDataLoss(frame.status())) return InFile(location.input, frame.status());
    text_position_.line_of_frame = text_position_.line;
    text_position_.byte_of_frame = window_.source_offset() - text_position_.offset_of_line;
    return Frame{.outcome = Frame::kDamagedTail,
                 .payload_position = window_.position(),
                 .payload_size_bytes = window_.available_bytes(),
                 .code = "compression",
                 .problem = std::string(frame.status().message())};
  }

  // Returns the size of the header.
  size_t TakeConfluentHeader(Frame& frame) {
    const std::string_view record = window_.bytes_at(frame.payload_position, frame.payload_size_bytes);
    std::string problem = ReadConfluentHeader(record, &confluent_header_);
    if (problem.empty()) assumed_ = false;  // the header speaks for the framing
    const bool unwanted = problem.empty() && options_.check_confluent_header != nullptr;
    if (unwanted) problem = options_.check_confluent_header(confluent_header_);
    if (problem.empty()) {
      frame.payload_position += confluent_header_.size_bytes;
      frame.payload_size_bytes -= confluent_header_.size_bytes;
      return confluent_header_.size_bytes;
    }
    frame.outcome = Frame::kDamagedRecord;
    frame.code = "confluent_header";
    frame.problem = std::move(problem);
    frame.advice =
        unwanted ? "pass another `message`, or `on_error=kSkip` to leave the record out"
                 : "read it without `confluent_headers`, check `format`, or pass `on_error=kSkip` to leave the record out";
    return 0;
  }

  absl::Status DataLoss(const RecordLocation& location, const Frame& frame) const {
    return absl::DataLossError(absl::StrCat(Where(location, 0), ": ", frame.problem, " (", frame.advice, ")"));
  }

  absl::Status InFile(size_t input, const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat(DisplayName(inputs_[input]), ": ", status.message()));
  }

  // The addresses of messages are known only now, when the buffer has stopped growing.
  void FinishMessages(RecordBatch* batch) {
    batch->buffer_.ClearSlack();
    const auto view = [batch](const Payload& payload) {
      return std::string_view(batch->buffer_.data() + payload.position, payload.size_bytes);
    };
    for (const Payload& payload : payloads_) {
      batch->messages_.push_back(view(payload));
      if (!options_.confluent_headers) continue;
      batch->headers_.push_back(view({payload.position - payload.header_bytes, payload.header_bytes}));
    }
    for (size_t i = 0; i < damaged_.size(); ++i) batch->skipped_[i].bytes = view(damaged_[i]);
    payloads_.clear();
    damaged_.clear();
  }

  uint32_t input() const { return static_cast<uint32_t>(next_input_ - 1); }

  size_t MaxTextBytes() const {
    return options_.max_message_bytes < kMaxRecordBytes ? options_.max_message_bytes : kMaxTextBytes;
  }

  const std::vector<std::string> inputs_;
  std::optional<std::string_view> bytes_;                    // the only input, which is not a file
  std::vector<bool> compressed_;                             // of the inputs opened so far
  std::vector<std::shared_ptr<const std::string>> headers_;  // of inputs in CSV; null for others
  const RecordReaderOptions options_;
  size_t next_input_ = 0;            // the open input is the one before it
  const InputPart* part_ = nullptr;  // of the open input, if it is not read as a whole
  RecordFormat format_ = RecordFormat::kDelimited;
  bool assumed_ = false;        // whether format_ is only the most frequent one: nothing speaks for it
  bool may_be_text_ = false;    // true until the first frame, if the framing was not looked for
  bool first_frame_ = false;    // true until the first frame
  TextPosition text_position_;  // of an input that is a text
  int64_t record_number_ = 0;
  ConfluentHeader confluent_header_;  // of the record that was read last
  Window window_;
  // Of the batch being read: messages, and skipped records.
  std::vector<Payload> payloads_;
  std::vector<Payload> damaged_;
  absl::Status error_;
};

void RecordBatch::Assign(std::span<const std::string_view> messages, std::span<const RecordLocation> locations,
                         std::span<const BrokenRecord> skipped, std::span<const std::string> confluent_headers) {
  payload_bytes_ = 0;
  for (const std::string_view message : messages) payload_bytes_ += message.size();
  size_t size_bytes = payload_bytes_;
  for (const std::string& header : confluent_headers) size_bytes += header.size();
  for (const BrokenRecord& error : skipped) size_bytes += error.bytes.size();
  buffer_.Clear();
  buffer_.MakeRoom(size_bytes);
  written_by_encoder_ = false;
  messages_.clear();
  headers_.clear();
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!confluent_headers.empty()) {
      headers_.emplace_back(buffer_.end(), confluent_headers[i].size());
      buffer_.Append(confluent_headers[i]);
    }
    messages_.emplace_back(buffer_.end(), messages[i].size());
    buffer_.Append(messages[i]);
  }
  locations_.assign(locations.begin(), locations.end());
  skipped_.assign(skipped.begin(), skipped.end());
  for (BrokenRecord& error : skipped_) {
    const std::string_view bytes = error.bytes;
    error.bytes = {buffer_.end(), bytes.size()};
    buffer_.Append(bytes);
  }
  buffer_.ClearSlack();
}

void RecordBatch::AssignViews(std::span<const std::string_view> messages, int64_t first_record_number) {
  buffer_.Clear();
  messages_.assign(messages.begin(), messages.end());
  headers_.clear();
  written_by_encoder_ = false;
  locations_.clear();
  locations_.reserve(messages.size());
  skipped_.clear();
  payload_bytes_ = 0;
  for (const std::string_view message : messages) {
    payload_bytes_ += message.size();
    locations_.push_back({.input = 0, .record_number = first_record_number++, .byte_offset = 0});
  }
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Create(std::vector<std::string> inputs,
                                                                   const RecordReaderOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(Validate(options));
  if (!options.parts.empty() && options.parts.rbegin()->first >= inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("RecordReaderOptions::parts[", options.parts.rbegin()->first, "]: there are ", inputs.size(), " inputs"));
  }
  std::unique_ptr<RecordReader> reader = std::make_unique<FramedRecordReader>(std::move(inputs), options);
  const bool may_be_text =
      options.format.has_value()
          ? records_internal::IsTextFormat(*options.format)
          : options.message_of_json != nullptr || options.message_of_textproto != nullptr || options.message_of_csv != nullptr;
  return may_be_text ? records_internal::ReadTextRecords(std::move(reader), options) : std::move(reader);
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::OfBytes(std::string_view bytes,
                                                                    const RecordReaderOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(Validate(options));
  if (!options.format.has_value()) return absl::InvalidArgumentError("RecordReader::OfBytes: options.format is not set");
  if (options.on_damaged_file == OnDamagedFile::kSkip) {
    return absl::InvalidArgumentError("RecordReader::OfBytes: options.on_damaged_file = kSkip is for files");
  }
  if (!options.parts.empty()) return absl::InvalidArgumentError("RecordReader::OfBytes: options.parts are of files");
  std::unique_ptr<RecordReader> reader = std::make_unique<FramedRecordReader>(bytes, options);
  return records_internal::IsTextFormat(*options.format) ? records_internal::ReadTextRecords(std::move(reader), options)
                                                         : std::move(reader);
}

}  // namespace structtensor
