// Where records begin in a file: the places at which a file is cut whose records have no marks between them.
//
// In a varint-delimited file a record is found by the one in front of it, so that nobody can begin in the middle. An index has,
// for every MiB or so, where a record begins, and which one it is. It costs 20 bytes for each such place, and is in a file
// beside the one that it is about: ".day.pb.stidx" beside "day.pb". The name begins with a '.', so that folders of inputs do
// not have it as an input. docs/formats.md has the bytes.
//
// An index may be older than its file. So it says how long the file is, and has a checksum of the bytes around each place; they
// are compared when the index is read, and again when a part of the file is. And a reader of a part
// (RecordReaderOptions::parts) fails if it does not end in front of the record that the index says.
#ifndef STRUCTTENSOR_RECORDS_RECORD_INDEX_H_
#define STRUCTTENSOR_RECORDS_RECORD_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/records/record_format.h"

namespace structtensor {

// A place between two records, or at an end of the file.
struct RecordMark {
  int64_t byte_offset = 0;    // in the file
  int64_t record_number = 0;  // how many records are in front of it
  uint32_t checksum = 0;      // CRC-32C of the bytes of the file that are at most 1,024 bytes away from it, to both sides

  friend bool operator==(const RecordMark&, const RecordMark&) = default;
};

// A part of an input: the records from one mark up to another, or to the end of the file.
struct InputPart {
  RecordFormat format = RecordFormat::kDelimited;  // of the file, whatever RecordReaderOptions::format says
  int64_t file_bytes = 0;
  RecordMark begin = {};
  std::optional<RecordMark> end = {};
};

// What to do where the file is another one than the one that was cut. An end of error messages.
inline constexpr char kPlanAgain[] = "; write its index again (structtensor index), if it has one, and plan the splits again";

struct RecordIndex {
  RecordFormat format = RecordFormat::kDelimited;  // one that CanBeIndexed()
  int64_t file_bytes = 0;
  // In order. The first is byte 0 and record 0. The last one is the end of the file, unless the file is damaged: then nobody
  // knows where records begin behind it.
  std::vector<RecordMark> marks = {};

  bool reaches_end() const { return !marks.empty() && marks.back().byte_offset == file_bytes; }
};

struct RecordIndexOptions {
  // As RecordReaderOptions.
  std::optional<RecordFormat> format = std::nullopt;
  bool confluent_headers = false;
  // Bytes from one mark to the next, at least. At least 1. Of MakeRecordIndex only.
  int64_t every_bytes = int64_t{1} << 20;
};

// Whether files of that format are cut by an index: their records are binary, and several.
bool CanBeIndexed(RecordFormat format);

// Where the index of the file `path` is: "logs/.day.pb.stidx" for "logs/day.pb". Of a remote path, likewise.
std::string RecordIndexPath(const std::string& path);

// Finds marks in a file by the lengths in front of its records; other bytes are passed over where records are long. If `damage`
// is not null, what is damaged is said there: "record 7, byte 812: ...".
// Errors: InvalidArgument for a file that cannot be cut: compressed, a pipe, a format that is text or one message a file; for
//   every_bytes below 1. NotFound, PermissionDenied, ... if the file cannot be read. The message names the file.
absl::StatusOr<RecordIndex> MakeRecordIndex(const std::string& path, const RecordIndexOptions& options,
                                            std::string* damage = nullptr);

// The bytes of a file with the index, and the way back. Errors: DataLoss for anything but what SerializeRecordIndex has made,
// whatever the bytes are.
std::string SerializeRecordIndex(const RecordIndex& index);
absl::StatusOr<RecordIndex> ParseRecordIndex(std::string_view bytes);

// The index in the file beside `path`; nothing if there is none. Its size, its format, and the bytes around its first and its
// last mark are those of the file.
// Errors: InvalidArgument if the index is damaged or does not fit the file, or if its format is not the one by which
//   the file would be read with these options; the message says what to do. Those of reading both files.
absl::StatusOr<std::optional<RecordIndex>> ReadRecordIndex(const std::string& path, const RecordIndexOptions& options);

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_RECORD_INDEX_H_
