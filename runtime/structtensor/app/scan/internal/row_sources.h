// Which messages of a batch of records become rows.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_SOURCES_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_SOURCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "structtensor/app/scan/internal/row_filter.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::scan_internal {

// The messages that the rows of a batch are made from: the messages with the answer kYes (all messages if there are no
// answers). If records without a valid message have rows too, each of them has a placeholder: an empty message.
class RowSources {
 public:
  // `batch` must outlive this object.
  RowSources(const RecordBatch& batch, const std::vector<uint8_t>& answers, bool rows_for_damaged_records) : batch_(batch) {
    auto damaged = batch.skipped().begin();
    const auto damaged_end = rows_for_damaged_records ? batch.skipped().end() : damaged;
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      for (; damaged != damaged_end && damaged->location < batch.locations()[i]; ++damaged) AddPlaceholder(*damaged);
      const uint8_t answer = answers.empty() ? uint8_t{RowFilter::kYes} : answers[i];
      if (answer == RowFilter::kYes) {
        messages_.push_back(batch.messages()[i]);
        index_in_batch_.push_back(static_cast<int64_t>(i));
      } else if (answer == RowFilter::kBroken && rows_for_damaged_records) {
        AddPlaceholder(batch.locations()[i]);
      }
    }
    for (; damaged != damaged_end; ++damaged) AddPlaceholder(*damaged);
  }

  std::span<const std::string_view> messages() const { return messages_; }
  // The index of messages()[i] in the batch; negative for a placeholder.
  int64_t IndexInBatch(size_t i) const { return index_in_batch_[i]; }
  bool IsPlaceholder(size_t i) const { return index_in_batch_[i] < 0; }
  // The location of messages()[i], or of the record whose placeholder it is.
  const RecordLocation& location(size_t i) const {
    const int64_t index = index_in_batch_[i];
    return index < 0 ? placeholders_[static_cast<size_t>(-1 - index)] : batch_.locations()[static_cast<size_t>(index)];
  }

  // Turns indexes into messages() into indexes into the batch. Drops errors of placeholders, which have been reported already.
  std::vector<MessageError> ErrorsOfRecords(std::vector<MessageError> errors) const {
    for (MessageError& error : errors) error.message_index = index_in_batch_[static_cast<size_t>(error.message_index)];
    std::erase_if(errors, [](const MessageError& error) { return error.message_index < 0; });
    return errors;
  }

 private:
  void AddPlaceholder(RecordLocation location) {
    messages_.emplace_back();
    placeholders_.push_back(location);
    index_in_batch_.push_back(-static_cast<int64_t>(placeholders_.size()));
  }
  void AddPlaceholder(const BrokenRecord& damaged) {
    if (damaged.lost != BrokenRecord::Lost::kRecord) return;  // the number of lost records is unknown
    RecordLocation location = damaged.location;
    location.byte_offset = damaged.bytes_offset;  // where the message begins, as for other messages
    AddPlaceholder(location);
  }

  const RecordBatch& batch_;
  std::vector<std::string_view> messages_;
  std::vector<int64_t> index_in_batch_;  // of a placeholder: -1 - its index in placeholders_
  std::vector<RecordLocation> placeholders_;
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_ROW_SOURCES_H_
