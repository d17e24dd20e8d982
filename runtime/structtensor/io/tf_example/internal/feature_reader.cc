#include "structtensor/io/tf_example/internal/feature_reader.h"

#include "absl/strings/str_cat.h"
#include "structtensor/io/tf_example/internal/row_error.h"

namespace structtensor::tf_example_internal {
namespace {

// At most this many keys of a message are guessed. The keys after them are looked up.
constexpr size_t kMaxGuesses = 4096;

}  // namespace

FeatureStream StreamOf(std::string_view message) { return FeatureStream(message, EndOf(message)); }

const uint8_t* EndOf(std::string_view message) { return reinterpret_cast<const uint8_t*>(message.data()) + message.size(); }

int64_t OffsetIn(std::string_view message, std::string_view part) {
  return part.data() == nullptr ? 0 : static_cast<int64_t>(part.data() - message.data());
}

absl::Status DamagedMessage(int64_t row, std::string_view message, const FeatureStream& stream, const char* type) {
  const int64_t byte_offset = stream.position() - reinterpret_cast<const uint8_t*>(message.data());
  const ExampleError error{row, byte_offset, "", absl::StrCat("not a ", type)};
  return RowError(error, absl::StrCat("row ", row, ": byte ", byte_offset, ": ", error.problem));
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

}  // namespace structtensor::tf_example_internal
