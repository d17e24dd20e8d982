// Indexes: where records begin in a file. A file without marks between its records is cut at these places.
//
// In a varint-delimited file, the end of a record shows where the next one begins, so a reader cannot start in the middle. An
// index lists, about once for each MiB, where a record begins and its number. It costs 20 bytes for each such place. It is a
// file beside the file that it describes: ".day.pb.stidx" beside "day.pb". Its name begins with a '.', so it is not an input
// when the folder is read. docs/formats.md describes its bytes.
//
// An index may be older than its file. So it holds the size of the file, and a checksum of the bytes around each place. Both
// are compared when the index is read, and again when a part of the file is read. A reader of a part
// (RecordReaderOptions::parts) also fails if the part does not end before the record that the index names.
#ifndef STRUCTTENSOR_IO_RECORDS_RECORD_INDEX_H_
#define STRUCTTENSOR_IO_RECORDS_RECORD_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/records/record_format.h"

namespace structtensor {

// A place between two records, or at an end of the file.
struct RecordMark {
  int64_t byte_offset = 0;    // in the file
  int64_t record_number = 0;  // how many records are before it
  uint32_t checksum = 0;      // CRC-32C of the bytes of the file that are at most 1,024 bytes before or after it

  friend bool operator==(const RecordMark&, const RecordMark&) = default;
};

// A part of an input: the records from one mark up to another, or to the end of the file.
struct InputPart {
  RecordFormat format = RecordFormat::kDelimited;  // of the file; RecordReaderOptions::format does not matter
  int64_t file_bytes = 0;
  RecordMark begin = {};
  std::optional<RecordMark> end = {};
};

// What to do if the file is not the one that was cut. Error messages end with it.
inline constexpr char kPlanAgain[] = "; write its index again (structtensor index), if it has one, and plan the splits again";

struct RecordIndex {
  RecordFormat format = RecordFormat::kDelimited;  // one that CanBeIndexed()
  int64_t file_bytes = 0;
  // In order. The first mark is byte 0 and record 0. The last mark is the end of the file. In a damaged file it is before the
  // damage, because it is not known where records begin after it.
  std::vector<RecordMark> marks = {};

  bool reaches_end() const { return !marks.empty() && marks.back().byte_offset == file_bytes; }
};

struct RecordIndexOptions {
  // As RecordReaderOptions.
  std::optional<RecordFormat> format = std::nullopt;
  bool confluent_headers = false;
  // The least number of bytes from one mark to the next. At least 1. Only for MakeRecordIndex.
  int64_t every_bytes = int64_t{1} << 20;
};

// Whether an index can cut files of `format`: the format is binary and has many records in a file.
bool CanBeIndexed(RecordFormat format);

// The path of the index of the file `path`: "logs/.day.pb.stidx" for "logs/day.pb". Also for remote paths.
std::string RecordIndexPath(const std::string& path);

// Finds marks in a file from the lengths before its records. If records are long, their other bytes are not read. If the file
// is damaged and `damage` is not null, it is set to what is wrong: "record 7, byte 812: ...".
// Errors: InvalidArgument for a file that cannot be cut (compressed, a pipe, a text format, one message in each file), and for
//   every_bytes below 1. NotFound, PermissionDenied, ... if the file cannot be read. The message names the file.
absl::StatusOr<RecordIndex> MakeRecordIndex(const std::string& path, const RecordIndexOptions& options,
                                            std::string* damage = nullptr);

// The bytes of an index file, and the index of such bytes. `bytes` may be any bytes. Errors: DataLoss if SerializeRecordIndex
// did not make them.
std::string SerializeRecordIndex(const RecordIndex& index);
absl::StatusOr<RecordIndex> ParseRecordIndex(std::string_view bytes);

// Returns the index in the file beside `path`; nothing if there is no such file. The index fits the file: the size, the format,
// and the bytes around the first and the last mark have been compared.
// Errors: InvalidArgument if the index is damaged or does not fit the file, or if its format is not the format in which the
//   file would be read with these options; the message says what to do. The errors of reading both files.
absl::StatusOr<std::optional<RecordIndex>> ReadRecordIndex(const std::string& path, const RecordIndexOptions& options);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_RECORD_INDEX_H_
