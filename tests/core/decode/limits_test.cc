// Messages of a megabyte or less that are made to need far more: each is refused by a limit that its error names, and by then
// has cost little. And what a limit does to the other messages of a batch: nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "heap_meter.h"
#include "structtensor/core/decode/decoder.h"
#include "wide.structtensor.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// `piece` as often as it fits into a megabyte.
std::string Megabyte(std::string_view piece) {
  std::string message;
  message.reserve(kMiB);
  while (message.size() + piece.size() <= kMiB) message += piece;
  return message;
}

// The error of a message that is refused, which must have cost no more heap than `most_bytes`.
MessageError Refused(const plan::MessagePlan& plan, const std::string& message, const DecodeOptions& options,
                     size_t most_bytes) {
  const std::string_view messages[] = {message};
  std::vector<MessageError> errors;
  const HeapMeter heap;
  {
    BatchDecoder decoder = *BatchDecoder::Create(plan, options);
    EXPECT_FALSE(decoder.Decode(messages, &errors).ok());
  }
  EXPECT_LE(heap.peak_bytes(), most_bytes);
  if (errors.size() != 1) {
    ADD_FAILURE() << errors.size() << " errors, expected one";
    return {};
  }
  EXPECT_EQ(errors[0].status.code(), absl::StatusCode::kResourceExhausted);
  return errors[0];
}

void ExpectRefused(const plan::MessagePlan& plan, const std::string& message, const DecodeOptions& options, size_t most_bytes,
                   const std::string& limit) {
  const MessageError error = Refused(plan, message, options, most_bytes);
  EXPECT_NE(error.problem.find(limit + "`;"), std::string::npos) << error.problem;
}

TEST(LimitsTest, EmptySubmessagesOfAWideType) {
  const std::string limit = "max_cells=268435456";
  ExpectRefused(WideListColumns::plan(), Megabyte(LenField(1, "")), {}, 8 * kMiB, limit);
  ExpectRefused(WideListColumns::plan(), Megabyte(GroupField(2, LenField(1, ""))), {}, 16 * kMiB, limit);  // singular, in rows
  ExpectRefused(WideListColumns::plan(), Megabyte(LenField(3, LenField(1, ""))), {}, 16 * kMiB, limit);

  // A type without fields needs no limit but that on rows.
  DecodeOptions options;
  options.max_rows = 500000;
  ExpectRefused(WideListColumns::plan(), Megabyte(LenField(4, "")), options, 8 * kMiB, "max_rows=500000");
  options.max_rows = 600000;
  const std::string message = Megabyte(LenField(4, ""));
  const std::string_view messages[] = {message};
  EXPECT_TRUE(BatchDecoder::Create(WideListColumns::plan(), options)->Decode(messages).ok());
}

TEST(LimitsTest, PackedRuns) {
  DecodeOptions options;
  options.max_memory_bytes = 4 * kMiB;
  for (const uint32_t field : {13u, 15u, 17u}) {  // a byte of the run makes eight of the column
    const std::string run = LenField(field, std::string(1000, '\1'));
    ExpectRefused(UnpackedColumns::plan(), Megabyte(run), options, 6 * kMiB, "max_memory_bytes=4194304");
  }
  // One run alone.
  ExpectRefused(UnpackedColumns::plan(), LenField(13, std::string(kMiB - 10, '\1')), options, 6 * kMiB,
                "max_memory_bytes=4194304");
}

// Writes from inside out, since each length needs to know what it is the length of.
template <typename Wrap>
std::string Nested(int levels, Wrap wrap) {
  std::string message;
  for (int i = 0; i < levels; ++i) message = wrap(std::move(message));
  return message;
}

TEST(LimitsTest, Nesting) {
  const auto known_message = [](std::string inner) { return LenField(2, inner); };
  const auto known_group = [](std::string inner) { return GroupField(16, LenField(3, inner)); };
  const auto unknown_group = [](std::string inner) { return GroupField(900, inner); };
  const auto unknown_message = [](std::string inner) { return LenField(900, inner); };
  const auto in_map = [](std::string inner) { return LenField(5, LenField(2, inner)); };
  for (const DecodeOptions::UnknownFields unknown_fields :
       {DecodeOptions::UnknownFields::kDrop, DecodeOptions::UnknownFields::kKeep}) {
    DecodeOptions options;
    options.unknown_fields = unknown_fields;
    const std::string limit = "max_depth=100";
    ExpectRefused(TreeColumns::plan(), Nested(10000, known_message), options, 2 * kMiB, limit);
    ExpectRefused(TreeColumns::plan(), Nested(10000, in_map), options, 2 * kMiB, limit);
    ExpectRefused(GroupsColumns::plan(), Nested(10000, known_group), options, 2 * kMiB, limit);
    ExpectRefused(TreeColumns::plan(), Nested(10000, unknown_group), options, 2 * kMiB, limit);

    // Unknown length-delimited fields are not parsed, so they have no depth.
    const std::string opaque = Nested(10000, unknown_message);
    const std::string_view messages[] = {opaque};
    EXPECT_TRUE(BatchDecoder::Create(TreeColumns::plan(), options)->Decode(messages).ok());
  }
}

// A binary tree of messages. Each message is at its own path and so has its own node.
std::string BinaryTree(int depth) {
  if (depth == 0) return "";
  const std::string child = BinaryTree(depth - 1);
  return LenField(1, child) + LenField(2, child);
}

TEST(LimitsTest, APathForEachSubmessage) {
  const std::string tree = BinaryTree(17);
  EXPECT_GT(tree.size(), kMiB / 2);
  EXPECT_LT(tree.size(), 2 * kMiB);
  DecodeOptions options;
  options.max_paths = UINT32_MAX;
  options.max_memory_bytes = 64 * kMiB;
  ExpectRefused(WideTreeColumns::plan(), tree, options, 70 * kMiB, "max_memory_bytes=67108864");
}

// The same for a type with few fields, as trees have them, and by default.
TEST(LimitsTest, PathsOfATypeThatContainsItself) {
  const auto tree = [](auto self, int depth) -> std::string {
    if (depth == 0) return "";
    const std::string child = self(self, depth - 1);
    return LenField(2, child) + LenField(4, child);  // left, children
  };
  const std::string message = tree(tree, 17);
  EXPECT_GT(message.size(), kMiB / 2);
  const MessageError error = Refused(TreeColumns::plan(), message, {}, 64 * kMiB);
  EXPECT_NE(error.problem.find("more different paths than `max_paths=16384`;"), std::string::npos) << error.problem;
  EXPECT_EQ(error.field_path.rfind("left.left.left.left.", 0), 0u) << error.field_path;
  // Bounded by the type, there is no need for it.
  const std::string_view messages[] = {message};
  EXPECT_TRUE(BatchDecoder::Create(TreeColumns::plan(), {.recursion_depth = 1})->Decode(messages).ok());
}

// Paths count, not messages: "children" and "children.children" are two, in however many rows.
TEST(LimitsTest, PathsAreCountedOnceForABatch) {
  const auto chain = [](uint32_t field, int depth) {
    std::string message = VarintField(1, 7);
    for (int i = 0; i < depth; ++i) message = LenField(field, message);
    return message;
  };
  const std::string children = chain(4, 10) + chain(4, 10);
  const std::string left = chain(2, 10);
  const std::string named = LenField(5, LenField(1, "k") + LenField(2, ""));  // the map, and its values
  for (const uint32_t most : {9u, 10u, 11u, 12u, 19u, 20u}) {
    SCOPED_TRACE(most);
    BatchDecoder decoder = *BatchDecoder::Create(TreeColumns::plan(), {.max_paths = most});
    EXPECT_EQ(decoder.Decode(std::vector<std::string>{children, children, children}).ok(), most >= 10);
    EXPECT_EQ(decoder.Decode(std::vector<std::string>{left}).ok(), most >= 10);  // whatever batches before it had
    EXPECT_EQ(decoder.Decode(std::vector<std::string>{children, left}).ok(), most >= 20);
    EXPECT_EQ(decoder.Decode(std::vector<std::string>{children + named}).ok(), most >= 12);
    EXPECT_TRUE(decoder.Decode(std::vector<std::string>{"", VarintField(1, 7)}).ok());
  }
  EXPECT_TRUE(
      BatchDecoder::Create(TreeColumns::plan(), {.max_paths = 0})->Decode(std::vector<std::string>{VarintField(1, 7)}).ok());
  EXPECT_FALSE(BatchDecoder::Create(TreeColumns::plan(), {.max_paths = 0})->Decode(std::vector<std::string>{left}).ok());

  // Messages that exceed the limit alone are broken ones. Those that exceed it together need smaller batches.
  BatchDecoder skipping =
      *BatchDecoder::Create(TreeColumns::plan(), {.on_error = DecodeOptions::OnError::kSkip, .max_paths = 15});
  std::vector<MessageError> errors;
  const auto rest = skipping.Decode(std::vector<std::string>{left, chain(2, 16), left}, &errors);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(rest->nrows(), 2);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].message_index, 1);
  errors.clear();
  const absl::Status together = skipping.Decode(std::vector<std::string>{children, left}, &errors).status();
  EXPECT_EQ(together.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(together.message()),
            "batch of 2 messages: field left.left.left.left.left.left: messages are at more different paths than "
            "`max_paths=15`; decode fewer messages at a time, or raise that limit");
  EXPECT_TRUE(errors.empty());
}

TEST(LimitsTest, UnknownFieldsThatAreKept) {
  DecodeOptions options;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  options.max_memory_bytes = 4 * kMiB;
  // Known fields between them keep the unknown ones from being one range of the input.
  const std::string message = Megabyte(VarintField(1, 1) + VarintField(15, 1));
  ExpectRefused(TreeColumns::plan(), message, options, 6 * kMiB, "max_memory_bytes=4194304");
  // In a row for each.
  ExpectRefused(TreeColumns::plan(), Megabyte(LenField(4, VarintField(15, 1))), options, 6 * kMiB, "max_memory_bytes=4194304");
}

// Each element lacks what it requires; the list of what is missing does not grow with them.
TEST(LimitsTest, MissingRequiredFields) {
  const std::string message = Megabyte(LenField(8, ""));
  const std::string_view messages[] = {message};
  DecodeOptions accepting;
  accepting.allow_missing_required = true;
  size_t accepted_bytes;
  {
    const HeapMeter heap;
    EXPECT_TRUE(BatchDecoder::Create(Everything2Columns::plan(), accepting)->Decode(messages).ok());
    accepted_bytes = heap.peak_bytes();
  }
  std::vector<MessageError> errors;
  const HeapMeter heap;
  EXPECT_FALSE(BatchDecoder(Everything2Columns::plan()).Decode(messages, &errors).ok());
  EXPECT_LE(heap.peak_bytes(), accepted_bytes + kMiB);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].field_path, "requireds.id");
}

// Errors need much more memory than the messages that they are about.
TEST(LimitsTest, ErrorsOfManyMessages) {
  const std::vector<std::string_view> broken(200'000, "\x08");                  // cut off
  const std::vector<std::string_view> incomplete(200'000, std::string_view());  // lack a required field
  for (const DecodeOptions::OnError on_error : {DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
    const DecodeOptions options = {.on_error = on_error, .max_memory_bytes = 32 * kMiB};
    for (const auto& [plan, messages] :
         {std::pair(&TreeColumns::plan(), &broken), std::pair(&RequiredColumns::plan(), &incomplete)}) {
      BatchDecoder decoder = *BatchDecoder::Create(*plan, options);
      std::vector<MessageError> errors;
      const HeapMeter heap;
      for (int round = 0; round < 2; ++round) {
        const absl::Status status = decoder.Decode(*messages, &errors).status();
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
        EXPECT_EQ(std::string(status.message()),
                  "batch of 200000 messages: the errors of its messages need more memory than `max_memory_bytes=33554432`; "
                  "decode fewer messages at a time, or raise that limit");
        EXPECT_TRUE(errors.empty());
      }
      EXPECT_LE(heap.peak_bytes(), 100 * kMiB);  // columns, errors, and the vector when it grows
      // Fewer at a time are listed as always.
      EXPECT_TRUE(decoder.Decode(std::span(*messages).first(1000), &errors).ok());
      EXPECT_EQ(errors.size(), 1000u);
      EXPECT_EQ(errors.back().message_index, 999);
    }
  }
}

TEST(LimitsTest, BytesOfAMessage) {
  DecodeOptions options;
  options.max_message_bytes = 10;
  const MessageError error = Refused(EverythingColumns::plan(), LenField(1, "123456789"), options, kMiB);
  EXPECT_NE(error.problem.find("max_message_bytes=10`;"), std::string::npos) << error.problem;
  const std::string fits = LenField(1, "12345678");
  const std::string_view messages[] = {fits};
  EXPECT_TRUE(BatchDecoder::Create(EverythingColumns::plan(), options)->Decode(messages).ok());
}

// --- A limit and the other messages of the batch

// A message that ends in the middle of a page. One that ends near the end of a page is copied, which takes memory, too.
class InMiddleOfPage {
 public:
  explicit InMiddleOfPage(std::string_view message) : memory_(message.size() + 2 * kPageBytes, '\0') {
    const size_t end_in_page = (reinterpret_cast<uintptr_t>(memory_.data()) + message.size()) % kPageBytes;
    const size_t begin = (kPageBytes + kPageBytes / 2 - end_in_page) % kPageBytes;
    message.copy(memory_.data() + begin, message.size());
    view_ = std::string_view(memory_).substr(begin, message.size());
  }
  InMiddleOfPage(const InMiddleOfPage&) = delete;
  InMiddleOfPage& operator=(const InMiddleOfPage&) = delete;

  std::string_view view() const { return view_; }

 private:
  static constexpr size_t kPageBytes = 4096;

  std::string memory_;
  std::string_view view_;
};

struct Limit {
  const char* name;
  DecodeOptions options;
  std::string too_much;  // for any batch
  std::string half;      // fits alone, but not twice
};

std::vector<Limit> LimitsOfBatches() {
  const auto elements = [](int count) {
    std::string message;
    for (int i = 0; i < count; ++i) message += LenField(4, VarintField(1, 5));
    return message;
  };
  std::vector<Limit> limits;
  limits.push_back({"max_rows=90", {.max_rows = 90}, elements(100), elements(60)});
  limits.push_back({"max_cells=540", {.max_cells = 540}, elements(100), elements(60)});  // Tree has 6 fields
  limits.push_back({"max_memory_bytes=1048576",
                    {.max_memory_bytes = kMiB},
                    LenField(15, std::string(kMiB, 'x')),  // stays in the input until the batch is finished
                    LenField(15, std::string(size_t{600} << 10, 'x'))});
  return limits;
}

class BatchLimitsTest : public ::testing::TestWithParam<size_t> {
 protected:
  BatchDecoder MakeDecoder(DecodeOptions::OnError on_error) {
    DecodeOptions options = limit_.options;
    options.on_error = on_error;
    const bool of_strings = options.max_memory_bytes == kMiB;
    return *BatchDecoder::Create(of_strings ? ImplicitColumns::plan() : TreeColumns::plan(), options);
  }

  const Limit limit_ = LimitsOfBatches()[GetParam()];
  const std::string small_ = VarintField(4, 5);
  std::vector<MessageError> errors_;
};

TEST_P(BatchLimitsTest, AMessageThatExceedsOneDoesNoHarm) {
  const InMiddleOfPage half(limit_.half);
  const std::vector<std::string_view> messages = {small_, limit_.too_much, half.view(), limit_.too_much, small_};

  const absl::StatusOr<DecodedBatch> skipped = MakeDecoder(DecodeOptions::OnError::kSkip).Decode(messages, &errors_);
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  EXPECT_EQ(skipped->nrows(), 3);
  ASSERT_EQ(errors_.size(), 2u);
  for (const size_t i : {0u, 1u}) {
    EXPECT_EQ(errors_[i].message_index, i == 0 ? 1 : 3);
    EXPECT_EQ(errors_[i].row, -1);
    EXPECT_NE(errors_[i].problem.find(limit_.name), std::string::npos) << errors_[i].problem;
    EXPECT_EQ(errors_[i].status.code(), absl::StatusCode::kResourceExhausted);
  }

  errors_.clear();
  const absl::StatusOr<DecodedBatch> null = MakeDecoder(DecodeOptions::OnError::kNull).Decode(messages, &errors_);
  ASSERT_TRUE(null.ok()) << null.status();
  EXPECT_EQ(null->nrows(), 5);
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_EQ(errors_[1].row, 3);

  errors_.clear();
  const absl::StatusOr<DecodedBatch> failed = MakeDecoder(DecodeOptions::OnError::kFail).Decode(messages, &errors_);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(std::string(failed.status().message()).find("message 1, "), std::string::npos) << failed.status();
  ASSERT_EQ(errors_.size(), 1u);
  EXPECT_EQ(errors_[0].message_index, 1);
}

TEST_P(BatchLimitsTest, MessagesThatExceedOneTogetherAreNotToBlame) {
  const InMiddleOfPage half(limit_.half);
  for (const DecodeOptions::OnError on_error :
       {DecodeOptions::OnError::kFail, DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
    BatchDecoder decoder = MakeDecoder(on_error);
    const std::vector<std::string_view> messages = {half.view(), small_, half.view()};
    const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages, &errors_);
    ASSERT_FALSE(batch.ok());
    const std::string text(batch.status().message());
    EXPECT_EQ(batch.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_NE(text.find(limit_.name), std::string::npos) << text;
    EXPECT_NE(text.find("decode fewer messages at a time"), std::string::npos) << text;
    EXPECT_TRUE(errors_.empty());
    // The decoder is as good as new.
    EXPECT_TRUE(decoder.Decode(std::span(messages).first(2)).ok());
    EXPECT_TRUE(decoder.Decode(std::span(messages).last(2)).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(All, BatchLimitsTest, ::testing::Range(size_t{0}, LimitsOfBatches().size()));

TEST(LimitsTest, MemoryThatEarlierBatchesNeededIsNotMissed) {
  DecodeOptions options;
  options.max_memory_bytes = kMiB;
  BatchDecoder decoder = *BatchDecoder::Create(ImplicitColumns::plan(), options);
  for (const uint32_t field : {14u, 15u, 14u}) {
    const InMiddleOfPage message(LenField(field, std::string(400000, 'x')));
    const std::string_view messages[] = {message.view()};
    EXPECT_TRUE(decoder.Decode(messages).ok()) << field;
  }
}

TEST(LimitsTest, MessagesOfABatchAreRows) {
  DecodeOptions options;
  options.max_rows = 2;
  const std::vector<std::string_view> messages(3);
  const absl::Status status = BatchDecoder::Create(TreeColumns::plan(), options)->Decode(messages).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(std::string(status.message()).find("max_rows=2"), std::string::npos) << status;
  EXPECT_TRUE(BatchDecoder::Create(TreeColumns::plan(), options)->Decode(std::span(messages).first(2)).ok());
}

}  // namespace
}  // namespace structtensor::testing
