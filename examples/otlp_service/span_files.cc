#include "span_files.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace otlp_service {

absl::Status SpanFiles::Write(const structtensor::StructuredTensor& spans) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    absl::Status begun = Begin(spans);
    if (!begun.ok()) return begun;
  }
  absl::Status written = sink_->Write(spans);
  if (!written.ok()) {
    file_.reset();  // removes what there is of it
    return written;
  }
  rows_ += spans.nrows();
  return rows_ >= max_rows_ ? Complete() : absl::OkStatus();
}

absl::Status SpanFiles::CompleteIfOld() {
  const std::lock_guard lock(mutex_);
  const bool old = file_ != nullptr && std::chrono::steady_clock::now() - begun_ >= max_age_;
  return old ? Complete() : absl::OkStatus();
}

absl::Status SpanFiles::Close() {
  const std::lock_guard lock(mutex_);
  return file_ == nullptr ? absl::OkStatus() : Complete();
}

absl::Status SpanFiles::Begin(const structtensor::StructuredTensor& spans) {
  // The time keeps the names of one run apart from those of others, and the number those of a millisecond.
  path_ = absl::StrFormat("%s/spans-%d-%d.parquet", folder_, absl::ToUnixMillis(absl::Now()), files_++);
  auto file = structtensor::OutputFile::Open(path_, /*overwrite=*/false);
  if (!file.ok()) return file.status();
  const structtensor::TypeSpec schema = structtensor::TypeSpec(spans.spec()).WithUnknownSizes();
  auto sink = structtensor::Sink::Create({.format = structtensor::SinkFormat::kParquet}, (*file)->fd(), *schema.structured());
  if (!sink.ok()) return sink.status();
  file_ = *std::move(file);
  sink_ = *std::move(sink);
  rows_ = 0;
  begun_ = std::chrono::steady_clock::now();
  return absl::OkStatus();
}

absl::Status SpanFiles::Complete() {
  const auto file = std::move(file_);
  absl::Status finished = sink_->Finish();
  sink_.reset();
  if (finished.ok()) finished = file->Commit().status();
  if (finished.ok()) std::fprintf(stderr, "%s: %" PRId64 " spans\n", path_.c_str(), rows_);
  return finished;
}

}  // namespace otlp_service
