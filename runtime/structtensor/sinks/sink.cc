#include "structtensor/sinks/sink.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/fd.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/sinks/internal/column_file_sink.h"
#include "structtensor/tensor/text.h"

namespace structtensor {
namespace {

struct Ending {
  std::string_view text;
  SinkFormat format;
};
constexpr Ending kEndings[] = {{".parquet", SinkFormat::kParquet},
                               {".arrow", SinkFormat::kArrowFile},
                               {".feather", SinkFormat::kArrowFile},
                               {".arrows", SinkFormat::kArrowStream},
                               {".jsonl", SinkFormat::kJsonLines},
                               {".ndjson", SinkFormat::kJsonLines},
                               {".csv", SinkFormat::kCsv}};

constexpr size_t kBufferedLineBytes = 1 << 20;

// One JSON object a line.
class JsonLinesSink : public Sink {
 public:
  explicit JsonLinesSink(int fd) : fd_(fd) {}

  absl::Status Write(const StructuredTensor& batch) override {
    for (int64_t row = 0; row < batch.nrows(); ++row) {
      AppendJson(batch, row, text_, {.unwrap_optional = true});
      text_.push_back('\n');
      if (text_.size() >= kBufferedLineBytes) STRUCTTENSOR_RETURN_IF_ERROR(Flush());
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override { return Flush(); }

 private:
  absl::Status Flush() {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteAll(fd_, text_));
    text_.clear();
    return absl::OkStatus();
  }

  const int fd_;
  std::string text_;
};

}  // namespace

std::optional<SinkFormat> SinkFormatOfPath(std::string_view path) {
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

absl::StatusOr<std::unique_ptr<Sink>> Sink::Create(const SinkOptions& options, int fd, const StructuredTensorSpec& schema) {
  if (options.threads < 1) {
    return absl::InvalidArgumentError(absl::StrCat("SinkOptions::threads = ", options.threads, "; expected 1 or more"));
  }
  if (options.format != SinkFormat::kJsonLines) return sinks_internal::MakeColumnFileSink(options, fd, schema);
  if (options.compression != SinkCompression::kDefault && options.compression != SinkCompression::kNone) {
    return absl::InvalidArgumentError("JSON lines have no compression of their own; use none, and a pipe to gzip or zstd");
  }
  return std::make_unique<JsonLinesSink>(fd);
}

}  // namespace structtensor
