// Checks serialized messages before they become part of a larger message.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_MESSAGE_CHECK_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_MESSAGE_CHECK_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "structtensor/core/plan/plan.h"

namespace structtensor::messages_internal {

// What is wrong with a serialized message.
struct MessageProblem {
  size_t byte_offset = 0;  // of the field that is wrong
  std::string path;        // of that field, or of the message around it: "a.b"; "" for the message itself
  std::string text;
};

// Returns the first problem of `bytes` as a serialized `message`, or nothing. A message without problems is one that every
// parser of protobuf accepts, apart from required fields, which are not looked for.
// Cost: O(bytes), and memory for the depth of the messages inside, at most 1,000 levels.
std::optional<MessageProblem> FindProblem(const plan::MessagePlan& message, std::string_view bytes);

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_MESSAGE_CHECK_H_
