#include "structtensor/converter/internal/piecewise_decoder.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "structtensor/base/internal/status.h"

namespace structtensor::converter_internal {

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
    return rows.status();
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
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DecodedBatch batch, decoder_.Decode(messages, errors));
  std::vector<TimesOutOfRange> out_of_range;
  absl::StatusOr<StructuredTensor> rows = ToStructuredTensor(batch, tensor_options_, &out_of_range);
  for (TimesOutOfRange& times : out_of_range) {
    const auto known = std::find_if(times_out_of_range_.begin(), times_out_of_range_.end(),
                                    [&times](const TimesOutOfRange& each) { return each.field_path == times.field_path; });
    if (known == times_out_of_range_.end()) {
      times_out_of_range_.push_back(std::move(times));
    } else {
      known->count += times.count;
    }
  }
  return rows;
}

}  // namespace structtensor::converter_internal
