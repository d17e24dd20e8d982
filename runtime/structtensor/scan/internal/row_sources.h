// Which messages of a batch of records become rows.
#ifndef STRUCTTENSOR_SCAN_INTERNAL_ROW_SOURCES_H_
#define STRUCTTENSOR_SCAN_INTERNAL_ROW_SOURCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "structtensor/decode/decoder.h"
#include "structtensor/records/record_reader.h"
#include "structtensor/scan/internal/row_filter.h"

namespace structtensor::scan_internal {

// The messages that the rows of a batch are made of: those that the filter said yes to (of none: all). Where records without a
// sound message have rows, too, an empty message stands for each.
class RowSources {
 public:
  RowSources(const RecordBatch& batch, const std::vector<uint8_t>& answers, bool rows_for_damaged_records) {
    auto damaged = batch.skipped().begin();
    const auto damaged_end = rows_for_damaged_records ? batch.skipped().end() : damaged;
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      for (; damaged != damaged_end && damaged->location < batch.locations()[i]; ++damaged) AddStandIn();
      const uint8_t answer = answers.empty() ? uint8_t{RowFilter::kYes} : answers[i];
      if (answer == RowFilter::kYes) {
        messages_.push_back(batch.messages()[i]);
        index_in_batch_.push_back(static_cast<int64_t>(i));
      } else if (answer == RowFilter::kBroken && rows_for_damaged_records) {
        AddStandIn();
      }
    }
    for (; damaged != damaged_end; ++damaged) AddStandIn();
  }

  std::span<const std::string_view> messages() const { return messages_; }
  // Of messages()[i], in the batch; negative for a stand-in.
  int64_t IndexInBatch(size_t i) const { return index_in_batch_[i]; }
  bool IsStandIn(size_t i) const { return index_in_batch_[i] == kStandIn; }

  // Makes errors of messages() errors of the batch's messages. What is wrong with stand-ins has been told already.
  std::vector<MessageError> ErrorsOfRecords(std::vector<MessageError> errors) const {
    for (MessageError& error : errors) error.message_index = index_in_batch_[static_cast<size_t>(error.message_index)];
    std::erase_if(errors, [](const MessageError& error) { return error.message_index == kStandIn; });
    return errors;
  }

 private:
  static constexpr int64_t kStandIn = -1;
  void AddStandIn() {
    messages_.emplace_back();
    index_in_batch_.push_back(kStandIn);
  }

  std::vector<std::string_view> messages_;
  std::vector<int64_t> index_in_batch_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_SCAN_INTERNAL_ROW_SOURCES_H_
