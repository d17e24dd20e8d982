#include "structtensor/app/scan/internal/row_filter.h"

#include <cstddef>

#include "structtensor/core/base/shared/status.h"

namespace structtensor::scan_internal {

absl::StatusOr<std::unique_ptr<RowFilter>> RowFilter::Create(const plan::MessagePlan& message, const std::string& where,
                                                             DecodeOptions decode) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowCondition condition, RowCondition::Parse(where, message));
  decode.fields = condition.fields();
  decode.on_error = DecodeOptions::OnError::kNull;  // a row for each message
  decode.max_errors = -1;
  decode.recursion_depth = 0;
  decode.unknown_fields = DecodeOptions::UnknownFields::kDrop;
  decode.allow_missing_required = true;
  STRUCTTENSOR_ASSIGN_OR_RETURN(BatchDecoder decoder, BatchDecoder::Create(message, std::move(decode)));
  return std::make_unique<RowFilter>(std::move(condition), std::move(decoder));
}

absl::StatusOr<std::vector<uint8_t>> RowFilter::Ask(std::span<const std::string_view> messages,
                                                    std::vector<MessageError>* errors) {
  static_assert(kNo == 0 && kYes == 1, "what RowCondition::Evaluate returns");
  std::vector<uint8_t> answers;
  STRUCTTENSOR_RETURN_IF_ERROR(decoder_.Decode(
      messages,
      [&](const PiecewiseDecoder::Piece& piece, std::span<const std::string_view>) {
        const std::vector<uint8_t> of_piece = where_.Evaluate(piece.columns);
        answers.insert(answers.end(), of_piece.begin(), of_piece.end());
        return absl::OkStatus();
      },
      errors));
  for (const MessageError& error : *errors) answers[static_cast<size_t>(error.message_index)] = kBroken;
  return answers;
}

}  // namespace structtensor::scan_internal
