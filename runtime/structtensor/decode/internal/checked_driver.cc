#include "structtensor/decode/internal/checked_driver.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/decode/internal/batch_difference.h"

namespace structtensor::decode_internal {
namespace {

// Everything that changes which fields a decoder reads. The length in front of each path keeps different lists of paths apart.
std::string FieldsKey(const plan::MessagePlan& message, const DecodeOptions& options) {
  std::string key =
      absl::StrCat(ToAbsl(message.full_name), " ", static_cast<int>(options.unknown_fields), " ", options.recursion_depth);
  for (const std::string& field : options.fields) absl::StrAppend(&key, " ", field.size(), ":", field);
  return key;
}

std::string DifferenceOf(const absl::StatusOr<DecodedBatch>& a, std::span<const MessageError> errors_of_a,
                         const absl::StatusOr<DecodedBatch>& b, std::span<const MessageError> errors_of_b,
                         std::span<const std::string_view> messages) {
  if (a.status().code() != b.status().code()) return absl::StrCat(a.status().ToString(), " and ", b.status().ToString());
  const std::string difference = DifferenceOfErrors(errors_of_a, errors_of_b, messages);
  return !difference.empty() || !a.ok() ? difference : DifferenceOfBatches(*a, *b);
}

}  // namespace

CheckedDriver::CheckedDriver(std::shared_ptr<const plan::MessagePlan> reference, DecodeOptions options,
                             std::shared_ptr<const Projection> projection)
    : reference_(std::move(reference)),
      options_(std::move(options)),
      projection_(std::move(projection)),
      fields_(FieldsKey(*reference_, options_)) {}

absl::StatusOr<std::unique_ptr<CheckedDriver>> CheckedDriver::Make(std::shared_ptr<const plan::MessagePlan> reference,
                                                                   const DecodeOptions& options) {
  std::shared_ptr<const Projection> projection;
  if (!options.fields.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(projection, Projection::Make(*reference, options.fields));
  }
  return std::unique_ptr<CheckedDriver>(new CheckedDriver(std::move(reference), options, std::move(projection)));
}

BatchDriver& CheckedDriver::ReferenceDriver() {
  if (reference_driver_ == nullptr) {
    reference_driver_ = std::make_unique<BatchDriver>(*reference_, options_, projection_, reference_);
  }
  return *reference_driver_;
}

absl::StatusOr<DecodedBatch> CheckedDriver::Decode(BatchDriver& driver, std::span<const std::string_view> messages,
                                                   std::vector<MessageError>* errors, ColumnTree::Strings strings) {
  const DecoderCheck::Verdict verdict = options_.check->verdict(fields_);
  reference_served_ = verdict == DecoderCheck::Verdict::kDiffers;
  if (reference_served_) return ReferenceDriver().Decode(messages, errors, strings);
  // Without messages there is nothing to compare.
  if (verdict == DecoderCheck::Verdict::kEqual || messages.empty()) {
    if (verdict == DecoderCheck::Verdict::kEqual) reference_driver_.reset();
    return driver.Decode(messages, errors, strings);
  }
  std::vector<MessageError> own_errors;
  std::vector<MessageError> reference_errors;
  absl::StatusOr<DecodedBatch> own = driver.Decode(messages, &own_errors, strings);
  absl::StatusOr<DecodedBatch> reference = ReferenceDriver().Decode(messages, &reference_errors, strings);
  std::string difference = DifferenceOf(own, own_errors, reference, reference_errors, messages);
  reference_served_ = !difference.empty();
  if (reference_served_) {
    options_.check->NoteDifference(absl::StrCat(ToAbsl(reference_->full_name), ": ", difference));
  } else if (own.ok() && own->nrows() > 0) {
    // Not for a batch that failed as a whole: it was compared only up to its error.
    options_.check->NoteEqual(fields_);
  }
  std::vector<MessageError>& result_errors = reference_served_ ? reference_errors : own_errors;
  if (errors != nullptr) std::move(result_errors.begin(), result_errors.end(), std::back_inserter(*errors));
  return reference_served_ ? std::move(reference) : std::move(own);
}

}  // namespace structtensor::decode_internal
