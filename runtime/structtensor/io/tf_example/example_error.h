// Which message of a call is wrong, and where.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_EXAMPLE_ERROR_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_EXAMPLE_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A message that is damaged, or does not fit the features that are wanted.
struct ExampleError {
  int64_t row = 0;          // index of the message
  int64_t byte_offset = 0;  // in the message, where the feature begins; 0 if it is missing
  std::string feature;      // its key; "" if the message itself is damaged
  std::string problem;
};

// Returns what an error of the functions in this folder says about one message, or nothing if it is not about one message.
std::optional<ExampleError> ExampleErrorOf(const absl::Status& status);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_EXAMPLE_ERROR_H_
