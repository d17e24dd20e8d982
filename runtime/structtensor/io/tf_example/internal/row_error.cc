#include "structtensor/io/tf_example/internal/row_error.h"

#include <charconv>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor {
namespace {

// The payload: row, byte offset and size of the feature's key, each with a space after it, the key, and the problem.
constexpr absl::string_view kPayload = "structtensor/example_error";

int64_t TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  return number;
}

}  // namespace

std::optional<ExampleError> ExampleErrorOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string kept(*payload);
  std::string_view text = kept;
  ExampleError error;
  error.row = TakeNumber(text);
  error.byte_offset = TakeNumber(text);
  const auto key_bytes = static_cast<size_t>(TakeNumber(text));
  error.feature = text.substr(0, key_bytes);
  error.problem = text.substr(key_bytes);
  return error;
}

namespace tf_example_internal {

absl::Status RowError(const ExampleError& error, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(ToAbsl(message));
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(error.row, " ", error.byte_offset, " ", error.feature.size(), " ",
                                                      error.feature, error.problem)));
  return status;
}

absl::Status FeatureError(const ExampleError& error) {
  return RowError(error, absl::StrCat("row ", error.row, ": feature \"", error.feature, "\": ", error.problem));
}

std::vector<std::string_view> WithoutWrong(std::span<const std::string_view> serialized, std::span<const ExampleError> errors) {
  std::vector<std::string_view> kept;
  kept.reserve(serialized.size() - errors.size());
  auto next = errors.begin();
  for (size_t i = 0; i < serialized.size(); ++i) {
    if (next != errors.end() && next->row == static_cast<int64_t>(i)) {
      ++next;
    } else {
      kept.push_back(serialized[i]);
    }
  }
  return kept;
}

}  // namespace tf_example_internal

}  // namespace structtensor
