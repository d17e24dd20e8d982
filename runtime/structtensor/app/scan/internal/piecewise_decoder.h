// Decodes serialized messages to StructuredTensors, even if some messages are broken.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_PIECEWISE_DECODER_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_PIECEWISE_DECODER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/scan/text_rows.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::scan_internal {

// What happens to a batch whose messages exceed a limit together.
enum class TooLarge {
  // It is decoded in halves, and each half in halves if needed, until the message that exceeds the limit is alone. The rows
  // then come in several pieces, still in order.
  kHalve,
  kFail,  // an error, as BatchDecoder returns it
};

// Decodes batches.
class PiecewiseDecoder {
 public:
  // A batch as columns and, with tensor options, as rows that share the memory of the columns.
  struct Piece {
    DecodedBatch columns;
    std::optional<StructuredTensor> rows;
    std::shared_ptr<const TextRows> text_rows;  // null if nothing writes them
    bool all_known = false;                     // whether no value was unknown or had another wire type than its field
  };

  struct Options {
    DecodeOptions::OnError on_error;      // as in the decoder's options
    std::optional<TensorOptions> tensor;  // without it, pieces have columns only
    TooLarge too_large = TooLarge::kHalve;
    WriteTextRows write_text_rows = {};  // without it, pieces have no text
    bool views = false;                  // whether the strings of a piece stay in the messages (BatchDecoder::DecodeViews)
    bool make_columns = false;           // whether the columns of `rows` that may have values are made at once
  };

  PiecewiseDecoder(BatchDecoder decoder, Options options) : decoder_(std::move(decoder)), options_(std::move(options)) {}

  using UsePiece = std::function<absl::Status(const Piece& piece, std::span<const std::string_view> messages)>;

  // Passes the rows of `messages` to `use`, each piece with the messages that it was decoded from. Messages without a row, or
  // with an empty row, are added to `errors`, in order, as BatchDecoder does. A message whose row has no text is treated the
  // same; the status of its error is FailedPrecondition.
  // Errors: the errors of `use`; with kFail the error of the first broken message, which then is the only one in `errors`;
  //   ResourceExhausted, with no message in `errors`, if a limit is too small for anything (with TooLarge::kFail: for the whole
  //   batch).
  absl::Status Decode(std::span<const std::string_view> messages, const UsePiece& use, std::vector<MessageError>* errors) {
    mismatches_.clear();
    unknown_values_.clear();
    inexact_times_.clear();
    return DecodeFrom(0, messages, use, errors);
  }

  // Of the last Decode(), with indexes into its messages.
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const { return mismatches_; }
  // Of the last Decode(), with indexes into its messages: each message type once for each piece.
  const std::vector<UnknownValues>& unknown_values() const { return unknown_values_; }
  // Of the last Decode(): each field once for each piece.
  const std::vector<InexactTimes>& inexact_times() const { return inexact_times_; }

  // A batch without messages, for its schema. Requires: there are tensor options.
  absl::StatusOr<StructuredTensor> Empty();

  // As BatchDecoder::Shrink.
  void Shrink() { decoder_.Shrink(); }

 private:
  absl::Status DecodeFrom(size_t first_index, std::span<const std::string_view> messages, const UsePiece& use,
                          std::vector<MessageError>* errors);
  absl::StatusOr<Piece> PieceOf(std::span<const std::string_view> messages, std::vector<MessageError>* errors);
  // Keeps what the decoder reports about the batch that it has just decoded.
  void TakeNotes();
  absl::StatusOr<DecodedBatch> DecodeColumns(std::span<const std::string_view> messages, std::vector<MessageError>* errors);
  absl::StatusOr<DecodedBatch> DecodeWithText(std::span<const std::string_view> messages, std::vector<MessageError>* errors,
                                              TextRows& text_rows);

  BatchDecoder decoder_;
  const Options options_;
  std::vector<WireTypeMismatch> piece_mismatches_;   // of the last PieceOf()
  std::vector<UnknownValues> piece_unknown_values_;  // of the last PieceOf()
  std::vector<InexactTimes> inexact_times_;
  std::vector<WireTypeMismatch> mismatches_;
  std::vector<UnknownValues> unknown_values_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_PIECEWISE_DECODER_H_
