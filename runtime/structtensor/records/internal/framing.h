// Where one record ends and the next begins, for each input format.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_FRAMING_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_FRAMING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/records/internal/window.h"

namespace structtensor::records_internal {

// What was found at a position of the input.
struct Frame {
  enum Outcome {
    kRecord,
    kEnd,            // of the input, cleanly
    kDamagedRecord,  // one record is lost; the position is behind it
    kDamagedTail,    // the rest of the input is lost
    kUnreadable,     // where the next record begins cannot be known: not a matter of one record
  };
  Outcome outcome = kEnd;
  // Where the message lies in the window's buffer; of a damaged one, what is there of it (in front of its length, if that is
  // damaged: what is there of the frame).
  size_t payload_position = 0;
  size_t payload_size_bytes = 0;
  std::string problem = {};  // the others but kEnd: what was found against what was expected
  std::string advice = {};   // kUnreadable: what to do
};

// Each reads the record at the window's position and moves behind it. After kDamagedTail and kUnreadable the position is
// anywhere. Records of more than `max_bytes` are kUnreadable. Requires: max_bytes <= kMaxRecordBytes, so that a length and what
// frames it can be added without overflow.
// Errors: those of Window::Fill.

// A varint length, then so many bytes: writeDelimitedTo of the protobuf libraries.
absl::StatusOr<Frame> ReadDelimitedFrame(Window& window, size_t max_bytes);

// uint64 length, masked CRC-32C of the length's bytes, data, masked CRC-32C of the data; integers little-endian.
// Source: tensorflow/core/lib/io/record_writer.h.
absl::StatusOr<Frame> ReadTfRecordFrame(Window& window, size_t max_bytes);

// A length of 32 bits, then so many bytes; with gRPC a byte in front of the length, which says whether the message is
// compressed. Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message.
absl::StatusOr<Frame> ReadLength32BigEndianFrame(Window& window, size_t max_bytes);
absl::StatusOr<Frame> ReadLength32LittleEndianFrame(Window& window, size_t max_bytes);
absl::StatusOr<Frame> ReadGrpcFrame(Window& window, size_t max_bytes);

// The whole source as one record; kEnd never comes, since no bytes at all are a message too.
absl::StatusOr<Frame> ReadWholeSource(Window& window, size_t max_bytes);

// How many bytes the header has that Confluent's serializers put in front of a message: a byte that is 0, a schema's number of
// 32 bits, and the indexes of the message type in its file, as zigzag varints behind how many they are (none: the first type).
// 0 if `record` begins with no such header. Source: docs.confluent.io, Schema Registry, wire format.
size_t ConfluentHeaderBytes(std::string_view record);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_FRAMING_H_
