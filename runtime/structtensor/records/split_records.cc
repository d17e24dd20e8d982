#include "structtensor/records/split_records.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/records/internal/crc32c.h"
#include "structtensor/records/internal/lengths.h"

namespace structtensor {
namespace {

using records_internal::Crc32c;
using records_internal::LengthPrefix;
using records_internal::LoadBigEndian32;
using records_internal::LoadLittleEndian;
using records_internal::MaskCrc32c;

// Where the message of a record lies, counted from the record's first byte.
struct RecordExtent {
  size_t message_position = 0;
  uint64_t message_bytes = 0;
  size_t bytes_behind = 0;  // of the record, behind the message
};

absl::Status TooShort(std::string_view what, size_t expected_bytes, size_t found_bytes) {
  return absl::DataLossError(absl::StrCat(absl::string_view(what.data(), what.size()), " has ", expected_bytes,
                                          " bytes but only ", found_bytes, " remain"));
}

bool HasChecksum(std::string_view bytes, const char* checksum) {
  return MaskCrc32c(Crc32c(bytes)) == LoadLittleEndian<uint32_t>(checksum);
}

// Of the record that `rest` begins with. Requires: rest is not empty.
absl::StatusOr<RecordExtent> ExtentOf(RecordFormat format, std::string_view rest) {
  constexpr size_t kLength32Bytes = 4;
  constexpr size_t kGrpcHeaderBytes = 5;
  constexpr size_t kTfRecordLengthBytes = 8;
  constexpr size_t kCrcBytes = 4;
  switch (format) {
    case RecordFormat::kDelimited: {
      const LengthPrefix prefix = records_internal::ParseLengthPrefix(rest);
      if (prefix.size_bytes == 0)
        return absl::DataLossError("the length prefix is no varint of at most 10 bytes, or is cut off");
      return RecordExtent{prefix.size_bytes, prefix.value, 0};
    }
    case RecordFormat::kLength32BigEndian:
    case RecordFormat::kLength32LittleEndian:
      if (rest.size() < kLength32Bytes) return TooShort("a length", kLength32Bytes, rest.size());
      return RecordExtent{
          kLength32Bytes,
          format == RecordFormat::kLength32BigEndian ? LoadBigEndian32(rest.data()) : LoadLittleEndian<uint32_t>(rest.data()),
          0};
    case RecordFormat::kGrpc:
      if (rest.size() < kGrpcHeaderBytes) return TooShort("the header of a gRPC frame", kGrpcHeaderBytes, rest.size());
      if (rest[0] != '\0') {
        return absl::DataLossError(absl::StrCat("the first byte of a gRPC frame is ", static_cast<uint8_t>(rest[0]),
                                                "; expected 0, which says that the message is not compressed"));
      }
      return RecordExtent{kGrpcHeaderBytes, LoadBigEndian32(rest.data() + 1), 0};
    case RecordFormat::kTfRecord: {
      constexpr size_t kHeaderBytes = kTfRecordLengthBytes + kCrcBytes;
      if (rest.size() < kHeaderBytes) return TooShort("a TFRecord header", kHeaderBytes, rest.size());
      if (!HasChecksum(rest.substr(0, kTfRecordLengthBytes), rest.data() + kTfRecordLengthBytes)) {
        return absl::DataLossError("the checksum of the record's length is wrong");
      }
      return RecordExtent{kHeaderBytes, LoadLittleEndian<uint64_t>(rest.data()), kCrcBytes};
    }
    case RecordFormat::kMessage:
      return RecordExtent{0, rest.size(), 0};
    case RecordFormat::kBase64:
    case RecordFormat::kHex:
    case RecordFormat::kJson:
    case RecordFormat::kTextproto:
    case RecordFormat::kCsv:
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(RecordFormatName(format)), " is text, not messages; read it from a file, by a scan"));
  }
  return absl::InvalidArgumentError(absl::StrCat("RecordFormat ", static_cast<int>(format), " is no format"));
}

absl::StatusOr<std::string_view> TakeMessage(RecordFormat format, std::string_view& rest) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RecordExtent extent, ExtentOf(format, rest));
  const size_t left = rest.size() - extent.message_position;
  if (extent.message_bytes > kMaxRecordBytes) {
    return absl::DataLossError(
        absl::StrCat("the length says ", extent.message_bytes, " bytes, more than the limit of ", kMaxRecordBytes));
  }
  if (left < extent.message_bytes + extent.bytes_behind) {
    return absl::DataLossError(
        absl::StrCat("the length says ", extent.message_bytes + extent.bytes_behind, " bytes but only ", left, " remain"));
  }
  const std::string_view message = rest.substr(extent.message_position, extent.message_bytes);
  if (format == RecordFormat::kTfRecord && !HasChecksum(message, message.data() + message.size())) {
    return absl::DataLossError(absl::StrCat("the checksum of its ", message.size(), " bytes is wrong"));
  }
  rest.remove_prefix(extent.message_position + extent.message_bytes + extent.bytes_behind);
  return message;
}

}  // namespace

absl::StatusOr<std::vector<std::string_view>> SplitRecords(RecordFormat format, std::string_view bytes) {
  std::vector<std::string_view> messages;
  if (format == RecordFormat::kMessage) {
    messages.push_back(bytes);  // no bytes at all are a message, too
    return messages;
  }
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const absl::StatusOr<std::string_view> message = TakeMessage(format, rest);
    if (!message.ok()) {
      const std::string where = absl::StrCat("record ", messages.size(), ", byte ", bytes.size() - rest.size(), ": ");
      return absl::Status(message.status().code(), absl::StrCat(where, message.status().message()));
    }
    messages.push_back(*message);
  }
  return messages;
}

}  // namespace structtensor
