#include "structtensor/records/dead_letters.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/fd.h"
#include "structtensor/base/internal/json_string.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/records/record_writer.h"

namespace structtensor {
namespace {

constexpr size_t kBufferedBytes = 256 << 10;

void AppendLine(const DeadLetter& letter, std::string& out) {
  out += "{\"file\":";
  AppendJsonString(letter.file, out);
  absl::StrAppend(&out, ",\"record\":", letter.record_number, ",\"record_offset\":", letter.record_offset,
                  ",\"byte_offset\":", letter.byte_offset, ",\"field_path\":");
  AppendJsonString(letter.field_path, out);
  out += ",\"reason\":";
  AppendJsonString(letter.reason, out);
  out += "}\n";
}

absl::Status CannotWrite(const std::string& path, int error_number) {
  return absl::ErrnoToStatus(error_number, absl::StrCat("cannot write ", path));
}

absl::Status Exists(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, " exists already (pass `overwrite` to replace it)"));
}

// Only regular files count as existing outputs: pipes and devices always exist before they are written to.
bool IsRegularFile(const std::string& path) {
  struct stat existing;
  return stat(path.c_str(), &existing) == 0 && S_ISREG(existing.st_mode);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeadLetterWriter>> DeadLetterWriter::Open(const std::string& path, bool overwrite) {
  const std::string lines_path = path + ".jsonl";
  if (!overwrite) {
    for (const std::string& each : {path, lines_path}) {
      if (IsRegularFile(each)) return Exists(each);
    }
  }
  std::unique_ptr<DeadLetterWriter> writer(new DeadLetterWriter);
  STRUCTTENSOR_RETURN_IF_ERROR(writer->records_.Open(path, overwrite));
  if (absl::Status status = writer->lines_.Open(lines_path, overwrite); !status.ok()) {
    if (writer->records_.is_new) unlink(path.c_str());
    return status;
  }
  return writer;
}

DeadLetterWriter::~DeadLetterWriter() { Close().IgnoreError(); }

absl::Status DeadLetterWriter::Add(const DeadLetter& letter) {
  AppendRecord(RecordFormat::kDelimited, letter.bytes, records_.text);
  AppendLine(letter, lines_.text);
  ++count_;
  return records_.text.size() + lines_.text.size() < kBufferedBytes ? absl::OkStatus() : Flush();
}

absl::Status DeadLetterWriter::Flush() {
  STRUCTTENSOR_RETURN_IF_ERROR(records_.Flush());
  return lines_.Flush();
}

absl::Status DeadLetterWriter::Close() {
  // Both are closed, even if closing the first one fails.
  const absl::Status records = records_.Close();
  const absl::Status lines = lines_.Close();
  return records.ok() ? lines : records;
}

absl::Status DeadLetterWriter::File::Open(const std::string& path_to_open, bool overwrite) {
  path = path_to_open;
  // If two writers open the same new name, one creates the file and the other one fails.
  const int only_new = overwrite ? O_TRUNC : O_EXCL;
  fd = open(path.c_str(), O_WRONLY | O_CREAT | only_new | O_CLOEXEC, 0666);
  is_new = fd >= 0 && !overwrite;
  if (fd < 0 && errno == EEXIST && !overwrite) {
    if (IsRegularFile(path)) return Exists(path);
    fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);  // a pipe, a device, a link that leads nowhere yet
  }
  return fd >= 0 ? absl::OkStatus() : CannotWrite(path, errno);
}

absl::Status DeadLetterWriter::File::Flush() {
  if (!status.ok() || text.empty()) return status;
  status = WriteAll(fd, text);
  if (!status.ok()) status = absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  text.clear();
  return status;
}

absl::Status DeadLetterWriter::File::Close() {
  if (fd < 0) return status;
  Flush().IgnoreError();
  // Some file systems report a full disk only here.
  if (close(std::exchange(fd, -1)) != 0 && status.ok()) status = CannotWrite(path, errno);
  return status;
}

}  // namespace structtensor
