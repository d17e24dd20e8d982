#include "structtensor/app/sinks/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/app/sinks/internal/column_file_sink.h"
#include "structtensor/app/sinks/internal/npz_sink.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

struct Ending {
  std::string_view text;
  SinkFormat format;
};
constexpr Ending kEndings[] = {{".parquet", SinkFormat::kParquet},   {".arrow", SinkFormat::kArrowFile},
                               {".feather", SinkFormat::kArrowFile}, {".arrows", SinkFormat::kArrowStream},
                               {".jsonl", SinkFormat::kJsonLines},   {".ndjson", SinkFormat::kJsonLines},
                               {".csv", SinkFormat::kCsv},           {".npz", SinkFormat::kNpz}};

bool IsColumnFile(SinkFormat format) { return format != SinkFormat::kJsonLines && format != SinkFormat::kNpz; }

constexpr size_t kBufferedLineBytes = 1 << 20;

// One JSON object per line.
class JsonLinesSink : public Sink {
 public:
  explicit JsonLinesSink(int fd) : fd_(fd) {}

  absl::Status Write(const StructuredTensor& batch) override {
    for (int64_t row = 0; row < batch.nrows(); ++row) {
      AppendJson(batch, row, text_, {.unwrap_optional = true});
      text_.push_back('\n');
      if (text_.size() >= kBufferedLineBytes) STRUCTTENSOR_RETURN_IF_ERROR(WriteText());
    }
    return absl::OkStatus();
  }

  absl::Status Flush() override {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteText());
    text_ = std::string();
    return absl::OkStatus();
  }
  int64_t buffered_bytes() const override { return static_cast<int64_t>(text_.size()); }
  int64_t retained_bytes() const override { return 0; }
  absl::Status Finish() override { return WriteText(); }

 private:
  absl::Status WriteText() {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteAll(fd_, text_));
    text_.clear();
    return absl::OkStatus();
  }

  const int fd_;
  std::string text_;
};

}  // namespace

std::string_view SinkFormatName(SinkFormat format) {
  switch (format) {
    case SinkFormat::kParquet:
      return "parquet";
    case SinkFormat::kArrowFile:
      return "arrow";
    case SinkFormat::kArrowStream:
      return "arrows";
    case SinkFormat::kJsonLines:
      return "rows";
    case SinkFormat::kCsv:
      return "csv";
    case SinkFormat::kNpz:
      return "npz";
  }
  return "";
}

std::span<const SinkFormat> SinkFormats() {
  static constexpr SinkFormat kAll[] = {SinkFormat::kParquet,   SinkFormat::kArrowFile, SinkFormat::kArrowStream,
                                        SinkFormat::kJsonLines, SinkFormat::kCsv,       SinkFormat::kNpz};
  return kAll;
}

std::optional<SinkFormat> SinkFormatOfPath(std::string_view path) {
  path = PathWithoutOptions(path);
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.text)) return ending.format;
  }
  return std::nullopt;
}

std::string SinkEndings() {
  std::string known;
  for (const Ending& ending : kEndings) absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(ending.text));
  return known;
}

std::string_view SinkEndingOf(SinkFormat format) {
  for (const Ending& ending : kEndings) {
    if (ending.format == format) return ending.text;
  }
  return "";
}

SinkCompression CompressionOf(const SinkOptions& options) {
  if (options.compression != SinkCompression::kDefault) return options.compression;
  if (!IsColumnFile(options.format)) return SinkCompression::kNone;
  return DefaultCompressionOf(sinks_internal::FileFormatOf(options.format));
}

absl::Status CheckCompression(const SinkOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompressionValue("compression", options.compression));
  if (IsColumnFile(options.format)) {
    return CheckCompression(sinks_internal::FileFormatOf(options.format), options.compression, options.compression_level);
  }
  if (CompressionOf(options) == SinkCompression::kNone && !options.compression_level.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(options.format == SinkFormat::kNpz
                                        ? "npz files are written without compression; use none"
                                        : "JSON lines have no compression of their own; use none, and a pipe to gzip or zstd");
}

absl::Status Sink::Check(const SinkOptions& options, const StructuredTensorSpec& schema) {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open /dev/null");
  const absl::Status status = Create(options, fd, schema).status();
  close(fd);
  return status;
}

absl::StatusOr<std::unique_ptr<Sink>> Sink::Create(const SinkOptions& options, int fd, const StructuredTensorSpec& schema) {
  STRUCTTENSOR_RETURN_IF_ERROR(
      base_internal::CheckEnum("format", options.format, SinkFormat::kNpz,
                               "kParquet (0), kArrowFile (1), kArrowStream (2), kJsonLines (3), kCsv (4) or kNpz (5)"));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompression(options));
  if (options.threads < 1) {
    return base_internal::UnexpectedOption("threads", std::to_string(options.threads), "1 or more");
  }
  if (IsColumnFile(options.format)) return sinks_internal::MakeColumnFileSink(options, fd, schema);
  if (options.format == SinkFormat::kNpz) return sinks_internal::MakeNpzSink(options, fd, schema);
  return std::make_unique<JsonLinesSink>(fd);
}

}  // namespace structtensor
