#include "structtensor/scan/internal/piecewise_decoder.h"

#include <cassert>
#include <cstdint>

#include "structtensor/base/internal/status.h"

namespace structtensor::scan_internal {

absl::Status PiecewiseDecoder::DecodeFrom(size_t first_index, std::span<const std::string_view> messages, const UsePiece& use,
                                          std::vector<MessageError>* errors) {
  std::vector<MessageError> own_errors;
  absl::StatusOr<Piece> piece = PieceOf(messages, &own_errors);
  const bool first_broken_message = !piece.ok() && on_error_ == DecodeOptions::OnError::kFail && !own_errors.empty();
  if (!piece.ok() && !first_broken_message) {
    if (messages.size() > 1 && too_large_ == TooLarge::kHalve) {
      const size_t half = messages.size() / 2;
      STRUCTTENSOR_RETURN_IF_ERROR(DecodeFrom(first_index, messages.first(half), use, errors));
      return DecodeFrom(first_index + half, messages.subspan(half), use, errors);
    }
    return piece.status();
  }
  for (WireTypeMismatch mismatch : decoder_.wire_type_mismatches()) {
    mismatch.first_message_index += static_cast<int64_t>(first_index);
    mismatches_.push_back(std::move(mismatch));
  }
  for (MessageError& error : own_errors) {
    error.message_index += static_cast<int64_t>(first_index);
    if (error.row >= 0) error.row += static_cast<int64_t>(first_index);
    errors->push_back(std::move(error));
  }
  return piece.ok() ? use(*piece, messages) : piece.status();
}

absl::StatusOr<StructuredTensor> PiecewiseDecoder::Empty() {
  assert(tensor_options_.has_value());
  std::vector<MessageError> none;
  const absl::StatusOr<Piece> piece = PieceOf({}, &none);
  if (!piece.ok()) return piece.status();
  return *piece->rows;
}

absl::StatusOr<PiecewiseDecoder::Piece> PiecewiseDecoder::PieceOf(std::span<const std::string_view> messages,
                                                                  std::vector<MessageError>* errors) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(DecodedBatch columns, decoder_.Decode(messages, errors));
  if (!tensor_options_.has_value()) return Piece{std::move(columns), std::nullopt};
  std::vector<TimesOutOfRange> out_of_range;
  absl::StatusOr<StructuredTensor> rows = ToStructuredTensor(columns, *tensor_options_, &out_of_range);
  times_out_of_range_.insert(times_out_of_range_.end(), out_of_range.begin(), out_of_range.end());
  if (!rows.ok()) return rows.status();
  return Piece{std::move(columns), *std::move(rows)};
}

}  // namespace structtensor::scan_internal
