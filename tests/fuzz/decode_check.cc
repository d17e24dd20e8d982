#include "decode_check.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "batch_compare.h"
#include "message_types.h"
#include "structtensor/core/engine/engine.h"

namespace structtensor::testing {

std::vector<std::string_view> DecodeChecker::Place(const std::vector<std::string>& messages, size_t distance) {
  std::vector<std::string_view> placed;
  for (size_t i = 0; i < messages.size(); ++i) placed.push_back(guarded_[i].Place(messages[i], distance));
  return placed;
}

std::string DecodeChecker::Check(const DecodeInput& input, std::span<const size_t> distances) {
  std::vector<std::string> messages = input.messages;
  const bool partial = (input.options & DecodeInput::kAllowMissingRequired) != 0;
  const google::protobuf::Descriptor* type = schema_.Find(std::string(MessageTypes()[input.type].plan()->full_name));
  std::vector<ParsedMessage> parsed =
      ParseAll(schema_, type, std::vector<std::string_view>(messages.begin(), messages.end()), partial);
  if ((input.options & DecodeInput::kFlat) != 0) {
    // Submessages kept as bytes are not checked, so only valid messages are compared.
    for (size_t i = messages.size(); i-- > 0;) {
      if (parsed[i].accepted) continue;
      messages.erase(messages.begin() + static_cast<ptrdiff_t>(i));
      parsed.erase(parsed.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const size_t distance : distances) {
    const std::string difference = CheckBatch(input, parsed, Place(messages, distance));
    if (!difference.empty()) {
      return std::string(MessageTypes()[input.type].name) + ", " + std::to_string(distance) +
             " bytes from the end of a page: " + difference;
    }
  }
  return "";
}

std::string DecodeChecker::CheckBatch(const DecodeInput& input, std::span<const ParsedMessage> parsed,
                                      std::span<const std::string_view> messages) {
  const plan::MessagePlan& plan = *MessageTypes()[input.type].plan();
  const bool keep_unknown = (input.options & DecodeInput::kDropUnknown) == 0;
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  options.allow_missing_required = (input.options & DecodeInput::kAllowMissingRequired) != 0;
  options.recursion_depth = (input.options & DecodeInput::kFlat) != 0 ? 1 : 0;
  options.unknown_fields = keep_unknown ? DecodeOptions::UnknownFields::kKeep : DecodeOptions::UnknownFields::kDrop;
  BatchDecoder decoder = *BatchDecoder::Create(plan, options);
  DecodedBatch batch((decode_internal::TreeRef()));
  std::string difference = DecodeAndCompare(schema_, parsed, messages, decoder, &batch);
  if (difference.empty() && keep_unknown) difference = EncodeAndCompare(schema_, parsed, messages, batch);
  if (!difference.empty()) return difference;
  const std::shared_ptr<const plan::MessagePlan> engine_plan = MakeEnginePlan(plan);
  BatchDecoder engine = *BatchDecoder::Create(*engine_plan, options);
  batch = DecodedBatch(decode_internal::TreeRef());  // gives its memory back
  difference = DifferenceOfDecoders(decoder, engine, messages);
  if (!difference.empty()) return "generated code and engine: " + difference;
  difference = DecodeAndCompare(schema_, parsed, messages, decoder);
  if (!difference.empty()) return "into used memory: " + difference;
  return CheckNullRows(options, plan, parsed, messages);
}

// A message that is refused has the row of an empty one.
std::string DecodeChecker::CheckNullRows(const DecodeOptions& options, const plan::MessagePlan& plan,
                                         std::span<const ParsedMessage> parsed, std::span<const std::string_view> messages) {
  if (std::all_of(parsed.begin(), parsed.end(), [](const ParsedMessage& message) { return message.accepted; })) return "";
  const std::unique_ptr<google::protobuf::Message> empty = schema_.New(schema_.Find(std::string(plan.full_name)));
  std::vector<const google::protobuf::Message*> rows;
  for (const ParsedMessage& message : parsed) rows.push_back(message.accepted ? message.message.get() : empty.get());
  DecodeOptions null_options = options;
  null_options.on_error = DecodeOptions::OnError::kNull;
  const absl::StatusOr<DecodedBatch> batch = BatchDecoder::Create(plan, null_options)->Decode(messages);
  if (!batch.ok()) return "with null rows: " + batch.status().ToString();
  const std::string difference = Difference(schema_, rows, *batch);
  return difference.empty() ? "" : "with null rows: " + difference;
}

}  // namespace structtensor::testing
