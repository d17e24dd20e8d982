// The batch driver: serialized messages in, one finished column tree out.
#ifndef STRUCTTENSOR_CORE_DECODE_INTERNAL_BATCH_DRIVER_H_
#define STRUCTTENSOR_CORE_DECODE_INTERNAL_BATCH_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/decode/abi/context.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/decode/internal/projection.h"
#include "structtensor/core/decode/shared/tree_pool.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::decode_internal {

// The implementation of BatchDecoder.
class BatchDriver {
 public:
  // `kept_plan`: null, or `plan`, which the driver and its batches then keep alive.
  // Requires: `options` are in their ranges; `projection` is made from options.fields, or null for all fields.
  BatchDriver(const plan::MessagePlan& plan, DecodeOptions options, std::shared_ptr<const Projection> projection,
              std::shared_ptr<const plan::MessagePlan> kept_plan = nullptr);

  // With Strings::kViews, as BatchDecoder::DecodeViews.
  absl::StatusOr<DecodedBatch> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors,
                                      ColumnTree::Strings strings);

  // As BatchDecoder::Shrink.
  void Shrink();

  // The plan of its batches.
  const plan::MessagePlan& plan() const { return projection_ != nullptr ? projection_->plan() : *plan_; }

  // The mismatches of the last decoded batch.
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const { return mismatches_; }
  // The unknown values that the last decoded batch has dropped.
  const std::vector<UnknownValues>& unknown_values() const { return unknown_values_; }

 private:
  // What is wrong with a message, before it is put into words.
  struct Problem {
    size_t message_index = 0;
    DecodeError code = DecodeError::kNone;
    size_t byte_offset = 0;
    std::string field_path = {};
    ValueSizes sizes = {};
  };

  absl::Status CheckBatchSize(std::span<const std::string_view> messages);
  absl::StatusOr<DecodedBatch> DecodeOnce(std::span<const std::string_view> messages);
  std::vector<Problem> FindOversized(std::span<const std::string_view> messages) const;
  void ClearCopies();

  // The stages of DecodeOnce.
  bool Start(size_t message_count);
  // Where a run of messages ended: at the message `next`, or after the last one. `broken`: if this message was decoded and is
  // broken, where it was read. Then Undo comes next.
  struct RunEnd {
    size_t next;
    const uint8_t* broken;
  };
  RunEnd DecodeRun(std::span<const std::string_view> messages, size_t next);
  bool DecodeRow(std::string_view message, Problem* problem);
  void Undo(std::string_view message, const uint8_t* begin, Problem* problem);
  bool HasSlack(std::string_view message) const;
  const uint8_t* CopyWithSlack(std::string_view message);
  void AddRow(size_t message_index);
  void AddBrokenMessage(const Problem& problem);
  void AddError(const Problem& problem);
  bool HasTooLongErrors() const;
  void DropRowsMissingRequired();
  void ListWireTypeMismatches();
  void ListUnknownValues();
  absl::StatusOr<DecodedBatch> Finish(size_t message_count);
  absl::Status TooManyErrors(size_t message_count) const;
  absl::Status FailAtLimit(Problem problem, size_t message_count);

  const plan::MessagePlan* plan_;
  DecodeOptions options_;
  std::shared_ptr<const Projection> projection_;  // null: all fields
  std::shared_ptr<TreePool> pool_;
  const bool sanitized_;             // a sanitizer checks the memory of the process
  const uintptr_t last_with_slack_;  // a message that ends later in its page, or at this place, is decoded from a copy

  // The batch under way.
  TreeRef tree_;
  bool tree_is_fresh_ = false;  // has served no other batch
  DecodeContext context_;
  std::vector<MessageError>* errors_ = nullptr;
  size_t errors_begin_ = 0;  // of this batch, in *errors_
  std::vector<MessageError> own_errors_;
  size_t error_bytes_ = 0;          // memory of the errors of this batch
  std::vector<Problem> oversized_;  // messages that no batch can hold, in order
  std::optional<Problem> limit_;    // the limit of the batch that the last pass has hit
  absl::Status failure_;
  uint32_t row_ = 0;
  std::vector<int64_t> message_of_row_;  // filled once a message has been skipped
  std::vector<WireTypeMismatch> mismatches_;
  std::vector<UnknownValues> unknown_values_;
  size_t input_bytes_ = 0;
  ColumnTree::Strings strings_ = ColumnTree::Strings::kCopy;
  std::vector<std::string> copies_;  // of messages, with a sanitizer
  size_t copies_used_ = 0;
  std::vector<ColumnTree::CopiedMessage> copied_;  // messages whose strings must not stay in the copy
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_CORE_DECODE_INTERNAL_BATCH_DRIVER_H_
