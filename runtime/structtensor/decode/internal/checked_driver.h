// Compares the first batch of a batch driver with the batch of another driver (decode/decoder_check.h).
#ifndef STRUCTTENSOR_DECODE_INTERNAL_CHECKED_DRIVER_H_
#define STRUCTTENSOR_DECODE_INTERNAL_CHECKED_DRIVER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/decode/decoder_check.h"
#include "structtensor/decode/internal/batch_driver.h"
#include "structtensor/plan/plan.h"

namespace structtensor::decode_internal {

class CheckedDriver {
 public:
  // `reference`: the plan of options.check for the message type. Errors: the errors of Projection::Make for options.fields.
  static absl::StatusOr<std::unique_ptr<CheckedDriver>> Make(std::shared_ptr<const plan::MessagePlan> reference,
                                                             const DecodeOptions& options);

  // Returns the batch that `driver` makes, or the batch that the reference makes if the two differ.
  absl::StatusOr<DecodedBatch> Decode(BatchDriver& driver, std::span<const std::string_view> messages,
                                      std::vector<MessageError>* errors, ColumnTree::Strings strings);

  // As BatchDecoder::Shrink, for the memory of the reference.
  void Shrink() {
    if (reference_driver_ != nullptr) reference_driver_->Shrink();
  }

  // The mismatches of the last decoded batch, from the driver that decoded it.
  const std::vector<WireTypeMismatch>& wire_type_mismatches(const BatchDriver& driver) const {
    return reference_served_ ? reference_driver_->wire_type_mismatches() : driver.wire_type_mismatches();
  }
  // The unknown values that the last decoded batch has dropped, from the same driver.
  const std::vector<UnknownValues>& unknown_values(const BatchDriver& driver) const {
    return reference_served_ ? reference_driver_->unknown_values() : driver.unknown_values();
  }

 private:
  CheckedDriver(std::shared_ptr<const plan::MessagePlan> reference, DecodeOptions options,
                std::shared_ptr<const Projection> projection);

  BatchDriver& ReferenceDriver();

  std::shared_ptr<const plan::MessagePlan> reference_;
  DecodeOptions options_;
  std::shared_ptr<const Projection> projection_;   // of the reference; null: all fields
  std::string fields_;                             // identifies the set of decoded fields (DecoderCheck)
  std::unique_ptr<BatchDriver> reference_driver_;  // null until it is needed: it takes the memory of a batch
  bool reference_served_ = false;
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_DECODE_INTERNAL_CHECKED_DRIVER_H_
