// Finds the messages for which a condition is true, before their other fields are decoded.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_FILTER_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_FILTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/app/filters/row_condition.h"
#include "structtensor/app/scan/internal/piecewise_decoder.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::scan_internal {

// Decodes the fields of a condition alone.
class RowFilter {
 public:
  // The limits of `decode` apply. Errors: the errors of RowCondition::Parse() and BatchDecoder::Create().
  static absl::StatusOr<std::unique_ptr<RowFilter>> Create(const plan::MessagePlan& message, const std::string& where,
                                                           DecodeOptions decode);

  RowFilter(RowCondition where, BatchDecoder decoder)
      : where_(std::move(where)),
        decoder_(std::move(decoder), {.on_error = DecodeOptions::OnError::kNull, .tensor = std::nullopt, .views = true}) {}

  enum Answer : uint8_t {
    kNo,
    kYes,
    kBroken,  // in a field of the condition
  };

  // Returns an Answer for each message: whether the condition is true. Adds broken messages to `errors`, in order, as
  // BatchDecoder does. Errors: ResourceExhausted if a limit is too small for anything.
  absl::StatusOr<std::vector<uint8_t>> Ask(std::span<const std::string_view> messages, std::vector<MessageError>* errors);

  // As BatchDecoder::Shrink.
  void Shrink() { decoder_.Shrink(); }

 private:
  const RowCondition where_;
  PiecewiseDecoder decoder_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_FILTER_H_
