// Random messages of types that have every kind of field, in every serialization that the format allows, and damaged ones.
//
// STRUCTTENSOR_SEED=<n> runs a failure's seed again; STRUCTTENSOR_ROUNDS=<n> tries more messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "log_silencer.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"

namespace structtensor::testing {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

constexpr size_t kMessagesPerRound = 24;

// A way of making messages other than those that libprotobuf writes.
struct Serialization {
  const char* name;
  RewriteOptions rewrite;
  bool merge = false;    // several messages one after the other
  bool corrupt = false;  // every other message is damaged
};

const std::vector<Serialization>& Serializations() {
  static const auto* const kSerializations = new std::vector<Serialization>{
      {"AsWritten", {}},
      {"Shuffled", {.shuffle = 0.8}},
      {"Merged", {.shuffle = 0.2}, true},
      {"Repacked", {.pack = 0.5}},
      {"LongVarints", {.long_varints = 0.3}},
      {"UnknownFields", {.unknown = 0.4}},
      {"WrongWireTypes", {.wrong_wire_type = 0.4}},
      {"RepeatedFields", {.repeat = 0.3}},
      {"DroppedFields", {.drop = 0.1}},
      {"ExplicitZeros", {.zero = 0.5}},
      {"UnknownEnums", {.unknown_enum = 0.5}},
      {"SwitchedOneofs", {.shuffle = 0.2, .switch_oneof = 0.7}},
      {"AllTogether",
       {.shuffle = 0.3,
        .pack = 0.3,
        .long_varints = 0.05,
        .unknown = 0.1,
        .wrong_wire_type = 0.1,
        .repeat = 0.1,
        .drop = 0.02,
        .zero = 0.1,
        .unknown_enum = 0.2,
        .switch_oneof = 0.3},
       true},
      {"Corrupted", {}, false, true},
      {"CorruptedSerializations",
       {.shuffle = 0.3, .pack = 0.3, .long_varints = 0.05, .unknown = 0.2, .repeat = 0.1},
       true,
       true},
  };
  return *kSerializations;
}

class RandomTest : public ::testing::TestWithParam<std::tuple<size_t, size_t>> {
 protected:
  RandomTest()
      : schema_(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET),
        serialization_(Serializations()[std::get<0>(GetParam())]),
        plan_(RootTypes()[std::get<1>(GetParam())].plan()),
        type_(schema_.Find(std::string(plan_->full_name))) {}

  std::string MakeMessage(Random& random) {
    FillOptions fill;
    fill.probability = std::uniform_real_distribution<double>(0.02, 0.5)(random);
    fill.depth = static_cast<int>(Pick(random, 5));
    fill.max_elements = 1 + Pick(random, 5);
    fill.extensions = &schema_.pool();
    if (fill.depth > 2) fill.probability = std::min(fill.probability, 0.25);
    std::string bytes;
    for (size_t parts = serialization_.merge ? 1 + Pick(random, 3) : 1; parts > 0; --parts) {
      const auto message = schema_.New(type_);
      Fill(random, fill, message.get());
      bytes += message->SerializePartialAsString();
    }
    bytes = Rewrite(random, serialization_.rewrite, type_, schema_.pool(), bytes);
    return serialization_.corrupt && Chance(random, 0.5) ? Corrupt(random, bytes) : bytes;
  }

  std::string CompareAccepted(const std::vector<ParsedMessage>& parsed, const DecodedBatch& batch) {
    std::vector<const google::protobuf::Message*> rows;
    for (const ParsedMessage& message : parsed) {
      if (message.accepted) rows.push_back(message.message.get());
    }
    return Difference(schema_, rows, batch);
  }

  LogSilencer silencer_;
  OracleSchema schema_;
  const Serialization& serialization_;
  const plan::MessagePlan* plan_;
  const google::protobuf::Descriptor* type_;
};

// Decodes round after round with the same decoders; the batch of the round before stays alive and must stay as it is.
TEST_P(RandomTest, EqualsLibprotobuf) {
  const uint64_t seed = FromEnvironment("STRUCTTENSOR_SEED", 20240611);
  const uint64_t rounds = FromEnvironment("STRUCTTENSOR_ROUNDS", 3);
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  BatchDecoder decoder = *BatchDecoder::Create(*plan_, options);
  options.recursion_depth = 1;
  BatchDecoder flat_decoder = *BatchDecoder::Create(*plan_, options);
  std::vector<ParsedMessage> before_parsed;
  std::optional<DecodedBatch> before;
  size_t accepted = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("STRUCTTENSOR_SEED=" + std::to_string(seed + round));
    Random random(seed + round);
    std::vector<std::string> bytes;
    for (size_t i = 0; i < kMessagesPerRound; ++i) bytes.push_back(MakeMessage(random));
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    std::vector<ParsedMessage> parsed = ParseAll(schema_, type_, messages);
    for (const ParsedMessage& message : parsed) accepted += message.accepted;

    DecodedBatch batch((decode_internal::TreeRef()));
    ASSERT_EQ(DecodeAndCompare(schema_, parsed, messages, decoder, &batch), "");
    ASSERT_EQ(EncodeAndCompare(schema_, parsed, messages, batch), "");
    if (before.has_value()) {
      ASSERT_EQ(CompareAccepted(before_parsed, *before), "") << "in the batch before";
    }

    // Submessages kept as bytes are not checked, so only valid messages are compared.
    std::vector<std::string_view> valid;
    std::vector<ParsedMessage> valid_parsed;
    for (size_t i = 0; i < parsed.size(); ++i) {
      if (!parsed[i].accepted) continue;
      valid.push_back(messages[i]);
      valid_parsed.push_back({std::unique_ptr<google::protobuf::Message>(parsed[i].message->New()), true});
      valid_parsed.back().message->CopyFrom(*parsed[i].message);
    }
    DecodedBatch flat_batch((decode_internal::TreeRef()));
    ASSERT_EQ(DecodeAndCompare(schema_, valid_parsed, valid, flat_decoder, &flat_batch), "") << "with recursion_depth = 1";
    ASSERT_EQ(EncodeAndCompare(schema_, valid_parsed, valid, flat_batch), "") << "with recursion_depth = 1";
    before = batch;
    before_parsed = std::move(parsed);
  }
  std::cout << "compared: " << plan_->full_name << ", " << rounds * kMessagesPerRound << " messages, " << accepted
            << " of them accepted; seed " << seed << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Types, RandomTest,
                         ::testing::Combine(::testing::Range(size_t{0}, Serializations().size()),
                                            ::testing::Range(size_t{0}, RootTypes().size())),
                         [](const auto& info) {
                           std::string name = std::string(Serializations()[std::get<0>(info.param)].name) + "_" +
                                              RootTypes()[std::get<1>(info.param)].name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace structtensor::testing
