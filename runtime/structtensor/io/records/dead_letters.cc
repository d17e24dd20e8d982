#include "structtensor/io/records/dead_letters.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/base/shared/new_file.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

constexpr size_t kBufferedBytes = 256 << 10;

void AppendLine(const BrokenRecord& letter, std::string_view file, std::string& out) {
  out += "{\"file\":";
  AppendJsonString(file, out);
  absl::StrAppend(&out, ",\"record\":", letter.location.record_number, ",\"record_offset\":", letter.bytes_offset,
                  ",\"byte_offset\":", letter.byte_offset, ",\"field_path\":");
  AppendJsonString(letter.field_path, out);
  out += ",\"code\":";
  AppendJsonString(letter.code, out);
  out += ",\"reason\":";
  AppendJsonString(letter.problem, out);
  out += "}\n";
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeadLetterWriter>> DeadLetterWriter::Open(const std::string& path, bool overwrite) {
  std::unique_ptr<DeadLetterWriter> writer(new DeadLetterWriter);
  STRUCTTENSOR_RETURN_IF_ERROR(writer->records_.Open(path, overwrite));
  // No lines are written beside /dev/null.
  if (!writer->records_.file->is_direct()) STRUCTTENSOR_RETURN_IF_ERROR(writer->lines_.Open(path + ".jsonl", overwrite));
  return writer;
}

DeadLetterWriter::~DeadLetterWriter() {
  if (count_ > 0) Close().IgnoreError();
}

absl::Status DeadLetterWriter::Add(const BrokenRecord& letter, std::string_view file) {
  AppendRecord(RecordFormat::kDelimited, letter.bytes, records_.text);
  AppendLine(letter, file, lines_.text);
  ++count_;
  return records_.text.size() + lines_.text.size() < kBufferedBytes ? absl::OkStatus() : Flush();
}

absl::Status DeadLetterWriter::Flush() {
  if (count_ == 0) return absl::OkStatus();
  if (records_.file == nullptr || records_.file->is_direct()) {
    records_.Write();
  } else {
    // A signal leaves whole letters, and as many records as lines.
    const base_internal::SignalsWait wait;
    records_.Write();
    if (records_.status.ok() && lines_.file != nullptr && !lines_.file->is_direct()) lines_.Write();
    records_.file->KeepOnSignal();
    if (lines_.file != nullptr) lines_.file->KeepOnSignal();
  }
  STRUCTTENSOR_RETURN_IF_ERROR(records_.status);
  lines_.Write();
  return lines_.status;
}

absl::Status DeadLetterWriter::Close() {
  if (!std::exchange(closed_, true)) {
    Flush().IgnoreError();
    const base_internal::SignalsWait wait;  // for both files
    // Both get their names, even if the first one fails.
    records_.Commit();
    lines_.Commit();
  }
  return records_.status.ok() ? lines_.status : records_.status;
}

DeadLetterWriter::File::File() = default;
DeadLetterWriter::File::~File() = default;

absl::Status DeadLetterWriter::File::Open(const std::string& path_to_open, bool overwrite) {
  path = path_to_open;
  STRUCTTENSOR_ASSIGN_OR_RETURN(file, base_internal::NewFile::Open(path, overwrite));
  return absl::OkStatus();
}

void DeadLetterWriter::File::Write() {
  if (file != nullptr && status.ok()) {
    status = WriteAll(file->fd(), text);
    if (status.ok()) {
      written_bytes += static_cast<int64_t>(text.size());
    } else {
      // Half a letter would be damage of its own.
      if (!file->is_direct() && ftruncate(file->fd(), written_bytes) != 0) written_bytes = -1;
      status = absl::Status(status.code(), absl::StrCat(base_internal::PrintablePath(path), ": ", status.message()));
    }
  }
  text.clear();
}

void DeadLetterWriter::File::Commit() {
  // A file that ends in half a letter does not replace a good one.
  if (file == nullptr || written_bytes < 0) return;
  const absl::Status committed = file->Commit().status();
  if (!status.ok()) return;
  status = committed;
  if (!absl::IsAlreadyExists(status)) return;
  file->LeaveTemporary();
  status = absl::AlreadyExistsError(
      absl::StrCat(status.message(), "; the dead letters are in ", base_internal::PrintablePath(file->temporary_path())));
}

}  // namespace structtensor
