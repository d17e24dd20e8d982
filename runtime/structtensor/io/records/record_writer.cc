#include "structtensor/io/records/record_writer.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/lengths.h"

namespace structtensor {
namespace {

using records_internal::AppendLittleEndian;

constexpr size_t kBufferedRecordBytes = 1 << 20;

void AppendBigEndian32(uint64_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

void AppendMaskedCrc(std::string_view bytes, std::string& out) {
  AppendLittleEndian(records_internal::MaskCrc32c(records_internal::Crc32c(bytes)), 4, out);
}

}  // namespace

void AppendRecord(RecordFormat format, std::string_view message, std::string& out) {
  switch (format) {
    case RecordFormat::kDelimited: {
      uint64_t size_bytes = message.size();
      for (; size_bytes >= 0x80; size_bytes >>= 7) out += static_cast<char>(size_bytes | 0x80);
      out += static_cast<char>(size_bytes);
      out += message;
      return;
    }
    case RecordFormat::kTfRecord: {
      const size_t header = out.size();
      AppendLittleEndian(message.size(), 8, out);
      AppendMaskedCrc(std::string(out, header, 8), out);
      out += message;
      AppendMaskedCrc(message, out);
      return;
    }
    case RecordFormat::kMessage:
      out += message;
      return;
    case RecordFormat::kLength32BigEndian:
      AppendBigEndian32(message.size(), out);
      out += message;
      return;
    case RecordFormat::kLength32LittleEndian:
      AppendLittleEndian(message.size(), 4, out);
      out += message;
      return;
    case RecordFormat::kGrpc:
      out += '\0';  // not compressed
      AppendBigEndian32(message.size(), out);
      out += message;
      return;
    case RecordFormat::kBase64:
      absl::StrAppend(&out, absl::Base64Escape(ToAbsl(message)), "\n");
      return;
    case RecordFormat::kHex:
      absl::StrAppend(&out, absl::BytesToHexString(ToAbsl(message)), "\n");
      return;
    case RecordFormat::kTextproto:  // `message` is a text. An empty text after a separator would not count
      absl::StrAppend(&out, message.empty() ? "# an empty message\n" : ToAbsl(message),
                      message.ends_with('\n') || message.empty() ? "" : "\n");
      return;
    case RecordFormat::kCsv:  // sinks write CSV
      return;
    case RecordFormat::kJson:  // `message` is JSON
      absl::StrAppend(&out, ToAbsl(message), "\n");
      return;
  }
}

absl::Status RecordWriter::Write(std::string_view message) {
  if (message.size() > kMaxRecordBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", message.size(), " bytes; a record has at most ", kMaxRecordBytes));
  }
  if (format_ == RecordFormat::kMessage && records_ > 0) {
    return absl::InvalidArgumentError("this framing allows one message per file; write several as delimited or tfrecord");
  }
  if (format_ == RecordFormat::kTextproto && records_ > 0) text_ += "---\n";
  ++records_;
  AppendRecord(format_, message, text_);
  return text_.size() < kBufferedRecordBytes ? absl::OkStatus() : Flush();
}

absl::Status RecordWriter::Finish() {
  if (format_ == RecordFormat::kMessage && records_ == 0) {
    return absl::InvalidArgumentError("no message was written, but this framing needs exactly one");
  }
  return Flush();
}

absl::Status RecordWriter::Flush() {
  STRUCTTENSOR_RETURN_IF_ERROR(WriteAll(fd_, text_));
  text_.clear();
  return absl::OkStatus();
}

}  // namespace structtensor
