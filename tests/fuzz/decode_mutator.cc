#include "decode_mutator.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "message_types.h"
#include "rewrite.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;

FillOptions RandomFill(Random& random, const pb::DescriptorPool& pool) {
  FillOptions fill;
  fill.probability = std::uniform_real_distribution<double>(0.01, 0.3)(random);
  fill.depth = static_cast<int>(Pick(random, 4));
  fill.max_elements = 1 + Pick(random, 3);
  fill.extensions = &pool;
  return fill;
}

// Most of the ways are left alone, so that a difference has few causes.
RewriteOptions RandomRewrite(Random& random) {
  RewriteOptions rewrite;
  double* const ways[] = {&rewrite.shuffle,         &rewrite.pack,        &rewrite.long_varints, &rewrite.unknown,
                          &rewrite.wrong_wire_type, &rewrite.repeat,      &rewrite.drop,         &rewrite.zero,
                          &rewrite.unknown_enum,    &rewrite.switch_oneof};
  for (double* way : ways) {
    if (Chance(random, 0.25)) *way = std::uniform_real_distribution<double>(0.05, 0.5)(random);
  }
  return rewrite;
}

void ClearSomeField(Random& random, pb::Message* message) {
  std::vector<const pb::FieldDescriptor*> fields;
  message->GetReflection()->ListFields(*message, &fields);
  if (!fields.empty()) message->GetReflection()->ClearField(message, fields[Pick(random, fields.size())]);
}

// Everywhere: DiscardUnknownFields leaves the values of maps alone.
void ClearUnknownFields(pb::Message* message) {
  const pb::Reflection& reflection = *message->GetReflection();
  reflection.MutableUnknownFields(message)->Clear();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ClearUnknownFields(reflection.MutableMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
      ClearUnknownFields(reflection.MutableRepeatedMessage(message, field, i));
    }
  }
}

}  // namespace

std::string DecodeMutator::Mutate(Random& random, std::string_view bytes, size_t max_size) {
  if (Chance(random, 0.1)) return plain_(random, std::string(bytes), max_size);
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    DecodeInput input = ParseDecodeInput(bytes);
    MutateInput(random, input, max_size);
    std::string mutated = SerializeDecodeInput(input);
    if (mutated.size() <= max_size) return mutated;
  }
  return plain_(random, std::string(bytes), max_size);
}

void DecodeMutator::MutateInput(Random& random, DecodeInput& input, size_t max_size) {
  if (Chance(random, 0.03)) {
    input.type = Pick(random, MessageTypes().size());
    input.messages.clear();
  }
  if (Chance(random, 0.1)) input.options ^= static_cast<uint8_t>(1 << Pick(random, 8));
  const pb::Descriptor* type = schema_.Find(std::string(MessageTypes()[input.type].plan()->full_name));
  if (input.messages.empty() || (input.messages.size() < DecodeInput::kMaxMessages && Chance(random, 0.1))) {
    input.messages.emplace_back();
  }
  if (input.messages.size() > 1 && Chance(random, 0.1)) input.messages.pop_back();
  std::string& message = input.messages[Pick(random, input.messages.size())];
  message = MutateMessage(random, type, message, std::min(max_size, DecodeInput::kMaxMessageBytes));
  if (message.size() > DecodeInput::kMaxMessageBytes) message.resize(DecodeInput::kMaxMessageBytes);
}

std::string DecodeMutator::MutateMessage(Random& random, const pb::Descriptor* type, const std::string& message,
                                         size_t max_size) {
  const std::unique_ptr<pb::Message> parsed = schema_.New(type);
  switch (Pick(random, 8)) {
    case 0:
      return plain_(random, message, max_size);
    case 1:
    case 2:
      return Corrupt(random, message);
    case 3:
      return message + message;
    case 4:
      break;  // a new one
    default:
      // What an earlier mutation broke stays broken, or a new message takes its place.
      if (!parsed->ParsePartialFromString(message) && Chance(random, 0.5)) return Corrupt(random, message);
      break;
  }
  if (Chance(random, 0.3)) ClearSomeField(random, parsed.get());
  if (message.empty() || Chance(random, 0.5)) Fill(random, RandomFill(random, schema_.pool()), parsed.get());
  return RandomlyWritten(random, *parsed);
}

std::string DecodeMutator::RandomlyWritten(Random& random, const pb::Message& message) {
  const std::unique_ptr<pb::Message> known(message.New());
  known->CopyFrom(message);
  ClearUnknownFields(known.get());  // Rewrite makes its own, and cannot read everything that may be unknown
  std::string bytes = Canonical(*known);
  if (Chance(random, 0.8)) bytes = Rewrite(random, RandomRewrite(random), message.GetDescriptor(), schema_.pool(), bytes);
  return Chance(random, 0.2) ? Corrupt(random, bytes) : bytes;
}

std::string DecodeMutator::CrossOver(Random& random, std::string_view one, std::string_view other, size_t max_size) {
  DecodeInput input = ParseDecodeInput(one);
  for (const std::string& message : ParseDecodeInput(other).messages) {
    if (input.messages.size() < DecodeInput::kMaxMessages && Chance(random, 0.5)) {
      input.messages.push_back(message);
    } else if (!input.messages.empty()) {
      std::string& merged = input.messages[Pick(random, input.messages.size())];
      if (merged.size() + message.size() <= DecodeInput::kMaxMessageBytes) merged += message;
    }
  }
  std::string crossed = SerializeDecodeInput(input);
  if (crossed.size() > max_size) crossed.resize(max_size);
  return crossed;
}

}  // namespace structtensor::testing
