// The arguments that typed decoders and encoders accept, and code that must not compile.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "everything.structtensor.h"

namespace structtensor::testing {
namespace {

template <typename Decoder, typename Messages>
concept Decodes = requires(Decoder decoder, Messages&& messages) {
  decoder.Decode(std::forward<Messages>(messages));
};
template <typename Encoder, typename Batch>
concept Encodes = requires(Encoder encoder, const Batch& batch) {
  encoder.Encode(batch);
};

// Strings or views of strings that are made when they are asked for, one after another.
template <typename Element>
struct Made {
  struct Iterator {
    using value_type = Element;
    using difference_type = ptrdiff_t;
    Element operator*() const { return Element(*at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    void operator++(int) { ++at; }
    bool operator==(const Iterator& other) const { return at == other.at; }
    const std::string* at = nullptr;
  };
  Iterator begin() const { return {strings.data()}; }
  Iterator end() const { return {strings.data() + strings.size()}; }
  std::span<const std::string> strings;
};
using MadeStrings = Made<std::string>;
using Views = Made<std::string_view>;

// Reads each string into the same place.
struct StreamOfStrings {
  std::istream_iterator<std::string> begin() const { return {}; }
  std::istream_iterator<std::string> end() const { return {}; }
};

static_assert(Decodes<TreeDecoder, const std::vector<std::string>&>);
static_assert(Decodes<TreeDecoder, std::vector<std::string>>);
static_assert(Decodes<TreeDecoder, std::vector<std::string_view>&>);
static_assert(Decodes<TreeDecoder, std::span<const std::string_view>>);
static_assert(Decodes<TreeDecoder, std::list<std::string>&>);
static_assert(Decodes<TreeDecoder, Views>);
static_assert(Decodes<BatchDecoder, const std::vector<std::string>&>);
// Ranges of const char* are refused by a static_assert: tests/compiler/zero_terminated.cc.

// Strings that are made as the decoder asks for them would be gone before it reads them.
static_assert(!Decodes<TreeDecoder, MadeStrings>);
static_assert(!Decodes<BatchDecoder, MadeStrings>);
static_assert(!Decodes<TreeDecoder, StreamOfStrings>);
static_assert(!Decodes<BatchDecoder, StreamOfStrings>);
// One message is not a range of messages.
static_assert(!Decodes<TreeDecoder, std::string>);
static_assert(!Decodes<TreeDecoder, std::string_view>);
static_assert(!Decodes<TreeDecoder, const char*>);
static_assert(!Decodes<TreeDecoder, std::vector<int>>);

static_assert(Encodes<TreeEncoder, TreeBatch>);
static_assert(!Encodes<TreeEncoder, MapsBatch>);
static_assert(!Encodes<TreeEncoder, DecodedBatch>);
static_assert(std::is_convertible_v<const TreeBatch&, const DecodedBatch&>);
static_assert(!std::is_convertible_v<const TreeBatch&, MapsBatch>);
// Only TypedBatch() gives a batch of any decoder a type, and checks it.
static_assert(!std::is_constructible_v<MapsBatch, const TreeBatch&>);
static_assert(!std::is_constructible_v<TreeBatch, DecodedBatch>);

// Options are checked where they are given, so no constructor takes them.
static_assert(!std::is_constructible_v<TreeDecoder, DecodeOptions>);
static_assert(!std::is_constructible_v<BatchDecoder, const plan::MessagePlan&, DecodeOptions>);

TEST(TypedDecoderTest, TakesRangesOfStrings) {
  TreeDecoder decoder;
  const std::vector<std::string> strings = {"\x08\x01", "", "\x08\x03"};
  for (const auto& batch : {decoder.Decode(strings), decoder.Decode(std::list<std::string>(strings.begin(), strings.end())),
                            decoder.Decode(Views{strings}), decoder.Decode(strings.begin(), strings.end())}) {
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->nrows(), 3u);
    EXPECT_EQ(batch->value()[2], 3);
  }
}

TEST(TypedDecoderTest, TellsValuesOfOtherWireTypes) {
  TreeDecoder decoder;
  ASSERT_TRUE(decoder.Decode(std::vector<std::string>{std::string("\x0d\0\0\0\0", 5)}).ok());
  ASSERT_EQ(decoder.wire_type_mismatches().size(), 1u);
  EXPECT_EQ(decoder.wire_type_mismatches()[0].count, 1);
}

TEST(TypedBatchTest, GivesABatchItsType) {
  const std::vector<std::string> messages = {"\x08\x01", ""};
  const auto typed = TypedBatch<TreeBatch>(*BatchDecoder(TreeColumns::plan()).Decode(messages));
  ASSERT_TRUE(typed.ok()) << typed.status();
  EXPECT_EQ(typed->value()[0], 1);
  // The plan of an engine is another object.
  plan::MessagePlan other = TreeColumns::plan();
  const auto by_other = TypedBatch<TreeBatch>(*BatchDecoder(other).Decode(messages));
  EXPECT_TRUE(by_other.ok()) << by_other.status();
}

TEST(TypedBatchTest, RefusesBatchesOfOtherTypes) {
  const auto wrong = TypedBatch<TwinBatch>(*BatchDecoder(TreeColumns::plan()).Decode(std::vector<std::string>{""}));
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  // A field less, as in an older version of the schema.
  plan::MessagePlan older = TreeColumns::plan();
  older.fields = older.fields.first(older.fields.size() - 1);
  const auto old = TypedBatch<TreeBatch>(*BatchDecoder(older).Decode(std::vector<std::string>{""}));
  EXPECT_EQ(old.status().code(), absl::StatusCode::kInvalidArgument);
}

// Accessors read whole maps. Were a chosen key let through, they would answer that it is absent.
TEST(TypedDecoderTest, RefusesKeysOfMaps) {
  for (const char* const path :
       {"named[\"key\"]", "named[\"key\"].value", "left.named[\"key\"]", "children.twin.tree.named[\"\"]"}) {
    const std::vector<std::vector<std::string>> lists = {
        {path}, {"value", path}, {path, "right.named"}, {"twin.tree.named", path}};
    for (const std::vector<std::string>& fields : lists) {
      const absl::Status status = TreeDecoder::Create({.fields = fields}).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
      EXPECT_NE(std::string(status.message()).find("DecodeOptions::fields choose keys of the map named, "), std::string::npos)
          << status;
      // A decoder of tensors takes them, but its batches have no type.
      const auto batch =
          BatchDecoder::Create(TreeColumns::plan(), {.fields = fields})->Decode(std::vector<std::string>{"\x08\x01"});
      ASSERT_TRUE(batch.ok()) << batch.status();
      EXPECT_EQ(TypedBatch<TreeBatch>(*batch).status(), status);
      EXPECT_NE(TypedBatch<TwinBatch>(*batch).status(), status);
    }
  }
}

TEST(TypedDecoderTest, TakesWholeMaps) {
  const std::string entry = "\x2a\x07\n\x01" + std::string("a") + "\x12\x02\x08\x05";  // named: {"a": {value: 5}}
  const std::vector<std::vector<std::string>> lists = {{"named"},
                                                       {"named", "named[\"a\"]"},
                                                       {"named[\"b\"]", "named"},
                                                       {"named.value.value"},
                                                       {"named.value", "named[\"a\"].left"}};
  for (const std::vector<std::string>& fields : lists) {
    absl::StatusOr<TreeDecoder> decoder = TreeDecoder::Create({.fields = fields});
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    const auto batch = decoder->Decode(std::vector<std::string>{entry});
    ASSERT_TRUE(batch.ok()) << batch.status();
    const auto found = (*batch)[0].named().find("a");
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->value(), 5);
  }
}

TEST(TypedEncoderTest, BringsMessagesBack) {
  const std::vector<std::string> messages = {"\x08\x01", ""};
  TreeEncoder encoder = *TreeEncoder::Create({});
  const auto encoded = encoder.Encode(*TreeDecoder().Decode(messages));
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(std::vector<std::string>(encoded->begin(), encoded->end()), messages);
}

TEST(TypedEncoderTest, APlanWithoutEncoders) {
  plan::MessagePlan plan = TreeColumns::plan();
  plan.encode = nullptr;
  EXPECT_EQ(BatchEncoder::Create(plan, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  const auto batch = TreeDecoder().Decode(std::vector<std::string>{""});
  EXPECT_EQ(BatchEncoder(plan).Encode(batch->decoded().tree()).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace structtensor::testing
