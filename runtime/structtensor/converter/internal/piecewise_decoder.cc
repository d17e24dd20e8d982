#include "structtensor/converter/internal/piecewise_decoder.h"

#include <cstdint>
#include <string>
#include <utility>

#include "structtensor/base/internal/status.h"

namespace structtensor {

absl::Status PiecewiseDecoder::DecodeFrom(size_t first_index, std::span<const std::string_view> messages,
                                          const UseRows& use_rows, std::vector<MessageError>* errors) {
  std::vector<MessageError> own_errors;
  absl::StatusOr<StructuredTensor> rows = RowsOf(messages, &own_errors);
  const bool first_broken_message = !rows.ok() && on_error_ == DecodeOptions::OnError::kFail && !own_errors.empty();
  if (!rows.ok() && !first_broken_message) {
    if (messages.size() > 1) {
      const size_t half = messages.size() / 2;
      STRUCTTENSOR_RETURN_IF_ERROR(DecodeFrom(first_index, messages.first(half), use_rows, errors));
      return DecodeFrom(first_index + half, messages.subspan(half), use_rows, errors);
    }
    if (absl::IsResourceExhausted(rows.status()) || messages.empty()) return rows.status();
    // The message can be decoded, but its tensor cannot be made.
    own_errors.push_back(
        {0, on_error_ == DecodeOptions::OnError::kNull ? 0 : -1, 0, "", std::string(rows.status().message()), rows.status()});
    // An empty message has the row of one that cannot be decoded, unless it is one.
    std::vector<MessageError> ignored;
    const std::string_view empty;
    if (on_error_ == DecodeOptions::OnError::kNull) rows = RowsOf(std::span(&empty, 1), &ignored);
    if (on_error_ == DecodeOptions::OnError::kSkip) rows = Empty();
  }
  for (MessageError& error : own_errors) {
    error.message_index += static_cast<int64_t>(first_index);
    if (error.row >= 0) error.row += static_cast<int64_t>(first_index);
    errors->push_back(std::move(error));
  }
  return rows.ok() ? use_rows(*rows) : rows.status();
}

absl::StatusOr<StructuredTensor> PiecewiseDecoder::RowsOf(std::span<const std::string_view> messages,
                                                          std::vector<MessageError>* errors) {
  STRUCTTENSOR_RETURN_IF_ERROR(decoder_.status());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DecodedBatch batch, decoder_->Decode(messages, errors));
  return ToStructuredTensor(batch, tensor_options_);
}

}  // namespace structtensor
