// Spans into Parquet files, one file after another.
#ifndef STRUCTTENSOR_EXAMPLES_OTLP_SERVICE_SPAN_FILES_H_
#define STRUCTTENSOR_EXAMPLES_OTLP_SERVICE_SPAN_FILES_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace otlp_service {

// A file has its name once it is complete: when it has `max_rows` rows, when it is `max_age` old, or when Close() is called.
// Several threads may write at once.
class SpanFiles {
 public:
  SpanFiles(std::string folder, int64_t max_rows, std::chrono::seconds max_age)
      : folder_(std::move(folder)), max_rows_(max_rows), max_age_(max_age) {}

  // Appends rows. Errors: of writing. The rows are lost then, and so is the file that they were to go to.
  absl::Status Write(const structtensor::StructuredTensor& spans);
  // Completes the file under way if it is old enough.
  absl::Status CompleteIfOld();
  // Completes the file under way. Later calls of Write begin another one.
  absl::Status Close();

 private:
  // Require: mutex_ is held.
  absl::Status Begin(const structtensor::StructuredTensor& spans);
  absl::Status Complete();

  const std::string folder_;
  const int64_t max_rows_;
  const std::chrono::seconds max_age_;
  std::mutex mutex_;
  int64_t files_ = 0;
  std::string path_;
  std::unique_ptr<structtensor::OutputFile> file_;  // null: there is no file under way
  std::unique_ptr<structtensor::Sink> sink_;
  int64_t rows_ = 0;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace otlp_service

#endif  // STRUCTTENSOR_EXAMPLES_OTLP_SERVICE_SPAN_FILES_H_
