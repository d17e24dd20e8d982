#include "structtensor/examples/internal/feature_reader.h"

#include "absl/strings/str_cat.h"

namespace structtensor::examples_internal {
namespace {

// Only so many keys of a message are guessed. The keys behind them are looked up.
constexpr size_t kMaxGuesses = 4096;

}  // namespace

FeatureStream StreamOf(std::string_view message) {
  return FeatureStream(message, reinterpret_cast<const uint8_t*>(message.data()) + message.size());
}

absl::Status DamagedMessage(int64_t row, std::string_view message, const FeatureStream& stream, const char* type) {
  return absl::InvalidArgumentError(absl::StrCat(
      "row ", row, ": byte ", stream.position() - reinterpret_cast<const uint8_t*>(message.data()), ": not a ", type));
}

FeatureKeys::FeatureKeys(const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) numbers_[keys[i]] = static_cast<int>(i);
}

int FeatureKeys::LookUp(std::string_view key, size_t position) {
  const auto found = numbers_.find(std::string(key));
  const int number = found == numbers_.end() ? kNotWanted : found->second;
  if (position == guesses_.size() && position < kMaxGuesses) guesses_.emplace_back();
  if (position < guesses_.size()) guesses_[position] = {std::string(key), number};
  return number;
}

}  // namespace structtensor::examples_internal
