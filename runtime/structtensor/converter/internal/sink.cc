#include "structtensor/converter/internal/sink.h"

#include <string>

#include "structtensor/base/internal/fd.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/converter/internal/column_file_sink.h"
#include "structtensor/tensor/text.h"

namespace structtensor::converter_internal {
namespace {

constexpr size_t kBufferedBytes = 1 << 20;

// One JSON object a line.
class JsonLinesSink : public Sink {
 public:
  explicit JsonLinesSink(int fd) : fd_(fd) {}

  absl::Status Write(const StructuredTensor& batch) override {
    for (int64_t row = 0; row < batch.nrows(); ++row) {
      AppendJson(batch, row, text_, {.unwrap_optional = true});
      text_.push_back('\n');
      if (text_.size() >= kBufferedBytes) STRUCTTENSOR_RETURN_IF_ERROR(Flush());
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

absl::StatusOr<std::unique_ptr<Sink>> MakeSink(SinkFormat format, int fd, const StructuredTensorSpec& schema) {
  if (format == SinkFormat::kJsonLines) return std::make_unique<JsonLinesSink>(fd);
  return MakeColumnFileSink(format, fd, schema);
}

}  // namespace structtensor::converter_internal
