// protobuf's JSON mapping: a serialized message from the JSON that stands for it, and back, by the plan's data.
//
//   structtensor::MessageJson json(structtensor_plan);
//   std::string serialized;
//   absl::Status status = json.AppendMessage("{\"title\": \"toast\"}", serialized);
//
// Source of every rule: https://protobuf.dev/programming-guides/json/ and protobuf's conformance suite. It does
// without libprotobuf.
// This folder may include plan/, wire/ and base/.
#ifndef STRUCTTENSOR_JSON_MESSAGE_JSON_H_
#define STRUCTTENSOR_JSON_MESSAGE_JSON_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How many messages may lie inside each other, with entries of maps, which are messages: protobuf's limit, as for serialized
// ones.
inline constexpr int kMaxMessageJsonDepth = 100;

struct MessageJsonOptions {
  // Reading: passes over names that the message type does not have, and names that an enum does not have.
  bool ignore_unknown_names = false;
  // Writing: fields by their names in the .proto file instead of "lowerCamelCase".
  bool proto_field_names = false;
  // Writing: enums as numbers.
  bool enums_as_numbers = false;
  // The type of a google.protobuf.Any, by its full name; null for one that is not known, which is an error. Default: none is.
  std::function<const plan::MessagePlan*(std::string_view full_name)> resolve = {};
};

// Reads and writes messages of one type. Keep it: it remembers the names of types. One thread at a time.
class MessageJson {
 public:
  // `message`, and what `resolve` returns, must outlive it.
  explicit MessageJson(const plan::MessagePlan& message, MessageJsonOptions options = {});
  ~MessageJson();
  MessageJson(MessageJson&&) noexcept;
  MessageJson& operator=(MessageJson&&) noexcept;

  // Appends the serialized message that `json`, one value with white space around it, stands for. Fields are in the order
  // of the JSON.
  // Errors: InvalidArgument, with the byte and the path ("byte 17: a.b[2]: ..."), if it is not JSON, or not JSON of such a
  //   message; nothing has been appended then.
  absl::Status AppendMessage(std::string_view json, std::string& serialized);

  // The same, for those who count lines: false if it stands for none, with the byte, and the path and what is wrong there.
  bool AppendMessage(std::string_view json, std::string& serialized, size_t* byte, std::string* problem);

  // Appends, on one line, the JSON that stands for the serialized message, which is as encoders write it: singular fields once,
  // elements of a repeated one together, each key of a map once. Fields that the type does not know are left out.
  // Errors: InvalidArgument if the bytes are no such message, a string is not UTF-8, a message is no valid Timestamp, Duration,
  //   FieldMask, Value or Any, or deeper than kMaxMessageJsonDepth; nothing has been appended then.
  absl::Status AppendJson(std::string_view serialized, std::string& json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_JSON_MESSAGE_JSON_H_
