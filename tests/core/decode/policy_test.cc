// Batches in which some messages cannot be decoded: on_error and max_errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/core/decode/decoder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using OnError = DecodeOptions::OnError;

class PolicyTest : public ::testing::Test {
 protected:
  const std::string good_ = LenField(1, "good");
  const std::string broken_ = LenField(1, "broken") + TagBytes(1, wire_internal::kLen) + "\x7f";
  const std::vector<std::string_view> messages_ = {good_, broken_, good_, broken_};
  std::vector<MessageError> errors_;
};

TEST_F(PolicyTest, FailReturnsTheFirstError) {
  BatchDecoder decoder(EverythingColumns::plan());
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages_, &errors_);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(batch.status().message()).find("message 1, byte 9, field name: "), std::string::npos) << batch.status();
  ASSERT_EQ(errors_.size(), 1u);
  EXPECT_EQ(errors_[0].message_index, 1);
  // The decoder is as good as new.
  const std::vector<std::string_view> good = {good_, good_};
  EXPECT_EQ(decoder.Decode(good)->nrows(), 2);
}

TEST_F(PolicyTest, SkipListsAllErrors) {
  Decoder<EverythingColumns> decoder = *Decoder<EverythingColumns>::Create({.on_error = OnError::kSkip});
  const absl::StatusOr<EverythingBatch> batch = decoder.Decode(messages_, &errors_);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->nrows(), 2u);
  EXPECT_EQ(batch->name()[0], "good");
  EXPECT_EQ(batch->name()[1], "good");
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_EQ(errors_[0].message_index, 1);
  EXPECT_EQ(errors_[0].row, -1);
  EXPECT_EQ(errors_[1].message_index, 3);
}

// Messages in all orders: runs of messages begin and end at each kind of message.
TEST_F(PolicyTest, EachKindOfMessageAfterEachOther) {
  enum Kind { kGood, kEmpty, kBroken, kAtEndOfPage, kOversized, kKinds };
  constexpr size_t kPageBytes = 4096;
  constexpr size_t kMessages = 4;
  const std::unique_ptr<char, decltype(&std::free)> pages(static_cast<char*>(std::aligned_alloc(kPageBytes, kPageBytes * 2)),
                                                          &std::free);
  const std::string at_end = LenField(1, "page");
  char* const place = pages.get() + kPageBytes - at_end.size();
  at_end.copy(place, at_end.size());
  const std::string oversized = LenField(1, std::string(100, 'x'));
  const std::string_view messages[kKinds] = {good_, {}, broken_, {place, at_end.size()}, oversized};
  const std::string_view names[kKinds] = {"good", "", "", "page", ""};
  const auto is_bad = [](Kind kind) { return kind == kBroken || kind == kOversized; };

  for (const OnError policy : {OnError::kSkip, OnError::kNull, OnError::kFail}) {
    auto decoder = *Decoder<EverythingColumns>::Create({.on_error = policy, .max_message_bytes = 50});
    for (size_t order = 0; order < kKinds * kKinds * kKinds * kKinds; ++order) {
      std::vector<std::string_view> batch_messages;
      std::vector<std::string_view> wanted_names;
      std::vector<int64_t> wanted_errors;
      for (size_t i = 0, rest = order; i < kMessages; ++i, rest /= kKinds) {
        const Kind kind = static_cast<Kind>(rest % kKinds);
        batch_messages.push_back(messages[kind]);
        if (is_bad(kind)) wanted_errors.push_back(static_cast<int64_t>(i));
        if (!is_bad(kind) || policy == OnError::kNull) wanted_names.push_back(names[kind]);
      }
      SCOPED_TRACE(order);
      errors_.clear();
      const absl::StatusOr<EverythingBatch> batch = decoder.Decode(batch_messages, &errors_);
      if (policy == OnError::kFail && !wanted_errors.empty()) wanted_errors.resize(1);
      std::vector<int64_t> found_errors;
      for (const MessageError& error : errors_) found_errors.push_back(error.message_index);
      ASSERT_EQ(found_errors, wanted_errors);
      ASSERT_EQ(batch.ok(), policy != OnError::kFail || wanted_errors.empty()) << batch.status();
      if (!batch.ok()) continue;
      ASSERT_EQ(batch->nrows(), wanted_names.size());
      for (size_t row = 0; row < wanted_names.size(); ++row) ASSERT_EQ(batch->name()[row], wanted_names[row]);
    }
  }
}

TEST_F(PolicyTest, NullMakesRowsWithNothingInThem) {
  Decoder<EverythingColumns> decoder = *Decoder<EverythingColumns>::Create({.on_error = OnError::kNull});
  const absl::StatusOr<EverythingBatch> batch = decoder.Decode(messages_, &errors_);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->nrows(), 4u);
  EXPECT_EQ(batch->name()[0], "good");
  EXPECT_EQ(batch->name()[1], "");
  EXPECT_EQ(batch->name()[2], "good");
  EXPECT_EQ(batch->name()[3], "");
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_EQ(errors_[0].message_index, 1);
  EXPECT_EQ(errors_[0].row, 1);
  EXPECT_EQ(errors_[1].row, 3);
}

TEST_F(PolicyTest, ErrorsAreAddedToThoseOfOtherBatches) {
  BatchDecoder decoder = *BatchDecoder::Create(EverythingColumns::plan(), {.on_error = OnError::kSkip});
  EXPECT_TRUE(decoder.Decode(messages_, &errors_).ok());
  EXPECT_TRUE(decoder.Decode(messages_, &errors_).ok());
  EXPECT_EQ(errors_.size(), 4u);
}

TEST_F(PolicyTest, MaxErrorsIsNamedWithTheCountAndTheFirstError) {
  for (const OnError on_error : {OnError::kSkip, OnError::kNull}) {
    errors_.clear();
    EXPECT_TRUE(
        BatchDecoder::Create(EverythingColumns::plan(), {.on_error = on_error, .max_errors = 2})->Decode(messages_).ok());
    BatchDecoder decoder = *BatchDecoder::Create(EverythingColumns::plan(), {.on_error = on_error, .max_errors = 1});
    const absl::Status status = decoder.Decode(messages_, &errors_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    const std::string text(status.message());
    EXPECT_NE(
        text.find("2 of 4 messages cannot be decoded, more than `max_errors=1`; the first: message 1, byte 9, field name"),
        std::string::npos)
        << text;
    EXPECT_EQ(errors_.size(), 2u);
    EXPECT_TRUE(decoder.Decode(std::span(messages_).first(2)).ok());
  }
  EXPECT_FALSE(
      BatchDecoder::Create(EverythingColumns::plan(), {.on_error = OnError::kSkip, .max_errors = 0})->Decode(messages_).ok());
}

// Messages without their required fields are found when the batch is complete, and count as others do.
TEST(RequiredPolicyTest, NullClearsRows) {
  const std::string good = VarintField(1, 5) + VarintField(3, 1);
  const std::string incomplete = VarintField(1, 6);
  const std::string broken = TagBytes(2, wire_internal::kLen) + "\x7f";
  const std::vector<std::string_view> messages = {good, incomplete, broken, good, incomplete};
  std::vector<MessageError> errors;
  const absl::StatusOr<RequiredBatch> batch =
      Decoder<RequiredColumns>::Create({.on_error = OnError::kNull})->Decode(messages, &errors);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->nrows(), 5u);
  for (const size_t row : {0u, 1u, 2u, 3u, 4u}) EXPECT_EQ(batch->id().has(row), row % 3 == 0) << row;
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].row, 1);
  EXPECT_EQ(errors[1].row, 2);
  EXPECT_EQ(errors[2].row, 4);

  const absl::Status status =
      Decoder<RequiredColumns>::Create({.on_error = OnError::kNull, .max_errors = 2})->Decode(messages).status();
  EXPECT_NE(std::string(status.message()).find("3 of 5 messages"), std::string::npos) << status;
}

// --- Whatever the type: rows are those of the messages that libprotobuf accepts, and empty ones for the others

struct Parsed {
  Parsed(OracleSchema& schema, const pb::Descriptor* type, const std::vector<std::string>& bytes)
      : messages(bytes.begin(), bytes.end()), parsed(ParseAll(schema, type, messages)), empty(schema.New(type)) {}

  std::vector<const pb::Message*> ExpectedRows(OnError on_error) const {
    std::vector<const pb::Message*> rows;
    for (const ParsedMessage& message : parsed) {
      if (message.accepted) {
        rows.push_back(message.message.get());
      } else if (on_error == OnError::kNull) {
        rows.push_back(empty.get());
      }
    }
    return rows;
  }
  std::vector<int64_t> Refused() const {
    std::vector<int64_t> refused;
    for (size_t i = 0; i < parsed.size(); ++i) {
      if (!parsed[i].accepted) refused.push_back(static_cast<int64_t>(i));
    }
    return refused;
  }

  const std::vector<std::string_view> messages;
  const std::vector<ParsedMessage> parsed;
  const std::unique_ptr<pb::Message> empty;
};

void ExpectRowsAndErrors(OracleSchema& schema, const plan::MessagePlan& plan, const Parsed& input) {
  for (const OnError on_error : {OnError::kSkip, OnError::kNull}) {
    std::vector<MessageError> errors;
    const absl::StatusOr<DecodedBatch> batch =
        BatchDecoder::Create(plan, {.on_error = on_error})->Decode(input.messages, &errors);
    ASSERT_TRUE(batch.ok()) << batch.status();
    std::vector<int64_t> refused;
    for (const MessageError& error : errors) {
      refused.push_back(error.message_index);
      EXPECT_EQ(error.row, on_error == OnError::kNull ? error.message_index : -1);
    }
    ASSERT_EQ(refused, input.Refused());
    ASSERT_EQ(Difference(schema, input.ExpectedRows(on_error), *batch), "");
  }
}

std::vector<std::string> RandomMessages(OracleSchema& schema, Random& random, const pb::Descriptor* type, size_t count,
                                        int depth) {
  FillOptions fill;
  fill.depth = depth;
  fill.extensions = &schema.pool();
  std::vector<std::string> messages;
  while (messages.size() < count) {
    const auto message = schema.New(type);
    Fill(random, fill, message.get());
    messages.push_back(message->SerializePartialAsString());
  }
  return messages;
}

TEST(PolicyOracleTest, BrokenMessagesAmongOthers) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  Random random(5);
  for (const plan::MessagePlan* plan : {&EverythingColumns::plan(), &Everything2Columns::plan(), &MapsColumns::plan(),
                                        &ChoicesColumns::plan(), &RequiredColumns::plan(), &ClosedEnumsColumns::plan()}) {
    SCOPED_TRACE(plan->full_name);
    const pb::Descriptor* type = schema.Find(std::string(plan->full_name));
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> messages = RandomMessages(schema, random, type, 20, 3);
      RewriteOptions drop;
      drop.drop = 0.05;  // required fields, too
      for (std::string& message : messages) {
        if (Chance(random, 0.3)) message = Rewrite(random, drop, type, schema.pool(), message);
        if (Chance(random, 0.2)) message = Corrupt(random, message);
      }
      ExpectRowsAndErrors(schema, *plan, Parsed(schema, type, messages));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(PolicyOracleTest, OneCorruptMessageInAThousand) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const plan::MessagePlan& plan = EverythingColumns::plan();
  const pb::Descriptor* type = schema.Find(std::string(plan.full_name));
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::string> messages = RandomMessages(schema, random, type, 1000, 1);
    const size_t corrupt = Pick(random, messages.size());
    const std::string valid = messages[corrupt];
    const auto accepted = [&] {
      const std::string_view message = messages[corrupt];
      return ParseAll(schema, type, std::span(&message, 1))[0].accepted;
    };
    while (accepted()) messages[corrupt] = Corrupt(random, valid + "\x0a\x01x");
    const Parsed input(schema, type, messages);
    ASSERT_EQ(input.Refused(), std::vector<int64_t>{static_cast<int64_t>(corrupt)});
    ExpectRowsAndErrors(schema, plan, input);

    std::vector<MessageError> errors;
    const absl::Status status = BatchDecoder(plan).Decode(input.messages, &errors).status();
    EXPECT_NE(std::string(status.message()).find("message " + std::to_string(corrupt) + ", byte "), std::string::npos)
        << status;
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message_index, static_cast<int64_t>(corrupt));
    EXPECT_LE(errors[0].byte_offset, messages[corrupt].size());
  }
}

}  // namespace
}  // namespace structtensor::testing
