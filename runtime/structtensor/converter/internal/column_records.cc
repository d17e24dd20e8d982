#include "structtensor/converter/internal/column_records.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/bridges/arrow_files/column_file_reader.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/tensor_to_messages/tensor_encoder.h"

namespace structtensor::converter_internal {
namespace {

// Rows that are in memory as columns and as messages.
constexpr int64_t kRowsAtATime = 1024;

class ColumnRecordReader : public RecordReader {
 public:
  ColumnRecordReader(std::vector<std::string> inputs, TensorEncoder encoder)
      : inputs_(std::move(inputs)), encoder_(std::move(encoder)) {}

  absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) override {
    if (max_messages == 0) return absl::InvalidArgumentError("NextBatch: max_messages is 0; expected 1 or more");
    if (!error_.ok()) return error_;
    absl::StatusOr<bool> more = Fill();
    if (!more.ok()) {
      error_ = absl::Status(more.status().code(), absl::StrCat(InputName(input()), ": ", more.status().message()));
      return error_;
    }
    if (!*more) return false;
    std::vector<std::string_view> messages;
    std::vector<RecordLocation> locations;
    size_t size_bytes = 0;
    while (next_message_ < encoded_->size() && messages.size() < max_messages) {
      const std::string_view message = (*encoded_)[next_message_];
      if (!messages.empty() && message.size() > max_bytes - std::min(max_bytes, size_bytes)) break;
      size_bytes += message.size();
      messages.push_back(message);
      locations.push_back({.input = input(), .record_number = first_row_ + static_cast<int64_t>(next_message_)});
      ++next_message_;
    }
    batch->Assign(messages, locations);
    return true;
  }

  std::string Where(const RecordLocation& location, size_t) const override {
    return absl::StrCat(InputName(location.input), " row ", location.record_number);
  }
  std::string InputName(uint32_t input) const override { return inputs_[input]; }
  int64_t bytes_read() const override { return bytes_read_; }

 private:
  // The index of the input that is open, or was last.
  uint32_t input() const { return static_cast<uint32_t>(next_input_ - 1); }

  // Makes messages of the next rows, unless there are some left. False at the end.
  absl::StatusOr<bool> Fill() {
    while (!encoded_.has_value() || next_message_ == encoded_->size()) {
      if (encoded_.has_value()) first_row_ += static_cast<int64_t>(encoded_->size());
      encoded_.reset();
      next_message_ = 0;
      if (file_ == nullptr) {
        if (next_input_ == inputs_.size()) return false;
        first_row_ = 0;
        STRUCTTENSOR_ASSIGN_OR_RETURN(file_, ColumnFileReader::Open(inputs_[next_input_++], kRowsAtATime));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> rows, file_->Next());
      if (!rows.has_value()) {
        bytes_read_ += file_->size_bytes();
        file_.reset();
        continue;
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(encoded_, encoder_.Encode(*rows, first_row_));
    }
    return true;
  }

  const std::vector<std::string> inputs_;
  TensorEncoder encoder_;
  size_t next_input_ = 0;
  std::unique_ptr<ColumnFileReader> file_;
  std::optional<EncodedBatch> encoded_;
  size_t next_message_ = 0;
  int64_t first_row_ = 0;  // of encoded_, in its file
  int64_t bytes_read_ = 0;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenColumnRecords(const plan::MessagePlan& message,
                                                                std::vector<std::string> inputs) {
  // What is missing is judged when the messages are decoded, as with any other input.
  STRUCTTENSOR_ASSIGN_OR_RETURN(TensorEncoder encoder, TensorEncoder::Create(message, {.allow_missing_required = true}));
  return std::make_unique<ColumnRecordReader>(std::move(inputs), std::move(encoder));
}

absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecordsOrColumns(const plan::MessagePlan& message,
                                                                   std::vector<std::string> inputs,
                                                                   const RecordReaderOptions& options) {
  if (options.format.has_value()) return RecordReader::Create(std::move(inputs), options);
  const auto first_column_file = std::find_if(inputs.begin(), inputs.end(), IsColumnFile);
  if (first_column_file == inputs.end()) return RecordReader::Create(std::move(inputs), options);
  const auto other = std::find_if_not(inputs.begin(), inputs.end(), IsColumnFile);
  if (other != inputs.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(*first_column_file, " is a Parquet or Arrow file, and ", *other, " is not; read one kind at a time"));
  }
  return OpenColumnRecords(message, std::move(inputs));
}

}  // namespace structtensor::converter_internal
