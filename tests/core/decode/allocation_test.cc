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
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
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

struct Case {
  const char* name;
  DecodeOptions options = {};
  bool views = false;
};

class AllocationTest : public ::testing::TestWithParam<Case> {
 protected:
  static absl::StatusOr<DecodedBatch> Decode(BatchDecoder& decoder, const std::vector<std::string_view>& messages) {
    return GetParam().views ? decoder.DecodeViews(messages) : decoder.Decode(messages);
  }

  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  DecodeOptions options_ = GetParam().options;
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
        const absl::StatusOr<DecodedBatch> batch = Decode(decoder, messages);
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
      absl::StatusOr<DecodedBatch> next_decoded = Decode(decoder, messages);
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
                         ::testing::Values(Case{.name = "Default"},
                                           Case{.name = "UnknownFieldsKept",
                                                .options = {.unknown_fields = DecodeOptions::UnknownFields::kKeep}},
                                           Case{.name = "StringsAsViews", .views = true},
                                           Case{.name = "CopiedMessages", .options = {.copy_messages = true}}),
                         [](const auto& info) { return std::string(info.param.name); });

class ShrinkTest : public ::testing::Test {
 protected:
  static constexpr size_t kBurst = 100;

  std::vector<DecodedBatch> DecodeBurst() {
    std::vector<DecodedBatch> batches;
    for (size_t i = 0; i < kBurst; ++i) batches.push_back(*decoder_.Decode(messages_));
    return batches;
  }

  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  const std::vector<std::string> bytes_ = Messages(schema_, EverythingColumns::plan());
  const std::vector<std::string_view> messages_{bytes_.begin(), bytes_.end()};
  BatchDecoder decoder_{EverythingColumns::plan()};
};

TEST_F(ShrinkTest, FreesTheMemoryOfABurst) {
  (void)decoder_.Decode(messages_);
  decoder_.Shrink();
  const HeapMeter meter;
  DecodeBurst();
  const size_t kept = meter.live_bytes();
  EXPECT_GT(kept, kBurst << 16) << "the decoder keeps the memory of the batches";
  decoder_.Shrink();
  EXPECT_LT(meter.live_bytes(), 4096u);
  EXPECT_EQ(decoder_.Decode(messages_)->nrows(), static_cast<int64_t>(messages_.size()));
  EXPECT_GT(meter.live_bytes(), 4096u) << "and keeps memory again";
}

TEST_F(ShrinkTest, BatchesInUseFreeTheirMemoryLater) {
  (void)decoder_.Decode(messages_);
  decoder_.Shrink();
  const HeapMeter meter;
  std::vector<DecodedBatch> batches = DecodeBurst();
  decoder_.Shrink();
  EXPECT_EQ(batches.back().nrows(), static_cast<int64_t>(messages_.size()));
  const size_t one_batch = batches.back().tree().used_bytes();
  EXPECT_GT(meter.live_bytes(), kBurst * one_batch);
  batches = {};
  EXPECT_LT(meter.live_bytes(), 4096u);
}

}  // namespace
}  // namespace structtensor::testing
