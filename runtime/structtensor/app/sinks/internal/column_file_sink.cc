#include "structtensor/app/sinks/internal/column_file_sink.h"

#include <cassert>
#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/column_files/column_file.h"

namespace structtensor::sinks_internal {
namespace {

class ColumnFileSink : public Sink {
 public:
  explicit ColumnFileSink(std::unique_ptr<ColumnFileWriter> writer) : writer_(std::move(writer)) {}

  absl::Status Write(const StructuredTensor& batch) override { return writer_->Write(batch); }
  absl::Status Flush() override { return writer_->Flush(); }
  int64_t buffered_bytes() const override { return writer_->buffered_bytes(); }
  int64_t retained_bytes() const override { return writer_->retained_bytes(); }
  absl::Status Finish() override { return writer_->Close(); }

 private:
  const std::unique_ptr<ColumnFileWriter> writer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFileSink(FileFormat format, const SinkOptions& options, int fd,
                                                         const StructuredTensorSpec& schema) {
  const ColumnFileOptions file_options = {.compression = options.compression,
                                          .compression_level = options.compression_level,
                                          .metadata = options.metadata,
                                          .ids = options.ids,
                                          .layouts = options.layouts,
                                          .threads = options.threads};
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<ColumnFileWriter> writer, OpenColumnFile(format, fd, schema, file_options));
  return std::make_unique<ColumnFileSink>(std::move(writer));
}

}  // namespace structtensor::sinks_internal
