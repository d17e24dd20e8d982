// DecodeOptions::check: a decoder is compared with another one at its first batch, and gives way to it where the two differ.
#include "structtensor/decode/decoder_check.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "everything.structtensor.h"
#include "structtensor/decode/decoder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

using Verdict = DecoderCheck::Verdict;

// Plans in generated code live for ever.
std::shared_ptr<const plan::MessagePlan> Kept(const plan::MessagePlan& plan) { return {std::shared_ptr<void>(), &plan}; }

const plan::MessagePlan& SoundPlan() { return TreeColumns::plan(); }

// Passes over what it should read.
const uint8_t* ReadNothing(const uint8_t*, const uint8_t* end, plan::DecodeTarget*, uint32_t, uint32_t, plan::DecodeState*) {
  return end;
}

plan::MessagePlan WrongPlan() {
  plan::MessagePlan plan = SoundPlan();
  plan.decode = ReadNothing;
  return plan;
}

class DecoderCheckTest : public ::testing::Test {
 protected:
  BatchDecoder Decoder(const plan::MessagePlan& plan, DecodeOptions options = {}) {
    options.check = check_;
    return *BatchDecoder::Create(plan, options);
  }

  const std::shared_ptr<DecoderCheck> check_ = std::make_shared<DecoderCheck>(Kept(SoundPlan()));
  const std::vector<std::string> empty_ = {""};
  const std::vector<std::string> trees_ = {LenField(4, LenField(4, "")), ""};
};

// How many children the first row has.
int64_t ChildrenOf(const DecodedBatch& batch) { return TreeColumns(batch.root()).children().row_splits()[1]; }

TEST_F(DecoderCheckTest, WhereBatchesAreEqualNothingIsSaid) {
  BatchDecoder decoder = Decoder(SoundPlan());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ChildrenOf(decoder.Decode(trees_).value()), 1);
  EXPECT_FALSE(check_->difference().has_value());
  EXPECT_FALSE(check_->TakeDifference().has_value());
}

TEST_F(DecoderCheckTest, WhereTheyDifferTheReferenceDecodesFromThenOn) {
  const plan::MessagePlan wrong = WrongPlan();
  BatchDecoder earlier = Decoder(wrong);
  BatchDecoder decoder = Decoder(wrong);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ChildrenOf(decoder.Decode(trees_).value()), 1);
  EXPECT_EQ(ChildrenOf(earlier.Decode(trees_).value()), 1);
  EXPECT_EQ(ChildrenOf(Decoder(wrong).Decode(trees_).value()), 1);
  const std::string difference = check_->difference().value();
  EXPECT_EQ(difference.find(std::string(SoundPlan().full_name) + ": children: "), 0u) << difference;
  EXPECT_EQ(check_->TakeDifference(), difference);
  EXPECT_EQ(check_->TakeDifference(), std::nullopt);  // users are told once
}

TEST_F(DecoderCheckTest, ErrorsAreCompared) {
  const plan::MessagePlan wrong = WrongPlan();
  const std::vector<std::string> broken = {"", LenField(4, "\x07 and more than ten bytes")};
  BatchDecoder fails = Decoder(wrong);
  EXPECT_EQ(fails.Decode(broken).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(check_->difference().has_value());

  const auto check = std::make_shared<DecoderCheck>(Kept(SoundPlan()));
  BatchDecoder skips = *BatchDecoder::Create(wrong, {.on_error = DecodeOptions::OnError::kSkip, .check = check});
  std::vector<MessageError> errors;
  EXPECT_EQ(skips.Decode(broken, &errors)->nrows(), 1);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].message_index, 1);
  EXPECT_NE(check->difference()->find("0 errors and 1"), std::string::npos) << *check->difference();
}

TEST_F(DecoderCheckTest, ABatchThatTellsNothingIsNotTheFirstOne) {
  const plan::MessagePlan wrong = WrongPlan();
  BatchDecoder decoder = Decoder(wrong);
  EXPECT_EQ(decoder.Decode(std::vector<std::string>()).value().nrows(), 0);
  EXPECT_EQ(ChildrenOf(decoder.Decode(trees_).value()), 1);
  EXPECT_TRUE(check_->difference().has_value());
}

TEST_F(DecoderCheckTest, OnlyTheFirstBatchIsCompared) {
  const plan::MessagePlan wrong = WrongPlan();
  BatchDecoder decoder = Decoder(wrong);
  EXPECT_EQ(decoder.Decode(empty_).value().nrows(), 1);  // as the reference does
  EXPECT_EQ(ChildrenOf(decoder.Decode(trees_).value()), 0);
  EXPECT_EQ(ChildrenOf(Decoder(wrong).Decode(trees_).value()), 0);
  // Another choice of fields has a first batch of its own.
  BatchDecoder of_some = Decoder(wrong, {.fields = {"children"}});
  EXPECT_EQ(ChildrenOf(of_some.Decode(trees_).value()), 1);
  EXPECT_EQ(ChildrenOf(decoder.Decode(trees_).value()), 1);
}

TEST_F(DecoderCheckTest, VerdictsAreBounded) {
  for (int i = 0; i < 5000; ++i) check_->NoteEqual(std::to_string(i));
  EXPECT_EQ(check_->verdict("4999"), Verdict::kEqual);
  EXPECT_EQ(check_->verdict("0"), Verdict::kNone);
  check_->NoteDifference("a");
  check_->NoteDifference("b");
  EXPECT_EQ(check_->verdict("4999"), Verdict::kDiffers);
  EXPECT_EQ(check_->difference(), "a");
}

TEST_F(DecoderCheckTest, ACheckOfAnotherTypeIsRefused) {
  const absl::Status status = BatchDecoder::Create(ImplicitColumns::plan(), {.check = check_}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("DecodeOptions::check has no plan of"), std::string::npos) << status;
}

}  // namespace
}  // namespace structtensor::testing
