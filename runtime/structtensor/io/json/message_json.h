// protobuf's JSON mapping: converts JSON to serialized messages and back, with the data of the plan.
//
//   structtensor::MessageJson json(structtensor_plan);
//   std::string serialized;
//   absl::Status status = json.AppendMessage("{\"title\": \"toast\"}", serialized);
//
// Source of every rule: https://protobuf.dev/programming-guides/json/ and protobuf's conformance suite. It does not need
// libprotobuf.
#ifndef STRUCTTENSOR_IO_JSON_MESSAGE_JSON_H_
#define STRUCTTENSOR_IO_JSON_MESSAGE_JSON_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How deep messages may be nested; map entries count as messages. It is protobuf's limit, which also applies to serialized
// messages.
inline constexpr int kMaxMessageJsonDepth = 100;

struct MessageJsonOptions {
  // Reading: skips names that the message type does not have, and names that an enum does not have.
  bool ignore_extra_fields = false;
  // Writing: fields by their names in the .proto file instead of "lowerCamelCase".
  bool proto_field_names = false;
  // Writing: enums as numbers.
  bool enums_as_numbers = false;
  // Writing: fields without presence even if they have their default value: 0, false, "", [] or {}. Fields with presence, which
  // are members of a oneof, messages, and `optional` fields, are written only if they are set. (An option with this name exists
  // in protobuf's own libraries.)
  bool always_print_fields_with_no_presence = false;
  // Returns the type of a google.protobuf.Any by its full name; null (an error) if it is unknown. Default: no type is known.
  std::function<const plan::MessagePlan*(std::string_view full_name)> resolve = {};
};

// Reads and writes messages of one type. Keep it for many messages: it caches the names of types. One thread at a time.
class MessageJson {
 public:
  // `message`, and what `resolve` returns, must outlive it.
  explicit MessageJson(const plan::MessagePlan& message, MessageJsonOptions options = {});
  ~MessageJson();
  MessageJson(MessageJson&&) noexcept;
  MessageJson& operator=(MessageJson&&) noexcept;

  // Appends the serialized message for `json`, which is one value, perhaps with white space around it. Fields are in the order
  // of the JSON.
  // Errors: InvalidArgument, with the byte and the path ("byte 17: a.b[2]: ..."), if `json` is not JSON, or not the JSON of a
  //   message of this type; nothing has been appended then.
  absl::Status AppendMessage(std::string_view json, std::string& serialized);

  // As above, for callers that count lines. On an error it returns false, with the byte, and with the path and what is wrong.
  bool AppendMessage(std::string_view json, std::string& serialized, size_t* byte, std::string* problem);

  // Appends the JSON of the serialized message, on one line. The message must be as encoders write it: singular fields once,
  // elements of a repeated field together, each map key once. Unknown fields are left out.
  // Errors: InvalidArgument if the bytes are not a message of this type, a string is not UTF-8, a Timestamp, Duration,
  //   FieldMask, Value or Any is invalid, or messages are deeper than kMaxMessageJsonDepth; nothing has been appended then.
  absl::Status AppendJson(std::string_view serialized, std::string& json);

  // As above, for callers that show the field apart. On an error it returns false, with the path of the field ("a.b[2]", with
  // the names of the .proto file) and what is wrong with it.
  bool AppendJson(std::string_view serialized, std::string& json, std::string* field_path, std::string* problem);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_JSON_MESSAGE_JSON_H_
