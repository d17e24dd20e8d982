#include "structtensor/io/records/internal/framing.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/lengths.h"
#include "structtensor/io/records/record_format.h"

namespace structtensor::records_internal {
namespace {

constexpr size_t kTfRecordHeaderBytes = 12;
constexpr size_t kCrcBytes = 4;

// The rest of the input is the beginning of a message, or of its frame.
Frame DamagedTail(const Window& window, std::string problem) {
  return {.outcome = Frame::kDamagedTail,
          .payload_position = window.position(),
          .payload_size_bytes = window.available_bytes(),
          .code = "truncated",
          .problem = std::move(problem)};
}

Frame Truncated(const Window& window, uint64_t expected_bytes) {
  return DamagedTail(window, absl::StrCat("length prefix says ", expected_bytes, " bytes but only ", window.available_bytes(),
                                          " remain; the file looks truncated"));
}

// `advice`, and that the limit can be raised, if it can.
std::string OrRaiseLimit(std::string_view advice, size_t max_bytes) {
  if (max_bytes >= kMaxRecordBytes) return std::string(advice);
  return absl::StrCat(std::string(advice), advice.empty() ? "" : "; or ", "raise `max_message_bytes`");
}

Frame TooLong(uint64_t size_bytes, size_t max_bytes, std::string_view advice) {
  return {.outcome = Frame::kUnreadable,
          .code = size_bytes > kMaxRecordBytes ? "framing" : "max_message_bytes",
          .problem = absl::StrCat("length prefix says ", size_bytes, " bytes, more than the limit of ", max_bytes),
          .advice = OrRaiseLimit(advice, max_bytes)};
}

Frame Record(Window& window, size_t payload_size_bytes) {
  Frame frame{.outcome = Frame::kRecord, .payload_position = window.position(), .payload_size_bytes = payload_size_bytes};
  window.Advance(payload_size_bytes);
  return frame;
}

constexpr size_t kLength32Bytes = 4;

// `skipped_bytes`: the number of bytes before the length.
absl::StatusOr<Frame> ReadLength32Frame(Window& window, size_t max_bytes, size_t room_bytes, size_t skipped_bytes,
                                        bool big_endian) {
  const size_t header_bytes = skipped_bytes + kLength32Bytes;
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(header_bytes));
  const std::string_view header = window.available().substr(0, header_bytes);
  if (header.empty()) return Frame{.outcome = Frame::kEnd};
  if (header.size() < header_bytes) {
    return DamagedTail(window, absl::StrCat("a length and what is in front of it have ", header_bytes, " bytes but only ",
                                            header.size(), " remain; the file looks truncated"));
  }
  if (skipped_bytes > 0 && header[0] != '\0') {
    return Frame{.outcome = Frame::kUnreadable,
                 .code = "framing",
                 .problem = absl::StrCat("the first byte of a gRPC frame is ", static_cast<uint8_t>(header[0]),
                                         header[0] == 1 ? ", which says that the message is compressed" : "; expected 0"),
                 .advice = header[0] == 1 ? "write the frames without compression"
                                          : "the file is damaged, or has no gRPC frames: check `format`"};
  }
  const char* const length = header.data() + skipped_bytes;
  const size_t size_bytes = big_endian ? LoadBigEndian32(length) : LoadLittleEndian<uint32_t>(length);
  if (size_bytes > max_bytes) {
    return TooLong(size_bytes, max_bytes, "the file is damaged or framed in another way: check `format`");
  }
  if (size_bytes > room_bytes) return Frame{.outcome = Frame::kNoRoom};
  window.Advance(header_bytes);
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(size_bytes));
  if (window.available_bytes() < size_bytes) return Truncated(window, size_bytes);
  return Record(window, size_bytes);
}

}  // namespace

absl::StatusOr<Frame> ReadLength32BigEndianFrame(Window& window, size_t max_bytes, size_t room_bytes) {
  return ReadLength32Frame(window, max_bytes, room_bytes, 0, true);
}

absl::StatusOr<Frame> ReadLength32LittleEndianFrame(Window& window, size_t max_bytes, size_t room_bytes) {
  return ReadLength32Frame(window, max_bytes, room_bytes, 0, false);
}

absl::StatusOr<Frame> ReadGrpcFrame(Window& window, size_t max_bytes, size_t room_bytes) {
  return ReadLength32Frame(window, max_bytes, room_bytes, 1, true);
}

absl::StatusOr<Frame> ReadDelimitedFrame(Window& window, size_t max_bytes, size_t room_bytes) {
  LengthPrefix prefix = ParseLengthPrefix(window.available());
  // Asks for one more byte at a time, so that it does not wait for bytes of a pipe after the end of the record.
  while (prefix.size_bytes == 0) {
    const size_t had_bytes = window.available_bytes();
    if (had_bytes >= kMaxVarintBytes) {
      return Frame{.outcome = Frame::kUnreadable,
                   .code = "framing",
                   .problem = "the length prefix is not a varint of at most 10 bytes",
                   .advice = "the file is damaged, or not varint-delimited: check `format`"};
    }
    STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(had_bytes + 1));
    if (window.available_bytes() == had_bytes) {
      if (had_bytes == 0) return Frame{.outcome = Frame::kEnd};
      return DamagedTail(window, absl::StrCat("the input ends after ", had_bytes, had_bytes == 1 ? " byte" : " bytes",
                                              " of a length prefix; the file looks truncated"));
    }
    prefix = ParseLengthPrefix(window.available());
  }
  if (prefix.value > max_bytes) {
    return TooLong(prefix.value, max_bytes, "the file is damaged or not varint-delimited: check `format`");
  }
  if (prefix.value > room_bytes) return Frame{.outcome = Frame::kNoRoom};
  window.Advance(prefix.size_bytes);
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(prefix.value));
  if (window.available_bytes() < prefix.value) return Truncated(window, prefix.value);
  return Record(window, prefix.value);
}

absl::StatusOr<Frame> ReadTfRecordFrame(Window& window, size_t max_bytes, size_t room_bytes) {
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(kTfRecordHeaderBytes));
  const std::string_view header = window.available().substr(0, kTfRecordHeaderBytes);
  if (header.empty()) return Frame{.outcome = Frame::kEnd};
  if (header.size() < kTfRecordHeaderBytes) {
    return DamagedTail(
        window, absl::StrCat("a TFRecord header has 12 bytes but only ", header.size(), " remain; the file looks truncated"));
  }
  const uint64_t size_bytes = LoadLittleEndian<uint64_t>(header.data());
  const uint32_t length_crc = MaskCrc32c(Crc32c(header.substr(0, sizeof(size_bytes))));
  const uint32_t stored_length_crc = LoadLittleEndian<uint32_t>(header.data() + sizeof(size_bytes));
  if (length_crc != stored_length_crc) {
    return Frame{.outcome = Frame::kUnreadable,
                 .code = "checksum",
                 .problem = absl::StrFormat("masked CRC-32C of the record's length is %#010x, the file says %#010x", length_crc,
                                            stored_length_crc),
                 .advice = "the file is damaged from here on, or no TFRecord file: check `format`"};
  }
  if (size_bytes > max_bytes) return TooLong(size_bytes, max_bytes, "");
  if (size_bytes > room_bytes) return Frame{.outcome = Frame::kNoRoom};
  window.Advance(kTfRecordHeaderBytes);
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(size_bytes + kCrcBytes));
  if (window.available_bytes() < size_bytes + kCrcBytes) {
    Frame frame = Truncated(window, size_bytes + kCrcBytes);
    frame.payload_size_bytes = std::min<size_t>(frame.payload_size_bytes, size_bytes);
    return frame;
  }
  const std::string_view data = window.available().substr(0, size_bytes);
  const uint32_t data_crc = MaskCrc32c(Crc32c(data));
  const uint32_t stored_data_crc = LoadLittleEndian<uint32_t>(data.data() + size_bytes);
  Frame frame = Record(window, size_bytes);
  window.Advance(kCrcBytes);
  if (data_crc != stored_data_crc) {
    frame.outcome = Frame::kDamagedRecord;
    frame.code = "checksum";
    frame.problem = absl::StrFormat("masked CRC-32C of its %d bytes is %#010x, the file says %#010x", size_bytes, data_crc,
                                    stored_data_crc);
  }
  return frame;
}

absl::StatusOr<Frame> ReadWholeSource(Window& window, size_t max_bytes, size_t /*room_bytes*/) {
  STRUCTTENSOR_RETURN_IF_ERROR(window.Fill(max_bytes + 1));
  if (window.available_bytes() > max_bytes) {
    return Frame{.outcome = Frame::kUnreadable,
                 .code = "max_message_bytes",
                 .problem = absl::StrCat("the file has more bytes than the limit of ", max_bytes, " for one message"),
                 .advice = OrRaiseLimit("if it holds many messages, check `format`", max_bytes)};
  }
  return Record(window, window.available_bytes());
}

}  // namespace structtensor::records_internal
