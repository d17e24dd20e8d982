// The steady state asks for no memory: once batches like the next one have gone through a decoder and an encoder, neither
// allocates, and nor does letting a batch go.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "heap_meter.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/encode/encoder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr int kWarmBatches = 4;

// Between them: strings, bytes, every map, repeated submessages, groups, oneofs, packed and unpacked numbers, closed enums, and
// types of many fields.
std::vector<const plan::MessagePlan*> Plans() {
  return {&EverythingColumns::plan(), &Everything2Columns::plan(), &MapsColumns::plan(),
          &WellKnownColumns::plan(),  &WideColumns::plan(),        &WideMixedColumns::plan()};
}

// Messages of the plan's type at random, each with unknown fields at its end. Their maps have keys twice.
std::vector<std::string> Messages(OracleSchema& schema, const plan::MessagePlan& plan) {
  Random random(7);
  FillOptions fill;
  fill.depth = 3;
  fill.max_elements = 3;
  if (plan.fields.size() > 64) fill.probability = 0.05;
  fill.extensions = &schema.pool();
  std::vector<std::string> messages;
  while (messages.size() < 100) {
    const auto message = schema.New(schema.Find(std::string(plan.full_name)));
    Fill(random, fill, message.get());
    if (!message->IsInitialized()) continue;
    messages.push_back(message->SerializeAsString() + VarintField(60000, 300) + LenField(60001, "not in the schema"));
  }
  return messages;
}

class AllocationTest : public ::testing::TestWithParam<DecodeOptions> {
 protected:
  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  DecodeOptions options_ = GetParam();
};

TEST_P(AllocationTest, DecodeAndEncode) {
  for (const plan::MessagePlan* plan : Plans()) {
    SCOPED_TRACE(plan->full_name);
    const std::vector<std::string> bytes = Messages(schema_, *plan);
    ASSERT_FALSE(bytes.empty());
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    BatchDecoder decoder = *BatchDecoder::Create(*plan, options_);
    BatchEncoder encoder(*plan);
    for (int i = 0; i < kWarmBatches; ++i) {
      const HeapMeter meter;
      {
        const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
        ASSERT_TRUE(batch.ok()) << batch.status();
        if (i == kWarmBatches - 1) {
          EXPECT_EQ(meter.allocations(), 0u) << "Decode";
        }
        const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(*batch);
        ASSERT_TRUE(encoded.ok()) << encoded.status();
      }
      if (i == 0) {
        EXPECT_NE(meter.allocations(), 0u) << "the meter does not count";
      }
      if (i == kWarmBatches - 1) {
        EXPECT_EQ(meter.allocations(), 0u) << "Encode";
      }
    }
  }
}

// A pipeline that holds the batch before while it decodes the next one.
TEST_P(AllocationTest, WhileTheBatchBeforeLives) {
  for (const plan::MessagePlan* plan : Plans()) {
    SCOPED_TRACE(plan->full_name);
    const std::vector<std::string> bytes = Messages(schema_, *plan);
    ASSERT_FALSE(bytes.empty());
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    BatchDecoder decoder = *BatchDecoder::Create(*plan, options_);
    BatchEncoder encoder(*plan);
    std::optional<DecodedBatch> decoded;
    std::optional<EncodedBatch> encoded;
    for (int i = 0; i < 2 * kWarmBatches; ++i) {
      const HeapMeter meter;
      absl::StatusOr<DecodedBatch> next_decoded = decoder.Decode(messages);
      ASSERT_TRUE(next_decoded.ok()) << next_decoded.status();
      absl::StatusOr<EncodedBatch> next_encoded = encoder.Encode(*next_decoded);
      ASSERT_TRUE(next_encoded.ok()) << next_encoded.status();
      decoded = *std::move(next_decoded);
      encoded = *std::move(next_encoded);
      if (i == 2 * kWarmBatches - 1) {
        EXPECT_EQ(meter.allocations(), 0u);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, AllocationTest,
                         ::testing::Values(DecodeOptions{},
                                           DecodeOptions{.unknown_fields = DecodeOptions::UnknownFields::kKeep},
                                           DecodeOptions{.strings = DecodeOptions::Strings::kViews}),
                         [](const auto& info) {
                           if (info.param.strings == DecodeOptions::Strings::kViews) return std::string("StringsAsViews");
                           return info.param.unknown_fields == DecodeOptions::UnknownFields::kKeep
                                      ? std::string("UnknownFieldsKept")
                                      : std::string("Default");
                         });

}  // namespace
}  // namespace structtensor::testing
