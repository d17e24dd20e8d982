// The formats in which files hold messages.
#ifndef STRUCTTENSOR_IO_RECORDS_RECORD_FORMAT_H_
#define STRUCTTENSOR_IO_RECORDS_RECORD_FORMAT_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace structtensor {

enum class RecordFormat {
  kDelimited,  // a varint length before each message (writeDelimitedTo)
  kTfRecord,   // TFRecord; both checksums are verified
  kMessage,    // one message in each file
  // A length of 32 bits before each message.
  kLength32BigEndian,
  kLength32LittleEndian,
  kGrpc,  // as in gRPC's bodies: a byte that is 0 (not compressed), a length of 32 bits, big-endian, and the message
  // Messages as text. One line for each message; an empty message is an empty line. Base64 of either alphabet, or
  // hexadecimal digits.
  kBase64,
  kHex,
  kJson,       // protobuf's JSON (io/json/message_json.h): one message on each line, one object after another, or one list
  kTextproto,  // protobuf's text format; lines "---" separate messages
  kCsv,        // rows of cells with commas between them (RFC 4180), after a header of field paths; can only be read
};

// The largest message that protobuf allows, and the largest value of RecordReaderOptions::max_message_bytes.
inline constexpr size_t kMaxRecordBytes = 0x7fffffff;
// The longest text of one message (kBase64 to kCsv), unless max_message_bytes is set to another value.
inline constexpr size_t kMaxTextBytes = size_t{256} << 20;

// The name of a format, as commands take and print it: "delimited", "tfrecord", "message", "length32", "length32le", "grpc",
// "base64", "hex", "json", "textproto" or "csv"; "" for a number that is not a format. RecordFormats() returns all formats.
std::string_view RecordFormatName(RecordFormat format);
std::span<const RecordFormat> RecordFormats();

// kTfRecord for names ending in .tfrecord or .tfrecords, kJson for .json, kTextproto for .textproto, .txtpb and .pbtxt, kCsv
// for .csv, also if .gz, .zst or .lz4 follows; nothing for other names.
std::optional<RecordFormat> RecordFormatOfName(std::string_view name);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_RECORD_FORMAT_H_
