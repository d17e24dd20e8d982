// Serialized messages into files: the way back from RecordReader.
#ifndef STRUCTTENSOR_RECORDS_RECORD_WRITER_H_
#define STRUCTTENSOR_RECORDS_RECORD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/records/record_reader.h"

namespace structtensor {

// Appends `message` to `out` as one record of that format, as RecordReader reads it. Of kJson, `message` is the text that
// stands for it, in one line.
// Requires: message.size() <= kMaxRecordBytes.
void AppendRecord(RecordFormat format, std::string_view message, std::string& out);

// Writes records to a file descriptor, which stays open and belongs to the caller. What a writer still holds when it is
// destroyed is lost: call Finish().
class RecordWriter {
 public:
  RecordWriter(RecordFormat format, int fd) : format_(format), fd_(fd) {}
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Errors of both: of writing, without the file's name. InvalidArgument for a second message of a file that holds one
  // (kMessage),
  //   and for one of more than kMaxRecordBytes; Finish: if a file that holds one message got none.
  absl::Status Write(std::string_view message);
  // Writes what is left. To be called once, last.
  absl::Status Finish();

  int64_t records_written() const { return records_; }

 private:
  absl::Status Flush();

  const RecordFormat format_;
  const int fd_;
  int64_t records_ = 0;
  std::string text_;  // not yet written
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_RECORDS_RECORD_WRITER_H_
