#include "structtensor/app/sinks/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/app/sinks/internal/column_file_sink.h"
#include "structtensor/app/sinks/internal/npz_sink.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

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

using MakeSink = absl::StatusOr<std::unique_ptr<Sink>> (*)(const SinkOptions& options, int fd,
                                                           const StructuredTensorSpec& schema);

template <FileFormat kFormat>
absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFile(const SinkOptions& options, int fd, const StructuredTensorSpec& schema) {
  return sinks_internal::MakeColumnFileSink(kFormat, options, fd, schema);
}

absl::StatusOr<std::unique_ptr<Sink>> MakeJsonLines(const SinkOptions&, int fd, const StructuredTensorSpec&) {
  return std::make_unique<JsonLinesSink>(fd);
}

// All that is known of a format. The list has the order of the enum.
struct FormatFacts {
  std::string_view name;
  std::string_view help;                  // in parentheses after the name; "" for none
  std::vector<std::string_view> endings;  // files have the first one
  MakeSink make;
  bool has_partitions;                        // whether several files can be written side by side
  std::optional<FileFormat> column_file;      // of io/column_files, which knows its compressions
  std::string_view without_compression = "";  // of others: why there is none, and what to do
};

const std::vector<FormatFacts>& Facts() {
  static const std::vector<FormatFacts> kFacts = {
      {"parquet", "", {".parquet"}, MakeColumnFile<FileFormat::kParquet>, true, FileFormat::kParquet},
      {"arrow", "IPC file", {".arrow", ".feather"}, MakeColumnFile<FileFormat::kArrowFile>, true, FileFormat::kArrowFile},
      {"arrows", "IPC stream", {".arrows"}, MakeColumnFile<FileFormat::kArrowStream>, true, FileFormat::kArrowStream},
      {"rows",
       "a JSON object of its columns for each row",
       {".jsonl", ".ndjson"},
       MakeJsonLines,
       true,
       std::nullopt,
       "JSON lines have no compression of their own; use none, and a pipe to gzip or zstd"},
      {"csv", "", {".csv"}, MakeColumnFile<FileFormat::kCsv>, true, FileFormat::kCsv},
      {"npz",
       "NumPy's arrays",
       {".npz"},
       sinks_internal::MakeNpzSink,
       false,
       std::nullopt,
       "npz files are written without compression; use none"},
  };
  return kFacts;
}

// Requires: a value of the enum.
const FormatFacts& FactsOf(SinkFormat format) { return Facts()[static_cast<size_t>(format)]; }

bool IsFormat(SinkFormat format) { return static_cast<int64_t>(format) >= 0 && static_cast<size_t>(format) < Facts().size(); }

}  // namespace

std::string_view SinkFormatName(SinkFormat format) { return IsFormat(format) ? FactsOf(format).name : ""; }

std::span<const SinkFormat> SinkFormats() {
  static const std::vector<SinkFormat> kAll = [] {
    std::vector<SinkFormat> all;
    for (size_t i = 0; i < Facts().size(); ++i) all.push_back(static_cast<SinkFormat>(i));
    return all;
  }();
  return kAll;
}

std::string SinkFormatsHelp() {
  std::vector<std::string> names;
  for (const FormatFacts& facts : Facts()) {
    names.push_back(
        absl::StrCat(ToAbsl(facts.name), facts.help.empty() ? "" : " (", ToAbsl(facts.help), facts.help.empty() ? "" : ")"));
  }
  const std::string last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), " or ", last);
}

std::optional<SinkFormat> SinkFormatOfPath(std::string_view path) {
  path = PathWithoutOptions(path);
  for (const SinkFormat format : SinkFormats()) {
    for (const std::string_view ending : FactsOf(format).endings) {
      if (path.ends_with(ending)) return format;
    }
  }
  return std::nullopt;
}

std::string SinkEndings() {
  std::string known;
  for (const FormatFacts& facts : Facts()) {
    for (const std::string_view ending : facts.endings) absl::StrAppend(&known, known.empty() ? "" : ", ", ToAbsl(ending));
  }
  return known;
}

std::string_view SinkEndingOf(SinkFormat format) { return FactsOf(format).endings.front(); }
bool HasPartitions(SinkFormat format) { return FactsOf(format).has_partitions; }

bool HasCompression(SinkFormat format) {
  const std::optional<FileFormat> file = FactsOf(format).column_file;
  return file.has_value() && DefaultCompressionOf(*file) != FileCompression::kNone;
}

SinkCompression CompressionOf(const SinkOptions& options) {
  if (options.compression != SinkCompression::kDefault) return options.compression;
  const std::optional<FileFormat> file = FactsOf(options.format).column_file;
  return file.has_value() ? DefaultCompressionOf(*file) : SinkCompression::kNone;
}

absl::Status CheckCompression(const SinkOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompressionValue("compression", options.compression));
  const FormatFacts& facts = FactsOf(options.format);
  if (facts.column_file.has_value()) {
    return CheckCompression(*facts.column_file, options.compression, options.compression_level);
  }
  if (CompressionOf(options) == SinkCompression::kNone && !options.compression_level.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(ToAbsl(facts.without_compression));
}

absl::Status Sink::Check(const SinkOptions& options, const StructuredTensorSpec& schema) {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open /dev/null");
  const absl::Status status = Create(options, fd, schema).status();
  close(fd);
  return status;
}

absl::StatusOr<std::unique_ptr<Sink>> Sink::Create(const SinkOptions& options, int fd, const StructuredTensorSpec& schema) {
  if (!IsFormat(options.format)) {
    return base_internal::UnexpectedOption("format", std::to_string(static_cast<int64_t>(options.format)),
                                           absl::StrCat("one of 0 to ", Facts().size() - 1, ": ", SinkFormatsHelp()));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompression(options));
  if (options.threads < 1) {
    return base_internal::UnexpectedOption("threads", std::to_string(options.threads), "1 or more");
  }
  return FactsOf(options.format).make(options, fd, schema);
}

}  // namespace structtensor
