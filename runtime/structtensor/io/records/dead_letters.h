// Records that could not be converted, kept so that somebody can repair them.
#ifndef STRUCTTENSOR_IO_RECORDS_DEAD_LETTERS_H_
#define STRUCTTENSOR_IO_RECORDS_DEAD_LETTERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/records/broken_record.h"

namespace structtensor {

namespace base_internal {
class NewFile;
}

// Writes dead letters to two files, in the order of the calls:
//   FILE        the records, varint-delimited. Record readers read it: once it is repaired, convert it like any other file.
//   FILE.jsonl  one line for each record:
//               {"file":"day.pb","record":7,"record_offset":812,"byte_offset":3,"field_path":"a.b",
//                "code":"truncated","reason":"..."}
// If FILE is a pipe or a device, it gets the records, and there are no lines.
//
// The files appear under their names when the writer is closed or destroyed, so existing files are not lost before there are
// new ones. Dead letters are needed most after a run that failed. So a signal that ends the process gives the files their
// names, too, with the letters that are flushed, unless there are files of these names. Without dead letters, Close() makes
// empty files, and the destructor makes none.
class DeadLetterWriter {
 public:
  // Errors: AlreadyExists if one of the files exists and `overwrite` is false; otherwise the reason why a file cannot be
  //   written. The message names the file.
  static absl::StatusOr<std::unique_ptr<DeadLetterWriter>> Open(const std::string& path, bool overwrite);

  DeadLetterWriter(const DeadLetterWriter&) = delete;
  DeadLetterWriter& operator=(const DeadLetterWriter&) = delete;
  // Closes the files if there are letters. Ignores errors.
  ~DeadLetterWriter();

  // Add, Flush and Close return errors of writing; the message names the file. After the first error the file is given up:
  // every later call returns the same error.
  // `file`: the name of the file that the record was read from. The record's location.input and advice are not written.
  absl::Status Add(const BrokenRecord& letter, std::string_view file);
  // Hands all letters to the system. The record of a letter is written before its line.
  absl::Status Flush();
  // Flushes both files and gives them their names. Must be the last call. Errors: also AlreadyExists if, without `overwrite`,
  // somebody has made such a file since Open; the letters are then in the file that the message names.
  absl::Status Close();

  int64_t count() const { return count_; }

 private:
  struct File {
    File();
    ~File();
    absl::Status Open(const std::string& path_to_open, bool overwrite);
    // Errors are kept in `status`.
    void Write();
    void Commit();

    std::string path;
    std::unique_ptr<base_internal::NewFile> file;  // null if it is not written
    int64_t written_bytes = 0;                     // of whole letters
    std::string text;                              // not yet written
    absl::Status status;                           // of writing, so far
  };

  DeadLetterWriter() = default;

  File records_;
  File lines_;
  int64_t count_ = 0;
  bool closed_ = false;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_DEAD_LETTERS_H_
