#include "structtensor/app/scan/internal/scan_worker.h"

#include <algorithm>
#include <cstdint>

#include "structtensor/core/base/shared/status.h"

namespace structtensor::scan_internal {

void AddInexactTimes(const std::vector<InexactTimes>& times, std::vector<InexactTimes>& sums) {
  for (const InexactTimes& of_field : times) {
    const auto known = std::find_if(sums.begin(), sums.end(),
                                    [&of_field](const InexactTimes& each) { return each.field_path == of_field.field_path; });
    if (known == sums.end()) {
      sums.push_back(of_field);
    } else {
      known->out_of_range += of_field.out_of_range;
      known->truncated += of_field.truncated;
    }
  }
}

absl::StatusOr<ScanWorker> ScanWorker::Create(const std::shared_ptr<const plan::MessagePlan>& message,
                                              const RowOptions& options, Options worker_options) {
  DecodeOptions decode = options.decode;
  decode.max_errors = -1;
  std::unique_ptr<RowFilter> filter;
  if (!options.where.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(filter, RowFilter::Create(*message, options.where, decode));
  }
  if (!options.selection.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(decode.fields, ResolveSelection(*message, options.selection, decode.recursion_depth));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(BatchDecoder decoder, BatchDecoder::Create(message, decode));
  PiecewiseDecoder pieces(std::move(decoder), {.on_error = decode.on_error,
                                               .tensor = options.tensor,
                                               .too_large = worker_options.too_large,
                                               .write_text_rows = std::move(worker_options.write_text_rows),
                                               .make_columns = worker_options.make_columns});
  return ScanWorker(std::move(filter), std::move(pieces), std::move(decode));
}

void ScanWorker::Decode(DecodedRecords& batch, const UsePiece& use) {
  batch.sources.reset();
  batch.pieces.clear();
  batch.errors.clear();
  batch.errors_in_condition.clear();
  batch.mismatches.clear();
  batch.unknown_values.clear();
  batch.inexact_times.clear();
  std::vector<uint8_t> answers;
  if (filter_ != nullptr) {
    absl::StatusOr<std::vector<uint8_t>> asked = filter_->Ask(batch.records.messages(), &batch.errors_in_condition);
    batch.status = asked.status();
    if (!asked.ok()) return;
    answers = *std::move(asked);
  }
  batch.sources.emplace(batch.records, answers, options_.on_error == DecodeOptions::OnError::kNull);
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
  batch.unknown_values = decoder_.unknown_values();
  batch.inexact_times = decoder_.inexact_times();
}

}  // namespace structtensor::scan_internal
