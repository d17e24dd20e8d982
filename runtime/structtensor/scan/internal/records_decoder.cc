#include "structtensor/scan/internal/records_decoder.h"

#include <cstdint>

namespace structtensor::scan_internal {

void RecordsDecoder::Decode(DecodedRecords& batch, const UsePiece& use) {
  batch.sources.reset();
  batch.pieces.clear();
  batch.errors.clear();
  batch.errors_in_condition.clear();
  batch.mismatches.clear();
  batch.times_out_of_range.clear();
  std::vector<uint8_t> answers;
  if (filter_ != nullptr) {
    absl::StatusOr<std::vector<uint8_t>> asked = filter_->Ask(batch.records.messages(), &batch.errors_in_condition);
    batch.status = asked.status();
    if (!asked.ok()) return;
    answers = *std::move(asked);
  }
  batch.sources.emplace(batch.records, answers, null_rows_);
  size_t first_message = 0;
  batch.status = decoder_.Decode(
      batch.sources->messages(),
      [&](const PiecewiseDecoder::Piece& piece, std::span<const std::string_view> messages) {
        const size_t first = std::exchange(first_message, first_message + messages.size());
        if (piece.rows->nrows() == 0) return absl::OkStatus();
        return use({piece, first, messages});
      },
      &batch.errors);
  batch.mismatches = decoder_.wire_type_mismatches();
  batch.times_out_of_range = decoder_.times_out_of_range();
}

}  // namespace structtensor::scan_internal
