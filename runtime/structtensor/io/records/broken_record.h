// A record that cannot be used: what readers skip, scans report and dead letters keep.
#ifndef STRUCTTENSOR_IO_RECORDS_BROKEN_RECORD_H_
#define STRUCTTENSOR_IO_RECORDS_BROKEN_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace structtensor {

// Where a record is.
struct RecordLocation {
  uint32_t input = 0;         // index into the reader's inputs
  int64_t record_number = 0;  // in its input, from 0; skipped records count
  int64_t byte_offset = 0;    // of the message's first byte in its input, after decompression
  // For text; 0 for others. In a BrokenRecord of a reader: the line and the column (in bytes, from 1) where the text is wrong.
  int64_t line = 0;          // in which the text begins, from 1
  int64_t byte_in_line = 0;  // where the text begins in the line, from 0
  int64_t column = 0;        // 0: not known

  // In the order in which records are read.
  friend bool operator<(const RecordLocation& a, const RecordLocation& b) {
    return a.input != b.input ? a.input < b.input : a.record_number < b.record_number;
  }
};

// A record whose framing is damaged, that is not the text of a message, whose message cannot be decoded, or whose row has no
// text (ScanOptions::text_rows_writer). Readers also use it for the place where an input is damaged.
struct BrokenRecord {
  // What is left out. For a damaged input, everything else describes the place of the damage.
  enum class Lost : uint8_t { kRecord, kRestOfFile, kFile };

  // Of a record that a reader skips, byte_offset is where its frame begins.
  RecordLocation location = {};
  // Why, as a word that does not change; docs/formats.md has all. Refers to a literal.
  std::string_view code = {};
  std::string problem = {};  // what was found, and what was expected
  std::string advice = {};   // what to do; scans clear it for records that they skip
  // The bytes of the message that are there, a view into the batch, and where they begin in the input after decompression. The
  // whole message if its checksum is wrong; the first bytes of the message if the input ends early; of the frame if the length
  // itself is cut off. Valid as long as the batch, or as the call that hands it over.
  std::string_view bytes = {};
  int64_t bytes_offset = 0;
  Lost lost = Lost::kRecord;

  // Of a message that cannot be decoded:
  int64_t byte_offset = 0;      // of the problem, in `bytes`
  size_t header_bytes = 0;      // of the Confluent header with which `bytes` begin
  std::string field_path = {};  // "a.b.c"; "" for the message itself

  // Set by scans: all of the above, for people: "spans.bin record 3, byte 812, name: ..."
  std::string text = {};
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_BROKEN_RECORD_H_
