// What the encoder writes, byte for byte. That it loses nothing is shown by the round trips in tests/oracle.
#include "structtensor/core/encode/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "message_set.structtensor.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

DecodeOptions Keeping() {
  DecodeOptions options;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  return options;
}

// The message once decoded and encoded.
template <typename Columns>
std::string Again(const std::string& message, DecodeOptions decode_options = Keeping(), EncodeOptions encode_options = {}) {
  Decoder<Columns> decoder = *Decoder<Columns>::Create(decode_options);
  const std::string_view messages[] = {message};
  const auto batch = decoder.Decode(messages);
  EXPECT_TRUE(batch.ok()) << batch.status();
  if (!batch.ok()) return "";
  const absl::StatusOr<EncodedBatch> encoded = Encoder<Columns>::Create(encode_options)->Encode(*batch);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  if (!encoded.ok() || encoded->size() != 1) return "";
  return std::string((*encoded)[0]);
}

// The bytes are those of libprotobuf's deterministic serialization.
TEST(EncoderTest, BytesAreThoseOfLibprotobuf) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  for (const MessageType& type : MessageTypes()) {
    SCOPED_TRACE(type.name);
    const google::protobuf::Descriptor* descriptor = schema.Find(std::string(type.plan()->full_name));
    const auto linked = ClassOf(schema, std::string(type.plan()->full_name));
    Random random(5);
    FillOptions fill;
    fill.extensions = &schema.pool();
    fill.depth = 3;
    fill.probability = 0.25;
    std::vector<std::string> bytes;
    for (int i = 0; i < 200; ++i) {
      const auto message = schema.New(descriptor);
      Fill(random, fill, message.get());
      ASSERT_TRUE(linked->ParsePartialFromString(message->SerializePartialAsString()));
      bytes.push_back(Canonical(*linked));
    }
    DecodeOptions options = Keeping();
    options.allow_missing_required = true;
    const absl::StatusOr<DecodedBatch> batch = BatchDecoder::Create(*type.plan(), options)->Decode(bytes.begin(), bytes.end());
    ASSERT_TRUE(batch.ok()) << batch.status();
    EncodeOptions encode_options;
    encode_options.sort_map_keys = true;
    const absl::StatusOr<EncodedBatch> encoded = BatchEncoder::Create(*type.plan(), encode_options)->Encode(*batch);
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    ASSERT_EQ(encoded->size(), bytes.size());
    std::string all;
    for (size_t i = 0; i < bytes.size(); ++i) {
      ASSERT_EQ((*encoded)[i], bytes[i]) << "message " << i;
      all += bytes[i];
    }
    EXPECT_EQ(encoded->bytes(), all);
  }
}

TEST(EncoderTest, FieldsTakeTheOrderOfTheirNumbersAndTheirShortestForm) {
  const std::string long_tag = std::string("\x88\x80\x00", 3);                        // of field 1
  const std::string long_value = std::string("\x85\x80\x80\x80\x80\x80\x80\x00", 8);  // 5
  EXPECT_EQ(Again<TreeColumns>(LenField(2, "") + long_tag + long_value), VarintField(1, 5) + LenField(2, ""));
}

TEST(EncoderTest, ImplicitDefaultsAreLeftOut) {
  EXPECT_EQ(Again<TreeColumns>(VarintField(1, 0) + LenField(2, VarintField(1, 0))), LenField(2, ""));
}

TEST(EncoderTest, MapEntriesAreWholeAndSortedOnRequest) {
  // map<sfixed32, fixed32> by_sfixed32 = 9, map<string, string> labels = 20
  const auto by_sfixed32 = [](int32_t key) {
    std::string entry = TagBytes(1, wire_internal::kI32);
    for (int i = 0; i < 4; ++i) entry += static_cast<char>(static_cast<uint32_t>(key) >> (8 * i));
    return LenField(9, entry + TagBytes(2, wire_internal::kI32) + std::string(4, '\0'));
  };
  const auto label = [](std::string_view key) { return LenField(20, LenField(1, key) + LenField(2, "")); };
  EncodeOptions sorted;
  sorted.sort_map_keys = true;
  EXPECT_EQ(Again<MapsColumns>(by_sfixed32(7) + by_sfixed32(-1) + by_sfixed32(2), Keeping(), sorted),
            by_sfixed32(-1) + by_sfixed32(2) + by_sfixed32(7));
  EXPECT_EQ(Again<MapsColumns>(label("b") + label("\xc3\xa9") + label("") + label("ab"), Keeping(), sorted),
            label("") + label("ab") + label("b") + label("\xc3\xa9"));
  EXPECT_EQ(Again<MapsColumns>(label("b") + label("a")), label("b") + label("a"));
  // Neither key nor value: both are written, as libprotobuf does.
  EXPECT_EQ(Again<MapsColumns>(LenField(20, "")), label(""));
}

TEST(EncoderTest, UnknownFieldsFollowTheOthersInTheirOrder) {
  const std::string group = GroupField(700, VarintField(1, 1) + GroupField(2, ""));
  const std::string text = LenField(600, "kept");
  const std::string wrong_type = LenField(1, "");  // value = 1 is a varint
  const std::string inner = LenField(2, text + VarintField(1, 5));
  EXPECT_EQ(Again<TreeColumns>(group + inner + text + wrong_type + VarintField(1, 9)),
            VarintField(1, 9) + LenField(2, VarintField(1, 5) + text) + group + text + wrong_type);
  EncodeOptions without;
  without.unknown_fields = false;
  EXPECT_EQ(Again<TreeColumns>(text + VarintField(1, 9), Keeping(), without), VarintField(1, 9));
  EXPECT_EQ(Again<TreeColumns>(text + VarintField(1, 9), DecodeOptions()), VarintField(1, 9));
}

TEST(EncoderTest, UnknownNumbersOfClosedEnumsAreUnknownFields) {
  // Closed knows 3, -1 and 90. The value keeps all its bytes, even those that an int32 drops.
  const uint64_t large = uint64_t{1} << 40 | 5;
  EXPECT_EQ(Again<ClosedEnumsColumns>(VarintField(1, 4) + VarintField(1, 3)), VarintField(1, 3) + VarintField(1, 4));
  EXPECT_EQ(Again<ClosedEnumsColumns>(LenField(3, Varint(3) + Varint(large) + Varint(90) + Varint(7))),
            LenField(3, Varint(3) + Varint(90)) + VarintField(3, large) + VarintField(3, 7));
  EXPECT_EQ(Again<ClosedEnumsColumns>(VarintField(2, 3) + VarintField(2, 6) + VarintField(2, 90)),
            VarintField(2, 3) + VarintField(2, 90) + VarintField(2, 6));
  EXPECT_EQ(Again<ClosedEnumsColumns>(VarintField(6, 1) + VarintField(4, 11)), VarintField(6, 1) + VarintField(4, 11));
  const auto entry = [](uint64_t value) { return LenField(8, VarintField(1, 1) + VarintField(2, value)); };
  EXPECT_EQ(Again<ClosedEnumsColumns>(entry(77) + entry(1)), entry(1) + entry(77));
}

TEST(EncoderTest, ViewsShowTheUnknownFieldsOfEachRow) {
  const std::string text = LenField(600, "kept");
  const std::string number = VarintField(601, 1);
  const std::vector<std::string> messages = {text + number, VarintField(1, 9), LenField(2, number) + text};
  TreeDecoder decoder = *TreeDecoder::Create(Keeping());
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  ASSERT_TRUE(batch.ok());
  const ColumnView root = batch->node().unknown_fields();
  ASSERT_EQ(root.size(), 3);
  EXPECT_EQ(root.text(0), text + number);
  EXPECT_EQ(root.text(1), "");
  EXPECT_EQ(root.text(2), text);
  const ColumnView left = batch->left().node().unknown_fields();
  ASSERT_EQ(left.size(), 3);
  EXPECT_EQ(left.text(0), "");
  EXPECT_EQ(left.text(2), number);
  EXPECT_EQ(batch->right().node().unknown_fields().text(1), "");
}

// A replaced oneof member and a refused message take their unknown fields with them.
TEST(EncoderTest, UnknownFieldsGoWithTheirMessage) {
  DecodeOptions options = Keeping();
  options.on_error = DecodeOptions::OnError::kSkip;
  const std::string unknown = LenField(900, "lost");
  const std::vector<std::string> messages = {unknown + LenField(2, unknown) + "\x0a", VarintField(1, 3)};
  TreeDecoder decoder = *TreeDecoder::Create(options);
  std::vector<MessageError> errors;
  const auto batch = decoder.Decode(messages.begin(), messages.end(), &errors);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(errors.size(), 1);
  ASSERT_EQ(batch->nrows(), 1);
  EXPECT_EQ(batch->node().unknown_fields().text(0), "");
}

TEST(EncoderTest, MessageSetsAreItems) {
  const auto item = [](uint32_t number, const std::string& message) {
    return GroupField(1, VarintField(2, number) + LenField(3, message));
  };
  const std::string known = item(1000, VarintField(1, 4));
  const std::string largest = item(2147483646, VarintField(5, 1));
  EXPECT_EQ(Again<SetColumns>(largest + known), known + largest);
  // The message in front of its number, and as an ordinary field.
  EXPECT_EQ(Again<SetColumns>(GroupField(1, LenField(3, VarintField(1, 4)) + VarintField(2, 1000))), known);
  EXPECT_EQ(Again<SetColumns>(LenField(1000, VarintField(1, 4))), known);
  // What else is in an item of a known type is kept in an item of its own; an item of an unknown type is kept whole.
  const std::string other = VarintField(9, 9);
  EXPECT_EQ(Again<SetColumns>(GroupField(1, other + VarintField(2, 1000) + LenField(3, VarintField(1, 4)))),
            known + GroupField(1, other));
  const std::string whole = GroupField(1, VarintField(2, 77) + LenField(3, "abc") + other);
  EXPECT_EQ(Again<SetColumns>(whole), whole);
  const std::string unknown = item(77, "abc");
  EXPECT_EQ(Again<SetColumns>(unknown + known), known + unknown);
}

// Short strings are copied together with bytes in front of them; the first ones of a column have none.
TEST(EncoderTest, StringsOfEveryLength) {
  std::vector<std::string> messages;
  for (size_t size = 0; size <= 140; ++size) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + (size + i) % 26);
    messages.push_back(LenField(20, LenField(1, text) + LenField(2, text)));
  }
  for (const bool longest_first : {false, true}) {
    if (longest_first) std::reverse(messages.begin(), messages.end());
    MapsDecoder decoder;
    const auto batch = decoder.Decode(messages.begin(), messages.end());
    ASSERT_TRUE(batch.ok());
    const auto encoded = MapsEncoder().Encode(*batch);
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(std::vector<std::string>(encoded->begin(), encoded->end()), messages);
  }
}

// Rows that have few of a wide type's fields are written from lists, rows that have many by going through all that the batch
// has.
TEST(EncoderTest, WideMessagesAreWrittenAlikeHoweverManyFieldsTheyHave) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  for (const plan::MessagePlan* plan : {&WideColumns::plan(), &WideMixedColumns::plan()}) {
    SCOPED_TRACE(plan->full_name);
    const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan->full_name));
    const auto linked = ClassOf(schema, std::string(plan->full_name));
    Random random(3);
    DecodeOptions options = Keeping();
    options.allow_missing_required = true;
    BatchDecoder decoder = *BatchDecoder::Create(*plan, options);
    BatchEncoder encoder = *BatchEncoder::Create(*plan, {.sort_map_keys = true});
    for (const double probability : {0.002, 0.02, 0.1, 0.3, 0.9}) {
      FillOptions fill;
      fill.probability = probability;
      for (const size_t rows : {1, 2, 300}) {
        std::vector<std::string> bytes;
        while (bytes.size() < rows) {
          const auto message = schema.New(descriptor);
          Fill(random, fill, message.get());
          ASSERT_TRUE(linked->ParsePartialFromString(message->SerializePartialAsString()));
          bytes.push_back(Canonical(*linked));
        }
        const absl::StatusOr<DecodedBatch> batch = decoder.Decode(bytes.begin(), bytes.end());
        ASSERT_TRUE(batch.ok()) << batch.status();
        const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(*batch);
        ASSERT_TRUE(encoded.ok()) << encoded.status();
        EXPECT_EQ(std::vector<std::string>(encoded->begin(), encoded->end()), bytes) << probability;
      }
    }
  }
}

// Values that a row of a wide type copies, and those that are too long for that.
TEST(EncoderTest, WideMessagesWithStringsOfEveryLength) {
  DecodeOptions options;
  options.allow_missing_required = true;
  for (const plan::FieldPlan& field : WideMixedColumns::plan().fields) {
    if (field.kind != plan::Kind::kString || field.is_repeated()) continue;
    std::vector<std::string> messages(400, "");
    for (size_t size = 0; size <= 140; ++size)
      messages[size * 2] = LenField(static_cast<uint32_t>(field.number), std::string(size, 'x'));
    BatchDecoder decoder = *BatchDecoder::Create(WideMixedColumns::plan(), options);
    const auto batch = decoder.Decode(messages.begin(), messages.end());
    ASSERT_TRUE(batch.ok()) << batch.status();
    const auto encoded = BatchEncoder(WideMixedColumns::plan()).Encode(*batch);
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(std::vector<std::string>(encoded->begin(), encoded->end()), messages);
  }
}

TEST(EncoderTest, OutputsOutliveTheEncoderAndAreReused) {
  const std::vector<std::string> messages = {VarintField(1, 1), VarintField(1, 2), ""};
  TreeDecoder decoder;
  const auto batch = decoder.Decode(messages.begin(), messages.end());
  ASSERT_TRUE(batch.ok());
  auto encoder = std::make_unique<TreeEncoder>();
  const void* memory = nullptr;
  {
    const auto first = encoder->Encode(*batch);
    ASSERT_TRUE(first.ok());
    memory = first->bytes().data();
  }
  const auto second = encoder->Encode(*batch);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->bytes().data(), memory);
  const auto third = encoder->Encode(*batch);
  encoder.reset();
  EXPECT_NE(third->bytes().data(), memory);
  EXPECT_EQ(std::vector<std::string>(second->begin(), second->end()), messages);
  EXPECT_EQ(std::vector<std::string>(third->begin(), third->end()), messages);
}

TEST(EncoderTest, EmptyBatchesAndForeignOnes) {
  TreeDecoder decoder;
  const auto batch = decoder.Decode(std::span<const std::string_view>());
  ASSERT_TRUE(batch.ok());
  const auto encoded = TreeEncoder().Encode(*batch);
  ASSERT_TRUE(encoded.ok());
  EXPECT_EQ(encoded->size(), 0);
  EXPECT_EQ(encoded->bytes(), "");
  const absl::StatusOr<EncodedBatch> foreign = BatchEncoder(MapsColumns::plan()).Encode(batch->decoded());
  EXPECT_EQ(foreign.status().message(),
            "the encoder is for structtensor.testing.Maps, the batch has structtensor.testing.Tree messages");
}

// What libprotobuf makes of messages that were decoded and encoded with only some fields is what it makes of them without the
// others.
TEST(EncoderTest, ProjectedBatchesEncodeTheFieldsTheyHave) {
  const std::string inner = LenField(5, LenField(1, "key") + LenField(2, VarintField(1, 7))) + VarintField(1, 3);
  const std::vector<std::string> messages = {VarintField(1, 5) + LenField(2, inner) + LenField(4, inner) + LenField(4, ""), ""};
  struct {
    std::vector<std::string> fields;
    std::string expected;
  } const cases[] = {
      {{"value"}, VarintField(1, 5)},
      {{"left.value"}, LenField(2, VarintField(1, 3))},
      {{"children"},
       LenField(4, VarintField(1, 3) + LenField(5, LenField(1, "key") + LenField(2, VarintField(1, 7)))) + LenField(4, "")},
      {{"children.value", "value"}, VarintField(1, 5) + LenField(4, VarintField(1, 3)) + LenField(4, "")},
      {{"right"}, ""},
  };
  for (const auto& [fields, expected] : cases) {
    SCOPED_TRACE(fields[0]);
    TreeDecoder decoder = *TreeDecoder::Create({.fields = fields});
    const auto batch = decoder.Decode(messages);
    ASSERT_TRUE(batch.ok()) << batch.status();
    const auto encoded = TreeEncoder().Encode(*batch);
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    EXPECT_EQ((*encoded)[0], expected);
    EXPECT_EQ((*encoded)[1], "");
  }
}

TEST(EncoderTest, ChosenMapKeysCannotBeEncodedAndTheErrorSaysSo) {
  BatchDecoder decoder = *BatchDecoder::Create(TreeColumns::plan(), {.fields = {"left.named[\"key\"].value"}});
  const auto batch = decoder.Decode(std::vector<std::string>{""});
  ASSERT_TRUE(batch.ok()) << batch.status();
  const absl::Status status = BatchEncoder(TreeColumns::plan()).Encode(batch->tree()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("chosen keys cannot be encoded"), std::string::npos) << status;
  EXPECT_NE(std::string(status.message()).find("map named"), std::string::npos) << status;
}

}  // namespace
}  // namespace structtensor::testing
