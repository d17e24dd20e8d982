// Decodes batches of records to rows: the work of a thread of a scan.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_SCAN_WORKER_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_SCAN_WORKER_H_

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
#include "structtensor/app/scan/internal/piecewise_decoder.h"
#include "structtensor/app/scan/internal/row_filter.h"
#include "structtensor/app/scan/internal/row_sources.h"
#include "structtensor/app/scan/row_options.h"
#include "structtensor/app/scan/text_rows.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::scan_internal {

// A batch of records, and its results.
struct DecodedRecords {
  // Some of the rows, with the messages that they are made from: sources->messages() from `first_message` on.
  struct Piece {
    PiecewiseDecoder::Piece decoded;
    size_t first_message;
    std::span<const std::string_view> messages;
  };

  RecordBatch records;

  std::optional<RowSources> sources;              // nothing if the condition could not be evaluated
  std::vector<Piece> pieces;                      // the pieces that were not used at once
  std::vector<MessageError> errors;               // with indexes into sources->messages()
  std::vector<MessageError> errors_in_condition;  // with indexes into records.messages()
  std::vector<WireTypeMismatch> mismatches;       // with indexes into sources->messages()
  std::vector<UnknownValues> unknown_values;      // with indexes into sources->messages()
  std::vector<InexactTimes> inexact_times;
  absl::Status status;  // of the condition or of PiecewiseDecoder::Decode
};

// Adds the counts to those of the same fields in `sums`.
void AddInexactTimes(const std::vector<InexactTimes>& times, std::vector<InexactTimes>& sums);

class ScanWorker {
 public:
  // `filter` may be null. `options` are the decoder's options; with kNull, records without a valid message also have rows.
  ScanWorker(std::unique_ptr<RowFilter> filter, PiecewiseDecoder decoder, DecodeOptions options)
      : filter_(std::move(filter)), decoder_(std::move(decoder)), options_(std::move(options)) {}

  struct Options {
    TooLarge too_large;
    WriteTextRows write_text_rows = {};  // writes the rows as text, unless it is null
    bool make_columns = false;           // as in PiecewiseDecoder::Options
  };

  // The worker keeps `message` alive; if `message` does not own the plan, the plan must outlive the worker. The caller, who
  // sees all records, counts max_errors, and has the threads.
  // Errors: the errors of RowCondition::Parse, ResolveSelection and BatchDecoder::Create.
  static absl::StatusOr<ScanWorker> Create(const std::shared_ptr<const plan::MessagePlan>& message, const RowOptions& options,
                                           Options worker_options);

  using UsePiece = std::function<absl::Status(DecodedRecords::Piece piece)>;

  // Decodes batch.records and fills the rest of `batch`. Passes each piece to `use` at once; an error of `use` ends the call.
  // While `use` runs, batch.errors has the errors of the pieces so far.
  void Decode(DecodedRecords& batch, const UsePiece& use);

  // How messages are decoded, including the paths that `selection` chose.
  const DecodeOptions& decode_options() const { return options_; }

  // A batch without records, for its schema.
  absl::StatusOr<StructuredTensor> Empty() { return decoder_.Empty(); }

  // As BatchDecoder::Shrink.
  void Shrink() {
    if (filter_ != nullptr) filter_->Shrink();
    decoder_.Shrink();
  }

 private:
  std::unique_ptr<RowFilter> filter_;
  PiecewiseDecoder decoder_;
  DecodeOptions options_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_SCAN_WORKER_H_
