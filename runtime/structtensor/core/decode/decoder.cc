#include "structtensor/core/decode/decoder.h"

#include <cassert>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/internal/batch_driver.h"
#include "structtensor/core/decode/internal/projection.h"
#include "structtensor/core/decode/shared/check_options.h"

namespace structtensor {

using Strings = column_internal::ColumnTree::Strings;

MessageError WithMessageIndex(MessageError error, int64_t message_index) {
  error.message_index = message_index;
  error.status = absl::Status(error.status.code(),
                              absl::StrCat("message ", message_index, ", byte ", error.byte_offset,
                                           error.field_path.empty() ? "" : ", field ", error.field_path, ": ", error.problem));
  return error;
}

absl::Status CheckMaxErrors(std::span<const MessageError> errors, size_t message_count, int64_t max_errors) {
  if (max_errors < 0 || errors.size() <= static_cast<size_t>(max_errors)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(errors.size(), " of ", message_count, " messages cannot be decoded, more than ",
                   base_internal::OptionText("max_errors", max_errors), "; the first: ", errors.front().status.message()));
}

BatchDecoder::BatchDecoder(const plan::MessagePlan& plan)
    : driver_(std::make_unique<decode_internal::BatchDriver>(plan, DecodeOptions(), nullptr)) {}

BatchDecoder::BatchDecoder(std::unique_ptr<decode_internal::BatchDriver> driver) : driver_(std::move(driver)) {}

absl::StatusOr<BatchDecoder> BatchDecoder::Create(const plan::MessagePlan& plan, DecodeOptions options) {
  return Create(plan, std::move(options), nullptr);
}

absl::StatusOr<BatchDecoder> BatchDecoder::Create(std::shared_ptr<const plan::MessagePlan> plan, DecodeOptions options) {
  const plan::MessagePlan& kept = *plan;
  return Create(kept, std::move(options), std::move(plan));
}

absl::StatusOr<BatchDecoder> BatchDecoder::Create(const plan::MessagePlan& plan, DecodeOptions options,
                                                  std::shared_ptr<const plan::MessagePlan> kept_plan) {
  if (plan.decode == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("no decoder was generated for ", ToAbsl(plan.full_name)));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(decode_internal::CheckOptions(options));
  std::shared_ptr<const decode_internal::Projection> projection;
  if (!options.fields.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(projection, decode_internal::Projection::Make(plan, options.fields));
  }
  return BatchDecoder(
      std::make_unique<decode_internal::BatchDriver>(plan, std::move(options), std::move(projection), std::move(kept_plan)));
}

BatchDecoder::~BatchDecoder() = default;
BatchDecoder::BatchDecoder(BatchDecoder&&) noexcept = default;
BatchDecoder& BatchDecoder::operator=(BatchDecoder&&) noexcept = default;

const plan::MessagePlan& BatchDecoder::plan() const {
  assert(driver_ != nullptr && "a decoder that was moved from");
  return driver_->plan();
}

const std::vector<WireTypeMismatch>& BatchDecoder::wire_type_mismatches() const {
  assert(driver_ != nullptr && "a decoder that was moved from");
  return driver_->wire_type_mismatches();
}

const std::vector<UnknownValues>& BatchDecoder::unknown_values() const {
  assert(driver_ != nullptr && "a decoder that was moved from");
  return driver_->unknown_values();
}

absl::StatusOr<DecodedBatch> BatchDecoder::Decode(std::span<const std::string_view> messages,
                                                  std::vector<MessageError>* errors) {
  assert(driver_ != nullptr && "a decoder that was moved from");
  return driver_->Decode(messages, errors, Strings::kCopy);
}

absl::StatusOr<DecodedBatch> BatchDecoder::DecodeViews(std::span<const std::string_view> messages,
                                                       std::vector<MessageError>* errors) {
  assert(driver_ != nullptr && "a decoder that was moved from");
  return driver_->Decode(messages, errors, Strings::kViews);
}

void BatchDecoder::Shrink() {
  assert(driver_ != nullptr && "a decoder that was moved from");
  driver_->Shrink();
  views_ = {};
}

}  // namespace structtensor
