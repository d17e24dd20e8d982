// Writes serialized messages to files that RecordReader reads.
#ifndef STRUCTTENSOR_IO_RECORDS_RECORD_WRITER_H_
#define STRUCTTENSOR_IO_RECORDS_RECORD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor {

// Appends `message` to `out` as one record of `format`, as RecordReader reads it. For kJson, `message` is the JSON text of the
// message, on one line.
// Requires: message.size() <= kMaxRecordBytes.
void AppendRecord(RecordFormat format, std::string_view message, std::string& out);

// Writes records to a file descriptor, which stays open and belongs to the caller. Call Finish(): bytes that are not yet
// written when the writer is destroyed are lost.
class RecordWriter {
 public:
  RecordWriter(RecordFormat format, int fd) : format_(format), fd_(fd) {}
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Errors of Write and Finish: errors of writing, without the file's name. InvalidArgument for a second message with kMessage,
  //   and for a message of more than kMaxRecordBytes. Finish: also if no message was written with kMessage.
  absl::Status Write(std::string_view message);
  // Writes the remaining bytes. Must be called once, last.
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

#endif  // STRUCTTENSOR_IO_RECORDS_RECORD_WRITER_H_
