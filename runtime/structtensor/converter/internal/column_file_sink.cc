#include "structtensor/converter/internal/column_file_sink.h"

#include <cassert>
#include <utility>

#include "structtensor/base/internal/status.h"
#include "structtensor/bridges/arrow_files/column_file.h"

namespace structtensor::converter_internal {
namespace {

FileFormat FileFormatOf(SinkFormat format) {
  switch (format) {
    case SinkFormat::kParquet:
      return FileFormat::kParquet;
    case SinkFormat::kArrowFile:
      return FileFormat::kArrowFile;
    case SinkFormat::kArrowStream:
      return FileFormat::kArrowStream;
    case SinkFormat::kJsonLines:
      break;
  }
  assert(false && "JSON lines are no column file");
  return FileFormat::kArrowStream;
}

class ColumnFileSink : public Sink {
 public:
  explicit ColumnFileSink(std::unique_ptr<ColumnFileWriter> writer) : writer_(std::move(writer)) {}

  absl::Status Write(const StructuredTensor& batch) override { return writer_->Write(batch); }
  absl::Status Finish() override { return writer_->Close(); }

 private:
  const std::unique_ptr<ColumnFileWriter> writer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFileSink(SinkFormat format, int fd, const StructuredTensorSpec& schema) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<ColumnFileWriter> writer, OpenColumnFile(FileFormatOf(format), fd, schema));
  return std::make_unique<ColumnFileSink>(std::move(writer));
}

}  // namespace structtensor::converter_internal
