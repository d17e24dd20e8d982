// How messages lie in files.
#ifndef STRUCTTENSOR_RECORDS_RECORD_FORMAT_H_
#define STRUCTTENSOR_RECORDS_RECORD_FORMAT_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace structtensor {

enum class RecordFormat {
  kDelimited,  // a varint length in front of each message (writeDelimitedTo)
  kTfRecord,   // TFRecord; both checksums are verified
  kMessage,    // one message a file
  // A length of 32 bits in front of each message.
  kLength32BigEndian,
  kLength32LittleEndian,
  kGrpc,  // as in gRPC's bodies: a byte that is 0 (not compressed), a length of 32 bits, big-endian, and the message
  // Texts that stand for messages. A line for each, which is empty where the message is: base64 of either alphabet, hexadecimal
  // digits.
  kBase64,
  kHex,
  kJson,       // protobuf's JSON (json/message_json.h): a line for each message, objects one behind the other, or one list
  kTextproto,  // protobuf's text format; lines that are "---" and nothing else stand between messages
  kCsv,        // rows of cells with commas between them (RFC 4180), below a header of field paths; only read
};

// What protobuf allows, and the most that RecordReaderOptions::max_message_bytes takes.
inline constexpr size_t kMaxRecordBytes = 0x7fffffff;

// The name of a format, as commands take and print it: "delimited", "tfrecord", "message", "length32", "length32le", "grpc",
// "base64", "hex", "json", "textproto" or "csv"; "" for a number that is no format. And all formats.
std::string_view RecordFormatName(RecordFormat format);
std::span<const RecordFormat> RecordFormats();

// kTfRecord for names ending in .tfrecord or .tfrecords, kJson for .json, kTextproto for .textproto, .txtpb and .pbtxt, kCsv
// for .csv, also with .gz, .zst or .lz4 behind; nothing for other names.
std::optional<RecordFormat> RecordFormatOfName(std::string_view name);

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_RECORD_FORMAT_H_
