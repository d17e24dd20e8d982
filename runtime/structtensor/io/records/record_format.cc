#include "structtensor/io/records/record_format.h"

#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {

std::string_view RecordFormatName(RecordFormat format) {
  switch (format) {
    case RecordFormat::kDelimited:
      return "delimited";
    case RecordFormat::kTfRecord:
      return "tfrecord";
    case RecordFormat::kMessage:
      return "message";
    case RecordFormat::kLength32BigEndian:
      return "length32";
    case RecordFormat::kLength32LittleEndian:
      return "length32le";
    case RecordFormat::kGrpc:
      return "grpc";
    case RecordFormat::kBase64:
      return "base64";
    case RecordFormat::kHex:
      return "hex";
    case RecordFormat::kJson:
      return "json";
    case RecordFormat::kTextproto:
      return "textproto";
    case RecordFormat::kCsv:
      return "csv";
  }
  return "";
}

std::span<const RecordFormat> RecordFormats() {
  static constexpr RecordFormat kAll[] = {RecordFormat::kDelimited,
                                          RecordFormat::kTfRecord,
                                          RecordFormat::kMessage,
                                          RecordFormat::kLength32BigEndian,
                                          RecordFormat::kLength32LittleEndian,
                                          RecordFormat::kGrpc,
                                          RecordFormat::kBase64,
                                          RecordFormat::kHex,
                                          RecordFormat::kJson,
                                          RecordFormat::kTextproto,
                                          RecordFormat::kCsv};
  return kAll;
}

std::optional<RecordFormat> RecordFormatOfName(std::string_view name) {
  name = PathWithoutOptions(name);
  for (const std::string_view ending : {".gz", ".zst", ".lz4"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  if (name.ends_with(".tfrecord") || name.ends_with(".tfrecords")) return RecordFormat::kTfRecord;
  if (name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson")) return RecordFormat::kJson;
  if (name.ends_with(".textproto") || name.ends_with(".txtpb") || name.ends_with(".pbtxt")) return RecordFormat::kTextproto;
  if (name.ends_with(".csv")) return RecordFormat::kCsv;
  return std::nullopt;
}

}  // namespace structtensor
