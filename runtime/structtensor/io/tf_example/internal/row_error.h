// Errors about one message of a call, which keep their place.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_ROW_ERROR_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_ROW_ERROR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/tf_example/example_error.h"

namespace structtensor::tf_example_internal {

// Returns InvalidArgument with the text `message`. ExampleErrorOf() returns `error` for it.
absl::Status RowError(const ExampleError& error, std::string_view message);

// Returns InvalidArgument: "row 3: feature \"age\": <problem>".
absl::Status FeatureError(const ExampleError& error);

// Calls `attempt`, which returns a status, with parts of `serialized` until it is known which messages are wrong by themselves,
// and returns their errors, by row. There may be none although attempt(serialized) fails: messages may only be wrong together.
// Errors: those of `attempt` that are not about one message.
// Cost: with k wrong messages, about 2 k log(messages) calls, each message in at most log(messages) of them.
template <typename Attempt>
absl::StatusOr<std::vector<ExampleError>> FindWrongMessages(std::span<const std::string_view> serialized,
                                                            const Attempt& attempt) {
  std::vector<ExampleError> errors;
  std::vector<std::pair<size_t, size_t>> parts = {{0, serialized.size()}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    const absl::Status status = attempt(serialized.subspan(begin, end - begin));
    if (status.ok()) continue;
    if (!absl::IsInvalidArgument(status)) return status;
    if (end - begin > 1) {
      const size_t middle = begin + (end - begin) / 2;
      parts.emplace_back(middle, end);
      parts.emplace_back(begin, middle);
      continue;
    }
    std::optional<ExampleError> error = ExampleErrorOf(status);
    if (!error.has_value()) return status;  // it is not about messages
    error->row = static_cast<int64_t>(begin);
    errors.push_back(*std::move(error));
  }
  return errors;
}

// The messages that have no error. `errors`: by row.
std::vector<std::string_view> WithoutWrong(std::span<const std::string_view> serialized, std::span<const ExampleError> errors);

}  // namespace structtensor::tf_example_internal

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_ROW_ERROR_H_
