#include "structtensor/decode/decoder_check.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace structtensor {

DecoderCheck::DecoderCheck(std::shared_ptr<const plan::MessagePlan> reference) : reference_(std::move(reference)) {
  std::vector<const plan::MessagePlan*> found = {reference_.get()};
  by_name_[reference_->full_name] = reference_.get();
  for (size_t i = 0; i < found.size(); ++i) {
    for (const plan::FieldPlan& field : found[i]->fields) {
      if (field.message != nullptr && by_name_.try_emplace(field.message->full_name, field.message).second) {
        found.push_back(field.message);
      }
    }
  }
}

std::optional<std::string> DecoderCheck::difference() const {
  const std::lock_guard lock(mutex_);
  return difference_;
}

std::optional<std::string> DecoderCheck::TakeDifference() {
  const std::lock_guard lock(mutex_);
  if (!difference_.has_value() || std::exchange(taken_, true)) return std::nullopt;
  return difference_;
}

std::shared_ptr<const plan::MessagePlan> DecoderCheck::ReferenceOf(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  if (found == by_name_.end()) return nullptr;
  return {reference_, found->second};
}

DecoderCheck::Verdict DecoderCheck::verdict(const std::string& fields) const {
  const std::lock_guard lock(mutex_);
  if (difference_.has_value()) return Verdict::kDiffers;
  return equal_.contains(fields) ? Verdict::kEqual : Verdict::kNone;
}

void DecoderCheck::NoteEqual(const std::string& fields) {
  // A program that keeps choosing other fields must not fill the memory. After clear() it compares again.
  constexpr size_t kMaxNoted = 1000;
  const std::lock_guard lock(mutex_);
  if (equal_.size() >= kMaxNoted) equal_.clear();
  equal_.insert(fields);
}

void DecoderCheck::NoteDifference(std::string difference) {
  const std::lock_guard lock(mutex_);
  if (!difference_.has_value()) difference_ = std::move(difference);
}

}  // namespace structtensor
