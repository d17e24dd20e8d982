// Batches of records to rows: what a thread of a scan does.
#ifndef STRUCTTENSOR_SCAN_INTERNAL_RECORDS_DECODER_H_
#define STRUCTTENSOR_SCAN_INTERNAL_RECORDS_DECODER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/batch_to_tensor/to_structured_tensor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/plan/plan.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/scan/internal/piecewise_decoder.h"
#include "structtensor/scan/internal/row_filter.h"
#include "structtensor/scan/internal/row_sources.h"
#include "structtensor/selection/selection.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor::scan_internal {

// A batch of records, and what became of it.
struct DecodedRecords {
  // Some of the rows, with the messages that they are made of: sources->messages() from `first_message` on.
  struct Piece {
    PiecewiseDecoder::Piece decoded;
    size_t first_message;
    std::span<const std::string_view> messages;
  };

  RecordBatch records;

  std::optional<RowSources> sources;              // nothing if the condition could not be asked
  std::vector<Piece> pieces;                      // those that were not used at once
  std::vector<MessageError> errors;               // by the index in sources->messages()
  std::vector<MessageError> errors_in_condition;  // by the index in records.messages()
  std::vector<WireTypeMismatch> mismatches;       // as `errors`
  std::vector<TimesOutOfRange> times_out_of_range;
  absl::Status status;  // those of PiecewiseDecoder::Decode
};

class RecordsDecoder {
 public:
  // `filter` may be null. `options` are those of the decoder; with kNull, records without a sound message have rows, too.
  RecordsDecoder(std::unique_ptr<RowFilter> filter, PiecewiseDecoder decoder, DecodeOptions options)
      : filter_(std::move(filter)), decoder_(std::move(decoder)), options_(std::move(options)) {}

  // Of what `selection` (or decode.fields, not both) chooses, and of the rows of which the condition `where` is true, or "".
  // The decoder keeps alive what `message` owns, which may be nothing: then the plan must outlive it. Counting max_errors is
  // left to the caller, who sees all records.
  // Errors: those of Where::Parse, ResolveSelection and BatchDecoder::Create.
  static absl::StatusOr<RecordsDecoder> Create(const std::shared_ptr<const plan::MessagePlan>& message,
                                               const Selection& selection, const std::string& where, DecodeOptions decode,
                                               const TensorOptions& tensor, TooLarge too_large);

  using UsePiece = std::function<absl::Status(DecodedRecords::Piece piece)>;

  // Fills `batch`, whose records are there. Hands the pieces to `use` as they come, whose error ends it. While it runs,
  // batch.errors has those of the pieces so far.
  void Decode(DecodedRecords& batch, const UsePiece& use);

  // How messages are decoded: the paths of what `selection` chose among it.
  const DecodeOptions& decode_options() const { return options_; }

  // A batch without records, for its schema.
  absl::StatusOr<StructuredTensor> Empty() { return decoder_.Empty(); }

 private:
  std::unique_ptr<RowFilter> filter_;
  PiecewiseDecoder decoder_;
  DecodeOptions options_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_SCAN_INTERNAL_RECORDS_DECODER_H_
