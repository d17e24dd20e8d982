// The message types of tests/protos that the differential tests, the cases and the fuzzers work on.
#ifndef STRUCTTENSOR_TESTS_ORACLE_MESSAGE_TYPES_H_
#define STRUCTTENSOR_TESTS_ORACLE_MESSAGE_TYPES_H_

#include <span>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"

namespace structtensor::testing {

struct MessageType {
  const char* name;  // without the package structtensor.testing
  const plan::MessagePlan* (*plan)();
  bool is_root;  // from the roots all the others can be reached
};

// Every message type that is not nested, but for RequiredInMap: libprotobuf's reflection does not judge required fields in map
// entries as its generated code does. New types go to the end: inputs of the fuzzers name a type by its index.
std::span<const MessageType> MessageTypes();

std::vector<MessageType> RootTypes();

// Null if there is none of that name.
const MessageType* FindMessageType(std::string_view name);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_MESSAGE_TYPES_H_
