#include "structtensor/app/scan/internal/piecewise_decoder.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::scan_internal {

namespace {

void MakeColumns(const StructuredTensor& structs) {
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    if (!structs.may_have_values(i)) continue;
    if (const StructuredTensor* const inner = structs.flat_field(i).structured(); inner != nullptr) MakeColumns(*inner);
  }
}

}  // namespace

absl::Status PiecewiseDecoder::DecodeFrom(size_t first_index, std::span<const std::string_view> messages, const UsePiece& use,
                                          std::vector<MessageError>* errors) {
  std::vector<MessageError> own_errors;
  absl::StatusOr<Piece> piece = PieceOf(messages, &own_errors);
  const bool first_broken_message = !piece.ok() && options_.on_error == DecodeOptions::OnError::kFail && !own_errors.empty();
  if (!piece.ok() && !first_broken_message) {
    if (messages.size() > 1 && options_.too_large == TooLarge::kHalve) {
      const size_t half = messages.size() / 2;
      STRUCTTENSOR_RETURN_IF_ERROR(DecodeFrom(first_index, messages.first(half), use, errors));
      return DecodeFrom(first_index + half, messages.subspan(half), use, errors);
    }
    return piece.status();
  }
  for (WireTypeMismatch mismatch : piece_mismatches_) {
    mismatch.first_message_index += static_cast<int64_t>(first_index);
    mismatches_.push_back(std::move(mismatch));
  }
  for (UnknownValues unknown : piece_unknown_values_) {
    unknown.first_message_index += static_cast<int64_t>(first_index);
    unknown_values_.push_back(std::move(unknown));
  }
  for (MessageError& error : own_errors) {
    error.message_index += static_cast<int64_t>(first_index);
    if (error.row >= 0) error.row += static_cast<int64_t>(first_index);
    errors->push_back(std::move(error));
  }
  return piece.ok() ? use(*piece, messages) : piece.status();
}

absl::StatusOr<StructuredTensor> PiecewiseDecoder::Empty() {
  assert(options_.tensor.has_value());
  std::vector<MessageError> none;
  const absl::StatusOr<Piece> piece = PieceOf({}, &none);
  if (!piece.ok()) return piece.status();
  return *piece->rows;
}

absl::StatusOr<PiecewiseDecoder::Piece> PiecewiseDecoder::PieceOf(std::span<const std::string_view> messages,
                                                                  std::vector<MessageError>* errors) {
  const auto text_rows = options_.write_text_rows == nullptr ? nullptr : std::make_shared<TextRows>();
  absl::StatusOr<DecodedBatch> columns =
      text_rows == nullptr ? DecodeColumns(messages, errors) : DecodeWithText(messages, errors, *text_rows);
  if (text_rows == nullptr) TakeNotes();
  if (!columns.ok()) return columns.status();
  const bool all_known = piece_mismatches_.empty() && piece_unknown_values_.empty();
  if (!options_.tensor.has_value()) return Piece{*std::move(columns), std::nullopt, text_rows, all_known};
  std::vector<InexactTimes> inexact_times;
  absl::StatusOr<StructuredTensor> rows = ToStructuredTensor(*columns, *options_.tensor, &inexact_times);
  if (!rows.ok()) return rows.status();  // not counted: the messages may come again, in halves
  inexact_times_.insert(inexact_times_.end(), inexact_times.begin(), inexact_times.end());
  if (options_.make_columns) MakeColumns(*rows);
  return Piece{*std::move(columns), *std::move(rows), text_rows, all_known};
}

void PiecewiseDecoder::TakeNotes() {
  piece_mismatches_ = decoder_.wire_type_mismatches();
  piece_unknown_values_ = decoder_.unknown_values();
}

absl::StatusOr<DecodedBatch> PiecewiseDecoder::DecodeColumns(std::span<const std::string_view> messages,
                                                             std::vector<MessageError>* errors) {
  return options_.views ? decoder_.DecodeViews(messages, errors) : decoder_.Decode(messages, errors);
}

// Messages whose rows have no text are found after they are decoded. If there are any, the others are decoded again: with kSkip
// without these messages, with kNull with an empty message in place of each.
absl::StatusOr<DecodedBatch> PiecewiseDecoder::DecodeWithText(std::span<const std::string_view> messages,
                                                              std::vector<MessageError>* errors, TextRows& text_rows) {
  std::vector<RowWithoutText> without;
  {
    absl::StatusOr<DecodedBatch> columns = DecodeColumns(messages, errors);
    TakeNotes();
    if (!columns.ok()) return columns;
    STRUCTTENSOR_RETURN_IF_ERROR(options_.write_text_rows(*columns, text_rows, without));
    if (without.empty()) return columns;
  }
  std::vector<uint8_t> has_row(messages.size(), 1);
  for (const MessageError& error : *errors) {
    if (options_.on_error == DecodeOptions::OnError::kSkip) has_row[static_cast<size_t>(error.message_index)] = 0;
  }
  std::vector<uint8_t> has_text(messages.size(), 1);
  auto next = without.begin();
  int64_t row = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (has_row[i] == 0 || row++ != next->row) continue;
    has_text[i] = 0;
    errors->push_back({.message_index = static_cast<int64_t>(i),
                       .row = options_.on_error == DecodeOptions::OnError::kNull ? static_cast<int64_t>(i) : -1,
                       .byte_offset = 0,
                       .field_path = next->field_path,
                       .code = "no_text",
                       .problem = next->problem,
                       .status = absl::FailedPreconditionError(absl::StrCat(
                           "message ", i, ": ", next->field_path, next->field_path.empty() ? "" : ": ", next->problem))});
    if (++next == without.end()) break;
  }
  if (options_.on_error == DecodeOptions::OnError::kFail) {
    errors->resize(1);
    return errors->front().status;
  }
  std::stable_sort(errors->begin(), errors->end(),
                   [](const MessageError& a, const MessageError& b) { return a.message_index < b.message_index; });
  std::vector<std::string_view> rest;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (has_text[i] != 0) {
      rest.push_back(messages[i]);
    } else if (options_.on_error == DecodeOptions::OnError::kNull) {
      rest.emplace_back();
    }
  }
  std::vector<MessageError> same_errors;  // as of the first time
  without.clear();
  text_rows = {};
  STRUCTTENSOR_ASSIGN_OR_RETURN(DecodedBatch columns, DecodeColumns(rest, &same_errors));
  STRUCTTENSOR_RETURN_IF_ERROR(options_.write_text_rows(columns, text_rows, without));
  if (without.empty()) return columns;
  return absl::InvalidArgumentError(absl::StrCat("a message without values has no text, so it cannot replace a broken one: ",
                                                 without.front().problem, "; `on_error=kSkip` leaves such messages out"));
}

}  // namespace structtensor::scan_internal
