#include "json_check.h"

#include <memory>
#include <utility>

#include "google/protobuf/util/json_util.h"
#include "message_types.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/json/read_json.h"

namespace structtensor::testing {

std::string JsonChecker::Check(std::string_view input) {
  if (input.empty()) return "";
  const std::string_view text = input.substr(1);
  // tests/io/json compares the results with other readers. Here, reading must only do no harm.
  for (const auto on_error : {JsonReadOptions::OnError::kFail, JsonReadOptions::OnError::kSkip}) {
    const absl::StatusOr<JsonRows> rows = ReadJson(text, {.on_error = on_error});
    if (!rows.ok()) continue;
    const absl::StatusOr<JsonRows> again = ReadJson(text, {.spec = rows->rows.spec(), .on_error = on_error});
    if (!again.ok()) return "does not fit the spec that was inferred: " + again.status().ToString();
  }
  const std::string difference = CheckMessage(static_cast<uint8_t>(input[0]) % MessageTypes().size(), text);
  return difference.empty()
             ? ""
             : std::string(MessageTypes()[static_cast<uint8_t>(input[0]) % MessageTypes().size()].name) + ": " + difference;
}

std::string JsonChecker::CheckMessage(size_t type, std::string_view text) {
  const plan::MessagePlan& plan = *MessageTypes()[type].plan();
  MessageJson json(plan);
  std::string serialized = "kept";
  if (!json.AppendMessage(text, serialized).ok()) return serialized == "kept" ? "" : "an error has appended something";
  serialized.erase(0, 4);
  const std::unique_ptr<google::protobuf::Message> message = schema_.New(schema_.Find(std::string(plan.full_name)));
  if (!message->ParsePartialFromString(serialized)) return "libprotobuf does not read the message";
  std::string written;
  const absl::Status status = json.AppendJson(serialized, written);
  if (!status.ok()) return "what was read cannot be written: " + status.ToString();
  std::string again;
  const absl::Status read = json.AppendMessage(written, again);
  if (!read.ok()) return "what was written cannot be read: " + read.ToString() + ": " + written;
  const std::unique_ptr<google::protobuf::Message> second = schema_.New(message->GetDescriptor());
  second->ParsePartialFromString(again);
  if (message->SerializePartialAsString() != second->SerializePartialAsString())
    return "not the same message again: " + written;
  return "";
}

}  // namespace structtensor::testing
