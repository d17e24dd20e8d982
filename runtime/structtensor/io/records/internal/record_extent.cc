#include "structtensor/io/records/internal/record_extent.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/lengths.h"

namespace structtensor::records_internal {
namespace {

absl::Status TooShort(std::string_view what, size_t expected_bytes, size_t found_bytes) {
  return absl::DataLossError(absl::StrCat(absl::string_view(what.data(), what.size()), " has ", expected_bytes,
                                          " bytes but only ", found_bytes, " remain"));
}

absl::StatusOr<RecordExtent> AnyExtentOf(RecordFormat format, std::string_view rest) {
  constexpr size_t kUint32Bytes = 4;
  constexpr size_t kGrpcPrefixBytes = 5;
  constexpr size_t kUint64Bytes = 8;
  constexpr size_t kMaskedCrcBytes = 4;
  switch (format) {
    case RecordFormat::kDelimited: {
      const LengthPrefix prefix = ParseLengthPrefix(rest);
      if (prefix.size_bytes == 0)
        return absl::DataLossError("the length prefix is not a varint of at most 10 bytes, or is cut off");
      return RecordExtent{prefix.size_bytes, prefix.value, 0};
    }
    case RecordFormat::kLength32BigEndian:
    case RecordFormat::kLength32LittleEndian:
      if (rest.size() < kUint32Bytes) return TooShort("a length", kUint32Bytes, rest.size());
      return RecordExtent{
          kUint32Bytes,
          format == RecordFormat::kLength32BigEndian ? LoadBigEndian32(rest.data()) : LoadLittleEndian<uint32_t>(rest.data()),
          0};
    case RecordFormat::kGrpc:
      if (rest.size() < kGrpcPrefixBytes) return TooShort("the header of a gRPC frame", kGrpcPrefixBytes, rest.size());
      if (rest[0] != '\0') {
        return absl::DataLossError(absl::StrCat("the first byte of a gRPC frame is ", static_cast<uint8_t>(rest[0]),
                                                "; expected 0, which says that the message is not compressed"));
      }
      return RecordExtent{kGrpcPrefixBytes, LoadBigEndian32(rest.data() + 1), 0};
    case RecordFormat::kTfRecord: {
      constexpr size_t kTfRecordPrefixBytes = kUint64Bytes + kMaskedCrcBytes;
      if (rest.size() < kTfRecordPrefixBytes) return TooShort("a TFRecord header", kTfRecordPrefixBytes, rest.size());
      if (!HasMaskedCrc32c(rest.substr(0, kUint64Bytes), rest.data() + kUint64Bytes)) {
        return absl::DataLossError("the checksum of the record's length is wrong");
      }
      return RecordExtent{kTfRecordPrefixBytes, LoadLittleEndian<uint64_t>(rest.data()), kMaskedCrcBytes};
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
  return absl::InvalidArgumentError(absl::StrCat("RecordFormat ", static_cast<int>(format), " is not a format"));
}

}  // namespace

bool HasMaskedCrc32c(std::string_view bytes, const char* checksum) {
  return MaskCrc32c(Crc32c(bytes)) == LoadLittleEndian<uint32_t>(checksum);
}

absl::StatusOr<RecordExtent> ExtentOf(RecordFormat format, std::string_view rest) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RecordExtent extent, AnyExtentOf(format, rest));
  if (extent.message_bytes > kMaxRecordBytes) {
    return absl::DataLossError(
        absl::StrCat("the length says ", extent.message_bytes, " bytes, more than the limit of ", kMaxRecordBytes));
  }
  return extent;
}

}  // namespace structtensor::records_internal
