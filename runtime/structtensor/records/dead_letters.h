// Records that could not be converted, kept for whoever mends them.
#ifndef STRUCTTENSOR_RECORDS_DEAD_LETTERS_H_
#define STRUCTTENSOR_RECORDS_DEAD_LETTERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

struct DeadLetter {
  std::string_view bytes = {};       // of the record, whatever they are
  std::string_view file = {};        // that it was read from
  int64_t record_number = 0;         // in that file, from 0
  int64_t record_offset = 0;         // of `bytes` in that file, after decompression
  int64_t byte_offset = 0;           // of the problem, within `bytes`
  std::string_view field_path = {};  // "a.b.c"; "" for the record itself
  std::string_view reason = {};
};

// Writes dead letters to two files, in the order in which they come:
//   FILE        the records, varint-delimited, as record readers read them: after mending, convert it as any other file
//   FILE.jsonl  a line for each:
//               {"file":"day.pb","record":7,"record_offset":812,"byte_offset":3,"field_path":"a.b","reason":"..."}
// Unlike other outputs they appear at once under their names and are there, empty, if there is nothing to complain about.
// Whatever ends the program, the letters that were flushed stay: a run that fails is the one whose dead letters are wanted.
class DeadLetterWriter {
 public:
  // Errors: AlreadyExists if one of the files is there and not `overwrite`; else why it cannot be written. Messages name the
  // file.
  static absl::StatusOr<std::unique_ptr<DeadLetterWriter>> Open(const std::string& path, bool overwrite);

  DeadLetterWriter(const DeadLetterWriter&) = delete;
  DeadLetterWriter& operator=(const DeadLetterWriter&) = delete;
  // Flushes and closes what is open, without a word about errors.
  ~DeadLetterWriter();

  // Errors of these three: those of writing; the message names the file. A file that could not be written once is given up:
  // every later call returns the same error.
  absl::Status Add(const DeadLetter& letter);
  // Hands all letters to the system, of each the record before its line.
  absl::Status Flush();
  // Flushes and closes both files. To be called last.
  absl::Status Close();

  int64_t count() const { return count_; }

 private:
  struct File {
    std::string path;
    int fd = -1;
    bool is_new = false;  // Open has made it
    std::string text;     // not yet written
    absl::Status status;  // of writing, so far

    absl::Status Open(const std::string& path_to_open, bool overwrite);
    absl::Status Flush();
    absl::Status Close();
  };

  DeadLetterWriter() = default;

  File records_;
  File lines_;
  int64_t count_ = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_DEAD_LETTERS_H_
