// Where one record ends and the next begins, for each input format.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_FRAMING_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_FRAMING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/records/internal/window.h"

namespace structtensor::records_internal {

// What was found at a position of the input.
struct Frame {
  enum Outcome {
    kRecord,
    kEnd,            // of the input, cleanly
    kDamagedRecord,  // one record is lost; the position is after it
    kDamagedTail,    // the input is cut off, or its compressed data is damaged: the rest of the input is lost
    kUnreadable,     // where the next record begins cannot be known: the rest of the input is lost
    kNoRoom,         // the record is longer than `room_bytes`, and has not been read
  };
  Outcome outcome = kEnd;
  // Where the message is in the window's buffer. For a damaged message: the part of it that is there. If its length is
  // damaged: the part of the frame that is there.
  size_t payload_position = 0;
  size_t payload_size_bytes = 0;
  // Except for kRecord, kEnd and kNoRoom, as in BrokenRecord:
  std::string_view code = {};
  std::string problem = {};  // what was found, and what was expected
  std::string advice = {};   // kUnreadable: what to do
};

// Each reads the record at the window's position and moves the position after it. After kDamagedTail, kUnreadable and kNoRoom
// the position is unspecified. Records of more than `max_bytes` are kUnreadable, others of more than `room_bytes` kNoRoom.
// Requires: max_bytes <= kMaxRecordBytes, so that a length plus the bytes of its frame do not overflow.
// Errors: the errors of Window::Fill.

// A varint length, then that many bytes: writeDelimitedTo of the protobuf libraries.
absl::StatusOr<Frame> ReadDelimitedFrame(Window& window, size_t max_bytes, size_t room_bytes);

// uint64 length, masked CRC-32C of the length's bytes, data, masked CRC-32C of the data; integers little-endian.
// Source: tensorflow/core/lib/io/record_writer.h.
absl::StatusOr<Frame> ReadTfRecordFrame(Window& window, size_t max_bytes, size_t room_bytes);

// A length of 32 bits, then that many bytes. With gRPC, a byte before the length says whether the message is compressed.
// Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message.
absl::StatusOr<Frame> ReadLength32BigEndianFrame(Window& window, size_t max_bytes, size_t room_bytes);
absl::StatusOr<Frame> ReadLength32LittleEndianFrame(Window& window, size_t max_bytes, size_t room_bytes);
absl::StatusOr<Frame> ReadGrpcFrame(Window& window, size_t max_bytes, size_t room_bytes);

// The whole source as one record. Never returns kEnd, because an empty source is a message too, and never kNoRoom.
absl::StatusOr<Frame> ReadWholeSource(Window& window, size_t max_bytes, size_t room_bytes);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_FRAMING_H_
