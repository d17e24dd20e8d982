// BatchDecoder::DecodeViews: a batch whose strings stay in the input reads like one that has copied them, and copies are
// made when somebody needs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "everything.structtensor.h"
#include "guarded_bytes.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"
#include "views_compare.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

// Timestamps as they are: random ones do not fit in nanoseconds.
constexpr TensorOptions kPlainStructs = {.optionals = Optionals::kNullable, .well_known_types = WellKnownTypes::kStructs};

DecodedBatch Decode(BatchDecoder& decoder, const std::vector<std::string_view>& messages) {
  return decoder.Decode(messages).value();
}

DecodedBatch DecodeViews(BatchDecoder& decoder, const std::vector<std::string_view>& messages) {
  return decoder.DecodeViews(messages).value();
}

std::string Json(const DecodedBatch& batch) {
  const absl::StatusOr<StructuredTensor> tensor = ToStructuredTensor(batch, kPlainStructs);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.ok() ? ToJson(*tensor) : "";
}

std::vector<std::string> Encoded(const DecodedBatch& batch) {
  const absl::StatusOr<EncodedBatch> encoded = BatchEncoder(batch.plan()).Encode(batch.tree());
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  if (!encoded.ok()) return {};
  return {encoded->begin(), encoded->end()};
}

// Messages of the plan's type at random, written in every way; some are broken, and some lack required fields.
std::vector<std::string> MessagesWithStrings(const plan::MessagePlan& plan, size_t count) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* type = schema.Find(std::string(plan.full_name));
  Random random(31);
  const RewriteOptions rewrite{
      .shuffle = 0.3, .pack = 0.3, .long_varints = 0.1, .unknown = 0.1, .wrong_wire_type = 0.1, .repeat = 0.2, .drop = 0.05};
  std::vector<std::string> messages(count);
  for (std::string& bytes : messages) {
    const auto message = schema.New(type);
    Fill(random, {.probability = 0.4, .depth = 3, .extensions = &schema.pool()}, message.get());
    bytes = Rewrite(random, rewrite, type, schema.pool(), message->SerializePartialAsString());
  }
  return messages;
}

class ViewsOfTypeTest : public ::testing::TestWithParam<MessageType> {
 protected:
  const plan::MessagePlan& plan_ = *GetParam().plan();
  const std::vector<std::string> bytes_ = MessagesWithStrings(plan_, 90);
  const std::vector<std::string_view> messages_{bytes_.begin(), bytes_.end()};
};

TEST_P(ViewsOfTypeTest, ReadLikeCopies) {
  const std::vector<std::vector<std::string_view>> batches = {
      messages_, {messages_.begin(), messages_.begin() + 7}, {}, {messages_.begin() + 30, messages_.end()}, messages_};
  for (const int recursion_depth : {0, 1}) {
    for (const auto on_error : {DecodeOptions::OnError::kSkip, DecodeOptions::OnError::kNull}) {
      for (const bool copy_messages : {false, true}) {
        ExpectSameBatches(plan_,
                          {.on_error = on_error,
                           .unknown_fields = DecodeOptions::UnknownFields::kKeep,
                           .recursion_depth = recursion_depth,
                           .copy_messages = copy_messages},
                          batches);
      }
    }
  }
}

TEST_P(ViewsOfTypeTest, TensorsAndEncodedMessagesLikeThoseOfCopies) {
  DecodeOptions options = {.on_error = DecodeOptions::OnError::kSkip, .recursion_depth = 1};
  BatchDecoder copying = *BatchDecoder::Create(plan_, options);
  const DecodedBatch copied = Decode(copying, messages_);
  // Decoders of their own: in memory that was used before there may be the right strings already.
  BatchDecoder for_tensor = *BatchDecoder::Create(plan_, options);
  BatchDecoder for_encoder = *BatchDecoder::Create(plan_, options);
  EXPECT_EQ(Json(DecodeViews(for_tensor, messages_)), Json(copied));
  EXPECT_EQ(Encoded(DecodeViews(for_encoder, messages_)), Encoded(copied));
}

TEST_P(ViewsOfTypeTest, ManyThreadsMayMakeTheCopies) {
  DecodeOptions options = {.on_error = DecodeOptions::OnError::kSkip, .recursion_depth = 1};
  BatchDecoder copying = *BatchDecoder::Create(plan_, options);
  BatchDecoder viewing = *BatchDecoder::Create(plan_, options);
  const DecodedBatch copied = Decode(copying, messages_);
  const std::string json = Json(copied);
  const std::vector<std::string> encoded = Encoded(copied);
  const DecodedBatch views = DecodeViews(viewing, messages_);
  const std::vector<std::function<void()>> readers = {
      [&] { ExpectSameNode(copied.root(), views.root(), ""); },
      [&] { EXPECT_EQ(Json(views), json); },
      [&] { EXPECT_EQ(Encoded(views), encoded); },
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 6; ++i) threads.emplace_back(readers[i % readers.size()]);
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Types, ViewsOfTypeTest, ::testing::ValuesIn(RootTypes()), [](const auto& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

std::string Implicit(std::string_view text) { return LenField(14, text); }    // string_value of Implicit
std::string Explicit(std::string_view text) { return LenField(2117, text); }  // and of Explicit
std::string Unpacked(std::string_view text) { return LenField(23, text); }    // one of string_values of Unpacked

// Copies of strings then read nothing past the messages either: the page after these messages cannot be read.
TEST(ViewsTest, CopiedMessagesAtTheEndOfTheirPage) {
  GuardedBytes guarded;
  BatchDecoder decoder = *BatchDecoder::Create(ImplicitColumns::plan(), {.copy_messages = true});
  for (const size_t size : {0, 1, 15, 16, 17, 33, 63, 64, 65, 100}) {
    SCOPED_TRACE(size);
    const std::string text(size, 'x');
    const std::string_view message = guarded.Place(Implicit(text), 0);
    const DecodedBatch batch = DecodeViews(decoder, {message, message});
    const auto column = ImplicitColumns(batch.root()).string_value();
    EXPECT_EQ(column[1], text);
    EXPECT_EQ(std::string_view(column.values().bytes(), 2 * size), text + text);
  }
}

template <typename Messages>
concept CanDecodeViews = requires(BatchDecoder decoder, Messages&& messages) {
  { decoder.DecodeViews(std::forward<Messages>(messages)) } -> std::same_as<absl::StatusOr<DecodedBatch>>;
};

TEST(ViewsTest, TemporaryStringsAreRefused) {
  static_assert(!CanDecodeViews<std::vector<std::string>>);
  static_assert(!CanDecodeViews<std::array<std::string, 1>>);
  static_assert(!CanDecodeViews<std::string>);
  static_assert(!CanDecodeViews<std::string&>);
  static_assert(CanDecodeViews<std::vector<std::string>&>);
  static_assert(CanDecodeViews<const std::vector<std::string>&>);
  static_assert(CanDecodeViews<std::vector<std::string_view>>);
  static_assert(CanDecodeViews<std::array<std::string_view, 1>>);
  static_assert(CanDecodeViews<std::span<const std::string>>);
}

// Where a message ends next to the end of its page, it is decoded from a copy; the views must not outlive that.
TEST(ViewsTest, MessagesAtTheEndOfTheirPage) {
  GuardedBytes first, second;
  BatchDecoder decoder(ImplicitColumns::plan());
  for (size_t distance = 0; distance < 70; ++distance) {
    SCOPED_TRACE(distance);
    const std::string_view message = first.Place(Implicit("the first one, of some length"), distance);
    const DecodedBatch before = DecodeViews(decoder, {message, message});
    const std::string_view other = second.Place(Implicit("another, at the same place"), distance);
    const DecodedBatch after = DecodeViews(decoder, {other, other});
    EXPECT_EQ(ImplicitColumns(before.root()).string_value()[1], "the first one, of some length");
    EXPECT_EQ(ImplicitColumns(after.root()).string_value()[1], "another, at the same place");
    EXPECT_EQ(Json(before), Json(DecodeViews(decoder, {message, message})));
  }
}

// Also where messages are decoded from copies.
class ViewsAndCopiesTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(CopyMessages, ViewsAndCopiesTest, ::testing::Bool());

TEST_P(ViewsAndCopiesTest, StringsStayInTheInputAndTensorsDoNotNeedIt) {
  alignas(4096) static char page[4096];
  const std::string bytes = Explicit("some text");
  const std::string_view message(page, bytes.copy(page, bytes.size()));
  BatchDecoder decoder = *BatchDecoder::Create(ExplicitColumns::plan(), {.copy_messages = GetParam()});
  const DecodedBatch batch = DecodeViews(decoder, {message, message});
  const auto text = ExplicitColumns(batch.root()).string_value();
  EXPECT_EQ(text[1].data(), message.data() + message.size() - 9);
  page[message.size() - 9] = 'S';
  EXPECT_EQ(text[1], "Some text");
  const std::string json = Json(batch);
  const absl::StatusOr<StructuredTensor> tensor = ToStructuredTensor(batch, kPlainStructs);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  std::fill(std::begin(page), std::end(page), '\xff');
  EXPECT_EQ(ToJson(*tensor), json);
}

std::vector<std::string> ToStrings(const StringSpan& strings) { return {strings.begin(), strings.end()}; }
std::vector<int32_t> ToNumbers(std::span<const int32_t> numbers) { return {numbers.begin(), numbers.end()}; }

using Strings = std::vector<std::string>;
using Numbers = std::vector<int32_t>;

TEST(ViewsTest, TypedSingularColumn) {
  const std::vector<std::string> bytes = {"", Explicit("a"), Explicit(""), "", Explicit("long"), ""};
  BatchDecoder decoder(ExplicitColumns::plan());
  const DecodedBatch batch = DecodeViews(decoder, {bytes.begin(), bytes.end()});
  const auto column = ExplicitColumns(batch.root()).string_value();
  EXPECT_EQ(ToStrings(column.values()), (Strings{"", "a", "", "", "long", ""}));
  EXPECT_EQ(ToStrings(column.present_values()), (Strings{"a", "", "long"}));
  EXPECT_EQ(ToStrings(column.values().subspan(1, 4).subspan(3, 1)), (Strings{"long"}));
  EXPECT_EQ(column.value_or_default(4), "long");
  EXPECT_EQ(std::vector<std::string>(column.begin(), column.end()), ToStrings(column.values()));

  EXPECT_EQ(ToNumbers(column.values().offsets()), (Numbers{0, 0, 1, 1, 1, 5, 5}));
  EXPECT_EQ(ToNumbers(column.values().subspan(4, 1).offsets()), (Numbers{1, 5}));
  EXPECT_EQ(ToNumbers(column.present_values().offsets()), (Numbers{0, 1, 1, 5}));
  EXPECT_EQ(ToNumbers(column.present_values().subspan(2, 1).offsets()), (Numbers{1, 5}));
  EXPECT_EQ(std::string_view(column.values().bytes(), 5), "along");
}

TEST(ViewsTest, OnlyTheFirstOfManyRowsHasText) {
  std::vector<std::string> bytes(20'000, LenField(2126, "bytes_value"));
  bytes[0] = Explicit("first");
  BatchDecoder decoder(ExplicitColumns::plan());
  const DecodedBatch batch = DecodeViews(decoder, {bytes.begin(), bytes.end()});
  const ExplicitColumns columns(batch.root());
  EXPECT_EQ(columns.string_value()[0], "first");
  EXPECT_EQ(columns.bytes_value()[0], "");
  for (size_t row = 1; row < bytes.size(); ++row) {
    ASSERT_EQ(columns.string_value()[row], "");
    ASSERT_EQ(columns.bytes_value()[row], "bytes_value");
  }
}

TEST(ViewsTest, TypedRepeatedColumn) {
  const std::vector<std::string> bytes = {Unpacked("a") + Unpacked("bc"), "", Unpacked("def")};
  BatchDecoder decoder(UnpackedColumns::plan());
  const DecodedBatch batch = DecodeViews(decoder, {bytes.begin(), bytes.end()});
  const auto column = UnpackedColumns(batch.root()).string_values();
  EXPECT_EQ(ToStrings(column.values()), (Strings{"a", "bc", "def"}));
  EXPECT_EQ(ToStrings(column[0]), (Strings{"a", "bc"}));
  EXPECT_TRUE(column[1].empty());
  EXPECT_EQ(column[2][0], "def");
  EXPECT_EQ(ToNumbers(column[2].offsets()), (Numbers{3, 6}));
  EXPECT_EQ(std::string_view(column[2].bytes(), 6), "abcdef");
}

// Reading cannot fail: what copies need was counted, and set aside, when the batch was decoded.
TEST(ViewsTest, MemoryOfCopiesIsSetAside) {
  const std::string message = Implicit(std::string(100'000, 'x'));
  BatchDecoder decoder = *BatchDecoder::Create(ImplicitColumns::plan(), {.max_memory_bytes = 4'000'000});
  const DecodedBatch batch = DecodeViews(decoder, std::vector<std::string_view>(5, message));
  const size_t used_bytes = batch.tree().used_bytes();
  EXPECT_FALSE(Json(batch).empty());
  EXPECT_EQ(batch.tree().used_bytes(), used_bytes);
  EXPECT_EQ(decoder.DecodeViews(std::vector<std::string_view>(50, message)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace structtensor::testing
