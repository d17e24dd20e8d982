// Serialized messages to StructuredTensors, whatever is wrong with some of them.
#ifndef STRUCTTENSOR_SCAN_INTERNAL_PIECEWISE_DECODER_H_
#define STRUCTTENSOR_SCAN_INTERNAL_PIECEWISE_DECODER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/batch_to_tensor/to_structured_tensor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor::scan_internal {

// What becomes of a batch whose messages exceed a limit together.
enum class TooLarge {
  // It is decoded in halves, and those in halves, so that at last the message that is to blame is alone. The rows then come in
  // several pieces, still in order.
  kHalve,
  kFail,  // an error, as of BatchDecoder
};

// Decodes batches.
class PiecewiseDecoder {
 public:
  // A batch, as columns and, if they are wanted, as the rows that share their memory.
  struct Piece {
    DecodedBatch columns;
    std::optional<StructuredTensor> rows;
  };

  // `on_error` is that of the decoder's options. Without tensor options, pieces have columns only.
  PiecewiseDecoder(BatchDecoder decoder, DecodeOptions::OnError on_error, std::optional<TensorOptions> tensor_options,
                   TooLarge too_large = TooLarge::kHalve)
      : decoder_(std::move(decoder)), on_error_(on_error), tensor_options_(tensor_options), too_large_(too_large) {}

  using UsePiece = std::function<absl::Status(const Piece& piece, std::span<const std::string_view> messages)>;

  // Hands the rows of `messages` to `use`, each piece with the messages that were decoded for it. Messages without a row, or
  // with an empty one, are added to `errors`, in order, as BatchDecoder does it.
  // Errors: those of `use`; with kFail that of the first broken message, which then is the only one in `errors`;
  //   ResourceExhausted if a limit is too small for anything (with TooLarge::kFail: for all of it), with no message in
  //   `errors`.
  absl::Status Decode(std::span<const std::string_view> messages, const UsePiece& use, std::vector<MessageError>* errors) {
    mismatches_.clear();
    times_out_of_range_.clear();
    return DecodeFrom(0, messages, use, errors);
  }

  // Of the last Decode(), by the messages' index in it.
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const { return mismatches_; }
  // Likewise: of each piece, a field once.
  const std::vector<TimesOutOfRange>& times_out_of_range() const { return times_out_of_range_; }

  // A batch without messages, for its schema. Requires: there are tensor options.
  absl::StatusOr<StructuredTensor> Empty();

 private:
  absl::Status DecodeFrom(size_t first_index, std::span<const std::string_view> messages, const UsePiece& use,
                          std::vector<MessageError>* errors);
  absl::StatusOr<Piece> PieceOf(std::span<const std::string_view> messages, std::vector<MessageError>* errors);

  BatchDecoder decoder_;
  const DecodeOptions::OnError on_error_;
  const std::optional<TensorOptions> tensor_options_;
  const TooLarge too_large_;
  std::vector<TimesOutOfRange> times_out_of_range_;
  std::vector<WireTypeMismatch> mismatches_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_SCAN_INTERNAL_PIECEWISE_DECODER_H_
