// A batch driver whose first batch is compared with that of another one (decode/decoder_check.h).
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
  // `reference`: that of options.check for the message type. Errors: those of Projection::Make for options.fields.
  static absl::StatusOr<std::unique_ptr<CheckedDriver>> Make(std::shared_ptr<const plan::MessagePlan> reference,
                                                             const DecodeOptions& options);

  // What `driver` makes of the messages, or what the reference does if the two differ.
  absl::StatusOr<DecodedBatch> Decode(BatchDriver& driver, std::span<const std::string_view> messages,
                                      std::vector<MessageError>* errors);

  // Of the batch that was decoded last, by which of the two it was.
  const std::vector<WireTypeMismatch>& wire_type_mismatches(const BatchDriver& driver) const {
    return reference_served_ ? reference_driver_->wire_type_mismatches() : driver.wire_type_mismatches();
  }

 private:
  CheckedDriver(std::shared_ptr<const plan::MessagePlan> reference, DecodeOptions options,
                std::shared_ptr<const Projection> projection);

  BatchDriver& ReferenceDriver();

  std::shared_ptr<const plan::MessagePlan> reference_;
  DecodeOptions options_;
  std::shared_ptr<const Projection> projection_;   // of the reference; null: all fields
  std::string fields_;                             // what tells decoders of different fields apart
  std::unique_ptr<BatchDriver> reference_driver_;  // null while nobody needs it: its memory is that of a batch
  bool reference_served_ = false;
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_DECODE_INTERNAL_CHECKED_DRIVER_H_
