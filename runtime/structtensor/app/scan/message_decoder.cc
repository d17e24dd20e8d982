#include "structtensor/app/scan/message_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/app/scan/internal/scan_worker.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/core/base/shared/ordered_pool.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using scan_internal::DecodedRecords;
using scan_internal::ScanWorker;
using OnError = DecodeOptions::OnError;

// Fewer bytes are decoded in less time than it takes to start a thread.
constexpr size_t kLeastBytesOfPart = size_t{64} << 10;

void KeepPieces(ScanWorker& decoder, DecodedRecords& part) {
  decoder.Decode(part, [&part](DecodedRecords::Piece piece) {
    part.pieces.push_back(std::move(piece));
    return absl::OkStatus();
  });
}

// The errors of the messages of a part, ordered by the index of the message in the whole list. `first_row`: the first row of
// the part in the result.
std::vector<MessageError> ErrorsOf(DecodedRecords& part, int64_t first_row, bool null_rows) {
  const auto index_in_list = [&part](int64_t index) {
    return part.records.locations()[static_cast<size_t>(index)].record_number;
  };
  std::vector<MessageError> errors;
  if (part.sources.has_value()) {
    std::vector<MessageError> decoded = std::move(part.errors);
    for (MessageError& error : decoded) error.row = null_rows ? first_row + error.message_index : -1;
    errors = part.sources->ErrorsOfRecords(std::move(decoded));
  }
  for (MessageError& error : errors) {
    const int64_t index = index_in_list(error.message_index);
    error = WithMessageIndex(std::move(error), index);
  }
  // Messages whose condition could not be evaluated are in the same order as their rows.
  size_t row = 0;
  for (MessageError& error : part.errors_in_condition) {
    error.row = -1;
    if (null_rows && part.sources.has_value()) {
      while (!part.sources->IsPlaceholder(row)) ++row;
      error.row = first_row + static_cast<int64_t>(row++);
    }
    const int64_t index = index_in_list(error.message_index);
    errors.push_back(WithMessageIndex(std::move(error), index));
  }
  std::stable_sort(errors.begin(), errors.end(),
                   [](const MessageError& a, const MessageError& b) { return a.message_index < b.message_index; });
  return errors;
}

}  // namespace

class MessageDecoder::Impl {
 public:
  Impl(std::shared_ptr<const plan::MessagePlan> message, RowOptions options)
      : message_(std::move(message)), options_(std::move(options)) {}

  absl::Status Open() {
    STRUCTTENSOR_RETURN_IF_ERROR(scan_internal::CheckRowOptions(options_));
    STRUCTTENSOR_RETURN_IF_ERROR(MakeWorkers(1));
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, decoders_.front().Empty());
    return absl::OkStatus();
  }

  const StructuredTensor& empty() const { return *empty_; }
  const std::vector<UnknownValues>& unknown_values() const { return unknown_values_; }
  const std::vector<InexactTimes>& inexact_times() const { return inexact_times_; }

  void Shrink() {
    for (ScanWorker& decoder : decoders_) decoder.Shrink();
  }

  absl::StatusOr<StructuredTensor> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors) {
    std::vector<std::unique_ptr<DecodedRecords>> parts = PartsOf(messages);
    STRUCTTENSOR_RETURN_IF_ERROR(MakeWorkers(parts.size()));
    if (parts.size() == 1) {
      KeepPieces(decoders_.front(), *parts.front());
      return RowsOf(std::move(parts), messages.size(), errors);
    }
    base_internal::OrderedPool<DecodedRecords> pool(
        parts.size(), [this](size_t worker, DecodedRecords& part) { KeepPieces(decoders_[worker], part); });
    for (std::unique_ptr<DecodedRecords>& part : parts) pool.Add(std::move(part));
    for (std::unique_ptr<DecodedRecords>& part : parts) part = pool.TakeFirst();
    return RowsOf(std::move(parts), messages.size(), errors);
  }

 private:
  absl::Status MakeWorkers(size_t count) {
    while (decoders_.size() < count) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(ScanWorker decoder, ScanWorker::Create(message_, options_,
                                                                           {.too_large = scan_internal::TooLarge::kFail,
                                                                            .make_columns = options_.threads > 1}));
      decoders_.push_back(std::move(decoder));
    }
    return absl::OkStatus();
  }

  // Divides the list into parts of about equal size in bytes. There is at least one part.
  std::vector<std::unique_ptr<DecodedRecords>> PartsOf(std::span<const std::string_view> messages) const {
    size_t size_bytes = 0;
    if (options_.threads > 1) {
      for (const std::string_view message : messages) size_bytes += message.size();
    }
    const size_t count = std::clamp<size_t>(size_bytes / kLeastBytesOfPart, 1, static_cast<size_t>(options_.threads));
    std::vector<std::unique_ptr<DecodedRecords>> parts;
    size_t first = 0;
    for (size_t i = 1; i <= count; ++i) {
      size_t end = first;
      for (size_t bytes = 0; i < count && end < messages.size() && bytes < size_bytes / count; ++end) {
        bytes += messages[end].size();
      }
      if (i == count) end = messages.size();
      parts.push_back(std::make_unique<DecodedRecords>());
      parts.back()->records.AssignViews(messages.subspan(first, end - first), static_cast<int64_t>(first));
      first = end;
    }
    return parts;
  }

  absl::StatusOr<StructuredTensor> RowsOf(std::vector<std::unique_ptr<DecodedRecords>> parts, size_t message_count,
                                          std::vector<MessageError>* errors) {
    unknown_values_.clear();
    inexact_times_.clear();
    std::vector<Value> rows;
    std::vector<MessageError> all_errors;
    int64_t first_row = 0;
    for (const std::unique_ptr<DecodedRecords>& part : parts) {
      AddUnknownValues(*part);
      scan_internal::AddInexactTimes(part->inexact_times, inexact_times_);
      std::vector<MessageError> of_part = ErrorsOf(*part, first_row, options_.decode.on_error == OnError::kNull);
      if (options_.decode.on_error == OnError::kFail && !of_part.empty()) {
        const absl::Status status = of_part.front().status;
        if (errors != nullptr) errors->push_back(std::move(of_part.front()));
        return status;
      }
      STRUCTTENSOR_RETURN_IF_ERROR(part->status);
      std::move(of_part.begin(), of_part.end(), std::back_inserter(all_errors));
      for (DecodedRecords::Piece& piece : part->pieces) {
        first_row += piece.decoded.rows->nrows();
        rows.emplace_back(*std::move(piece.decoded.rows));
      }
      part->pieces.clear();  // frees the memory that the rows do not use
    }
    const absl::Status too_many = CheckMaxErrors(all_errors, message_count, options_.decode.max_errors);
    if (errors != nullptr) std::move(all_errors.begin(), all_errors.end(), std::back_inserter(*errors));
    STRUCTTENSOR_RETURN_IF_ERROR(too_many);
    if (rows.empty()) return *empty_;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value joined, Concat(rows, 0));
    return *joined.structured();
  }

  void AddUnknownValues(const DecodedRecords& part) {
    for (UnknownValues values : part.unknown_values) {
      const auto known = std::find_if(unknown_values_.begin(), unknown_values_.end(), [&values](const UnknownValues& each) {
        return each.message_type == values.message_type;
      });
      if (known != unknown_values_.end()) {
        known->fields += values.fields;
        known->enum_numbers += values.enum_numbers;
        continue;
      }
      const int64_t index = part.sources->IndexInBatch(static_cast<size_t>(values.first_message_index));
      values.first_message_index = part.records.locations()[static_cast<size_t>(index)].record_number;
      unknown_values_.push_back(std::move(values));
    }
  }

  const std::shared_ptr<const plan::MessagePlan> message_;
  const RowOptions options_;
  std::vector<ScanWorker> decoders_;  // one for each thread that was needed so far
  std::optional<StructuredTensor> empty_;
  std::vector<UnknownValues> unknown_values_;
  std::vector<InexactTimes> inexact_times_;
};

MessageDecoder::MessageDecoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MessageDecoder::~MessageDecoder() = default;
MessageDecoder::MessageDecoder(MessageDecoder&&) noexcept = default;
MessageDecoder& MessageDecoder::operator=(MessageDecoder&&) noexcept = default;

absl::StatusOr<MessageDecoder> MessageDecoder::Create(std::shared_ptr<const plan::MessagePlan> message, RowOptions options) {
  auto impl = std::make_unique<Impl>(std::move(message), std::move(options));
  STRUCTTENSOR_RETURN_IF_ERROR(impl->Open());
  return MessageDecoder(std::move(impl));
}

const StructuredTensor& MessageDecoder::empty() const { return impl_->empty(); }

const std::vector<InexactTimes>& MessageDecoder::inexact_times() const { return impl_->inexact_times(); }

const std::vector<UnknownValues>& MessageDecoder::unknown_values() const { return impl_->unknown_values(); }

void MessageDecoder::Shrink() { impl_->Shrink(); }

absl::StatusOr<StructuredTensor> MessageDecoder::Decode(std::span<const std::string_view> messages,
                                                        std::vector<MessageError>* errors) {
  return impl_->Decode(messages, errors);
}

}  // namespace structtensor
