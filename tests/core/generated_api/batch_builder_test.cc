// Batches built from protoc's own classes, field by field, against batches decoded from their bytes.
#include "structtensor/core/generated_api/batch_builder.h"

#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "batch_difference.h"
#include "each_kind.h"
#include "everything.pb.h"
#include "everything.structtensor.h"
#include "everything2.pb.h"
#include "everything2.structtensor.h"
#include "extensions.pb.h"
#include "extensions.structtensor.h"
#include "random_message.h"

namespace structtensor::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace enums = ::structtensor::testing;

#define COPY(field) row.set_##field(message.field());
#define COPY_IF_PRESENT(field) \
  if (message.has_##field()) row.set_##field(message.field());
#define COPY_LIST(field) \
  for (const auto& value : message.field()) row.add_##field(value);
#define COPY_SPAN(field) row.add_##field(std::span(message.field().data(), static_cast<size_t>(message.field().size())));

void Copy(const Implicit& message, ImplicitRowBuilder row) {
  EACH_KIND(COPY)
  row.set_color_value(static_cast<enums::ColorEnum>(message.color_value()));
}
void Copy(const Explicit& message, ExplicitRowBuilder row) {
  EACH_KIND(COPY_IF_PRESENT)
  if (message.has_color_value()) row.set_color_value(static_cast<enums::ColorEnum>(message.color_value()));
}
void Copy(const Defaults& message, DefaultsRowBuilder row) {
  EACH_KIND(COPY_IF_PRESENT)
  if (message.has_closed_value()) row.set_closed_value(static_cast<enums::ClosedEnum>(message.closed_value()));
}
void Copy(const Packed& message, PackedRowBuilder row) {
  EACH_REPEATED_NUMBER(COPY_SPAN)
  EACH_REPEATED_TEXT(COPY_LIST)
  for (const int color : message.color_values()) row.add_color_values(static_cast<enums::ColorEnum>(color));
}
void Copy(const Unpacked& message, UnpackedRowBuilder row) {
  EACH_REPEATED_KIND(COPY_LIST)
  for (const int color : message.color_values()) row.add_color_values(static_cast<enums::ColorEnum>(color));
}
void Copy(const Repeated& message, RepeatedRowBuilder row) {
  EACH_REPEATED_KIND(COPY_LIST)
  for (const int closed : message.closed_values()) row.add_closed_values(static_cast<enums::ClosedEnum>(closed));
}

void Copy(const Tree& message, TreeRowBuilder row);
void Copy(const Twin& message, TwinRowBuilder row) {
  if (message.has_tree()) Copy(message.tree(), row.mutable_tree());
  row.set_name(message.name());
  for (const Twin& twin : message.twins()) Copy(twin, row.add_twins());
  if (message.has_other_tree()) Copy(message.other_tree(), row.mutable_other_tree());
  if (message.has_other_twin()) Copy(message.other_twin(), row.mutable_other_twin());
  if (message.has_number()) row.set_number(message.number());
}
void Copy(const Tree& message, TreeRowBuilder row) {
  row.set_value(message.value());
  if (message.has_left()) Copy(message.left(), row.mutable_left());
  for (const Tree& child : message.children()) Copy(child, row.add_children());
  if (message.has_right()) Copy(message.right(), row.mutable_right());
  for (const auto& [name, tree] : message.named()) Copy(tree, row.add_named(name));
  if (message.has_twin()) Copy(message.twin(), row.mutable_twin());
}
void Copy(const Maps& message, MapsRowBuilder row) {
  for (const auto& [key, value] : message.by_uint32()) row.add_by_uint32(key, value);
  for (const auto& [key, value] : message.by_sint64()) Copy(value, row.add_by_sint64(key));
  for (const auto& [key, value] : message.by_sfixed32()) row.add_by_sfixed32(key, value);
  for (const auto& [key, value] : message.by_string()) Copy(value, row.add_by_string(key));
  for (const auto& [key, value] : message.by_uint64()) row.add_by_uint64(key, static_cast<enums::ColorEnum>(value));
  for (const auto& [key, value] : message.by_bool()) row.add_by_bool(key, value);
  for (const auto& [key, value] : message.labels()) row.add_labels(key, value);
  for (const auto& [key, value] : message.maps()) Copy(value, row.add_maps(key));
}
// Those fields of a random message that Copy() copies.
void KeepCopied(Maps* message) {
  message->clear_structs();
  message->clear_by_int32();
  message->clear_by_fixed32();
  message->clear_by_sfixed64();
  message->clear_choices();
  message->clear_by_int64();
  message->clear_by_sint32();
  message->clear_by_fixed64();
  for (auto& [key, value] : *message->mutable_maps()) KeepCopied(&value);
}
void KeepCopied(google::protobuf::Message*) {}

// A type without presence words.
void Copy(const Wide& message, WideRowBuilder row) {
  COPY_IF_PRESENT(field_3)
  COPY_IF_PRESENT(field_12)
  COPY(field_18)
  COPY(field_30)
  COPY_IF_PRESENT(field_45)
  COPY_LIST(field_48)
  COPY_LIST(field_126)
  COPY_IF_PRESENT(field_192)
  COPY(field_93)
}
void KeepCopied(Wide* message) {
  Wide kept;
  if (message->has_field_3()) kept.set_field_3(message->field_3());
  if (message->has_field_12()) kept.set_field_12(message->field_12());
  kept.set_field_18(message->field_18());
  kept.set_field_30(message->field_30());
  if (message->has_field_45()) kept.set_field_45(message->field_45());
  *kept.mutable_field_48() = message->field_48();
  *kept.mutable_field_126() = message->field_126();
  if (message->has_field_192()) kept.set_field_192(message->field_192());
  kept.set_field_93(message->field_93());
  *message = kept;
}

std::string Deterministic(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializePartialToCodedStream(&coded));
  coded.Trim();
  return bytes;
}

template <typename Encoder, typename Batch>
std::vector<std::string> Encoded(const Batch& batch) {
  const auto encoded = Encoder::Create({.sort_map_keys = true})->Encode(batch);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  std::vector<std::string> out;
  for (const std::string_view message : *encoded) out.emplace_back(message);
  return out;
}

// `equal_columns`: that all buffers are those of a decoded batch, too. Fields without presence that are set to zero are absent
// from messages.
template <typename Builder, typename Decoder, typename Encoder, typename Message>
void ExpectBuilt(size_t count, bool equal_columns, const FillOptions& options = {}) {
  Random random(18);
  Builder builder;
  for (int turn = 0; turn < 3; ++turn) {  // the second batch has the memory of the first
    std::vector<std::string> bytes;
    for (size_t i = 0; i < count; ++i) {
      Message message;
      Fill(random, options, &message);
      message.DiscardUnknownFields();
      KeepCopied(&message);
      Copy(message, builder.AppendRow());
      bytes.push_back(Deterministic(message));
    }
    EXPECT_EQ(builder.nrows(), static_cast<int64_t>(count));
    const auto built = builder.Build();
    ASSERT_TRUE(built.ok()) << built.status();
    EXPECT_EQ(Encoded<Encoder>(*built), bytes);
    const auto decoded = Decoder().Decode(bytes);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(Encoded<Encoder>(*decoded), bytes);
    if (equal_columns) {
      EXPECT_EQ(DifferenceOfBatches(*built, *decoded), "");
    }
  }
}

TEST(BatchBuilderTest, ScalarsOfEveryKind) {
  ExpectBuilt<ImplicitBatchBuilder, ImplicitDecoder, ImplicitEncoder, Implicit>(100, false);
  ExpectBuilt<ExplicitBatchBuilder, ExplicitDecoder, ExplicitEncoder, Explicit>(100, true);
  ExpectBuilt<DefaultsBatchBuilder, DefaultsDecoder, DefaultsEncoder, Defaults>(100, true);
}

TEST(BatchBuilderTest, ListsOfEveryKind) {
  ExpectBuilt<PackedBatchBuilder, PackedDecoder, PackedEncoder, Packed>(100, true);
  ExpectBuilt<UnpackedBatchBuilder, UnpackedDecoder, UnpackedEncoder, Unpacked>(100, true);
  ExpectBuilt<RepeatedBatchBuilder, RepeatedDecoder, RepeatedEncoder, Repeated>(100, true);
}

TEST(BatchBuilderTest, MessagesAndMaps) {
  ExpectBuilt<TreeBatchBuilder, TreeDecoder, TreeEncoder, Tree>(50, false);
  ExpectBuilt<MapsBatchBuilder, MapsDecoder, MapsEncoder, Maps>(50, false);
}

TEST(BatchBuilderTest, MessagesOfMoreFieldsThanAWordHasBits) {
  ExpectBuilt<WideBatchBuilder, WideDecoder, WideEncoder, Wide>(100, false);
  ExpectBuilt<WideBatchBuilder, WideDecoder, WideEncoder, Wide>(100, false, {.probability = 0.05});
}

TEST(BatchBuilderTest, NoRows) {
  TreeBatchBuilder builder;
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->nrows(), 0);
}

TEST(BatchBuilderTest, RowsWithoutValues) {
  TreeBatchBuilder builder;
  for (int i = 0; i < 3; ++i) builder.AppendRow();
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(Encoded<TreeEncoder>(*batch), std::vector<std::string>(3));
}

TEST(BatchBuilderTest, BatchesOutliveTheirBuilder) {
  auto build = [] {
    TwinBatchBuilder builder;
    builder.AppendRow().set_name(std::string("short") + "-lived");
    TwinBatchBuilder moved = std::move(builder);
    return moved.Build();
  };
  const auto batch = build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].name(), "short-lived");
}

TEST(BatchBuilderTest, TheLastValueStays) {
  MapsBatchBuilder maps;
  MapsRowBuilder row = maps.AppendRow();
  row.add_labels("a", "first");
  row.add_labels("b", "only");
  row.add_labels("a", "last");
  const auto batch = maps.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].labels().size(), 2u);
  EXPECT_EQ((*batch)[0].labels().find("a"), "last");

  ExplicitBatchBuilder scalars;
  ExplicitRowBuilder scalar = scalars.AppendRow();
  scalar.set_string_value("first");
  scalar.set_string_value("last");
  const auto second = scalars.Build();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].string_value(), "last");
}

TEST(BatchBuilderTest, MembersOfOneofsReplaceEachOther) {
  ChoicesBatchBuilder builder;
  ChoicesRowBuilder row = builder.AppendRow();
  row.set_double_choice(1.5);
  row.set_string_choice("text");
  row.set_plain("stays");
  row.set_number_choice(4);
  row.mutable_implicit_choice().set_int32_value(5);
  row.mutable_implicit_choice().set_string_value("merged");
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  const ChoicesRow built = (*batch)[0];
  EXPECT_EQ(built.scalar_case(), ChoicesRow::ScalarCase::kStringChoice);
  EXPECT_FALSE(built.has_double_choice());
  EXPECT_EQ(built.nested_case(), ChoicesRow::NestedCase::kImplicitChoice);
  EXPECT_EQ(built.implicit_choice().int32_value(), 5);
  EXPECT_EQ(built.implicit_choice().string_value(), "merged");
  EXPECT_EQ(built.plain(), "stays");
}

TEST(BatchBuilderTest, AMessageInAOneofIsNotReplaced) {
  ChoicesBatchBuilder builder;
  builder.AppendRow();
  ChoicesRowBuilder row = builder.AppendRow();
  row.mutable_implicit_choice();
  row.set_number_choice(4);
  const auto batch = builder.Build();
  EXPECT_EQ(batch.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(batch.status().message()),
              AllOf(HasSubstr("row 1, field number_choice"), HasSubstr("implicit_choice")));
}

TEST(BatchBuilderTest, Times) {
  WellKnownBatchBuilder builder;
  WellKnownRowBuilder row = builder.AppendRow();
  const absl::Time before_epoch = absl::UnixEpoch() - absl::Nanoseconds(1);
  row.set_timestamp(before_epoch);
  row.set_duration(-absl::Milliseconds(2500));
  row.add_timestamps(absl::FromUnixSeconds(7));
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  WellKnown message;
  ASSERT_TRUE(message.ParseFromString(Encoded<WellKnownEncoder>(*batch)[0]));
  EXPECT_EQ(message.timestamp().seconds(), -1);
  EXPECT_EQ(message.timestamp().nanos(), 999'999'999);
  EXPECT_EQ(message.duration().seconds(), -2);
  EXPECT_EQ(message.duration().nanos(), -500'000'000);
  EXPECT_EQ(message.timestamps(0).seconds(), 7);
  EXPECT_EQ((*batch)[0].timestamp(), before_epoch);

  builder.AppendRow().set_timestamp(absl::InfiniteFuture());
  EXPECT_THAT(std::string(builder.Build().status().message()), HasSubstr("row 0, field timestamp: a Timestamp must be in"));
  builder.AppendRow().set_duration(-absl::InfiniteDuration());
  EXPECT_EQ(builder.Build().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(BatchBuilderTest, TimesThatHaveNoMessage) {
  WellKnownBatchBuilder builder;
  const absl::Time first = absl::FromUnixSeconds(-62'135'596'800);
  const absl::Time last = absl::FromUnixSeconds(253'402'300'799) + absl::Nanoseconds(999'999'999);
  WellKnownRowBuilder row = builder.AppendRow();
  row.add_timestamps(first);
  row.add_timestamps(last);
  row.set_duration(absl::Seconds(315'576'000'000));
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].timestamps()[0], first);
  EXPECT_EQ((*batch)[0].timestamps()[1], last);
  for (const absl::Time time : {first - absl::Nanoseconds(1), last + absl::Nanoseconds(1), absl::InfinitePast()}) {
    builder.AppendRow().add_timestamps(time);
    EXPECT_THAT(std::string(builder.Build().status().message()), HasSubstr("row 0, field timestamps: a Timestamp must be in"));
  }
  builder.AppendRow().set_duration(-absl::Seconds(315'576'000'001));
  EXPECT_THAT(std::string(builder.Build().status().message()), HasSubstr("a Duration has at most"));
}

TEST(BatchBuilderTest, TimesInOneofsAreReplaced) {
  ChoicesBatchBuilder builder;
  ChoicesRowBuilder row = builder.AppendRow();
  row.set_time_choice(absl::FromUnixSeconds(5));
  row.set_number_choice(4);
  row = builder.AppendRow();
  row.set_number_choice(4);
  row.set_time_choice(absl::FromUnixSeconds(6));
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].nested_case(), ChoicesRow::NestedCase::kNumberChoice);
  EXPECT_FALSE((*batch)[0].has_time_choice());
  EXPECT_EQ((*batch)[1].nested_case(), ChoicesRow::NestedCase::kTimeChoice);
  EXPECT_EQ((*batch)[1].time_choice(), absl::FromUnixSeconds(6));
  EXPECT_EQ(Encoded<ChoicesEncoder>(*batch)[0].size(), 2u);
}

// Only RowWriter makes row builders of a type: those of other types do not fit.
static_assert(!std::is_constructible_v<TreeRowBuilder, TwinRowBuilder>);
static_assert(!std::is_constructible_v<TreeRowBuilder, MessageBuilder>);
static_assert(!std::is_default_constructible_v<TreeRowBuilder>);

TEST(BatchBuilderTest, EmptyStrings) {
  UnpackedBatchBuilder builder;
  UnpackedRowBuilder row = builder.AppendRow();
  row.add_string_values(std::string_view());
  row.add_bytes_values("");
  row.add_string_values("x");
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT((*batch)[0].string_values(), ::testing::ElementsAre("", "x"));
  EXPECT_THAT((*batch)[0].bytes_values(), ::testing::ElementsAre(""));
}

TEST(BatchBuilderTest, ABuilderRecoversFromALimit) {
  TwinBatchBuilder builder = *TwinBatchBuilder::Create({.max_memory_bytes = 10 << 20});
  const std::string name(2100, 'n');
  for (int i = 0; i < 10'000; ++i) builder.AppendRow().set_name(name);
  EXPECT_EQ(builder.Build().status().code(), absl::StatusCode::kResourceExhausted);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 1000; ++i) builder.AppendRow().set_name(name);
    const auto batch = builder.Build();
    ASSERT_TRUE(batch.ok()) << batch.status();
    EXPECT_EQ((*batch)[999].name(), name);
  }
}

TEST(BatchBuilderTest, ExtensionsOfOtherFiles) {
  Everything2BatchBuilder builder;
  Everything2RowBuilder row = builder.AppendRow();
  row.mutable_structtensor_testing_extensions_message().set_number(5);
  row.add_structtensor_testing_extensions_messages().add_strings("a");
  row.set_structtensor_testing_extensions_closed(enums::ClosedEnum::CLOSED_LAST);
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  Everything2 message;
  ASSERT_TRUE(message.ParseFromString(Encoded<Everything2Encoder>(*batch)[0]));
  EXPECT_EQ(message.GetExtension(extensions::message).number(), 5);
  EXPECT_EQ(message.GetExtension(extensions::messages, 0).strings(0), "a");
  EXPECT_EQ(message.GetExtension(extensions::closed), CLOSED_LAST);
}

TEST(BatchBuilderTest, WhatTheSchemaDoesNotAllow) {
  ExplicitBatchBuilder strings;
  strings.AppendRow();
  strings.AppendRow().set_string_value("a\xff");
  EXPECT_THAT(std::string(strings.status().message()), HasSubstr("row 1, field string_value: the string is not valid UTF-8"));
  strings.AppendRow().set_string_value("ignored");  // after an error
  EXPECT_EQ(strings.Build().status().code(), absl::StatusCode::kInvalidArgument);
  strings.AppendRow().set_bytes_value("a\xff");
  EXPECT_TRUE(strings.Build().ok());  // the error belonged to the batch before

  DefaultsBatchBuilder closed;
  closed.AppendRow().set_closed_value(static_cast<enums::ClosedEnum>(77));
  EXPECT_THAT(std::string(closed.Build().status().message()),
              HasSubstr("row 0, field closed_value: 77 is not a value of structtensor.testing.Closed"));

  RequiredBatchBuilder required;
  RequiredRowBuilder row = required.AppendRow();
  row.set_id(1);
  row.set_dense(enums::DenseEnum::DENSE_ONE);
  row.add_more().set_id(2);
  const absl::Status missing = required.Build().status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("row 0, field more.dense: a required field"));
  RequiredBatchBuilder lenient = *RequiredBatchBuilder::Create({.allow_missing_required = true});
  lenient.AppendRow().set_id(1);
  EXPECT_TRUE(lenient.Build().ok());
}

TEST(BatchBuilderTest, RowBuildersThatAreUsedTooLate) {
  TreeBatchBuilder builder;
  TreeRowBuilder first = builder.AppendRow();
  TreeRowBuilder child = first.add_children();
  TreeRowBuilder left = first.mutable_left();
  child.set_value(1);
  builder.AppendRow();
  left.set_value(2);
  const absl::Status late = builder.Build().status();
  EXPECT_EQ(late.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(late.message()), HasSubstr("field left.value: the row builder was used after"));

  first = builder.AppendRow();
  child = first.add_children();
  first.add_children();
  child.set_value(3);
  EXPECT_THAT(std::string(builder.Build().status().message()), HasSubstr("field children.value: the row builder was used"));

  child = builder.AppendRow().add_children();
  builder.AppendRow();
  child.set_value(3);  // no other child has begun, but another row
  EXPECT_EQ(builder.Build().status().code(), absl::StatusCode::kFailedPrecondition);

  first = builder.AppendRow();
  ASSERT_TRUE(builder.Build().ok());
  builder.AppendRow();
  first.set_value(4);
  first.add_children().add_children().mutable_left().set_value(1);
  EXPECT_THAT(std::string(builder.Build().status().message()), HasSubstr("earlier batch"));
  ASSERT_TRUE(builder.Build().ok());
}

TEST(BatchBuilderTest, Limits) {
  EXPECT_EQ(TreeBatchBuilder::Create({.max_depth = -1}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TreeBatchBuilder::Create({.max_depth = 1001}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TreeBatchBuilder::Create({.max_rows = 0x80000000u}).status().code(), absl::StatusCode::kInvalidArgument);

  TreeBatchBuilder shallow = *TreeBatchBuilder::Create({.max_depth = 2});
  shallow.AppendRow().mutable_left().mutable_left().set_value(1);
  EXPECT_TRUE(shallow.Build().ok());
  shallow.AppendRow().mutable_left().add_children().mutable_right().set_value(1);
  EXPECT_THAT(std::string(shallow.Build().status().message()), HasSubstr("max_depth=2"));
  TreeBatchBuilder flat = *TreeBatchBuilder::Create({.max_depth = 0});
  flat.AppendRow().add_children();
  EXPECT_EQ(flat.Build().status().code(), absl::StatusCode::kResourceExhausted);

  TreeBatchBuilder few = *TreeBatchBuilder::Create({.max_rows = 2});
  few.AppendRow();
  TreeRowBuilder row = few.AppendRow();
  for (int i = 0; i < 2; ++i) row.add_children();
  EXPECT_TRUE(few.status().ok());
  few.AppendRow();
  EXPECT_THAT(std::string(few.Build().status().message()), HasSubstr("max_rows=2"));
  row = few.AppendRow();
  for (int i = 0; i < 3; ++i) row.add_children();
  EXPECT_THAT(std::string(few.Build().status().message()), HasSubstr("max_rows=2"));
  TreeBatchBuilder none = *TreeBatchBuilder::Create({.max_rows = 0});
  none.AppendRow().set_value(1);
  EXPECT_EQ(none.Build().status().code(), absl::StatusCode::kResourceExhausted);

  TreeBatchBuilder dense = *TreeBatchBuilder::Create({.max_cells = 20});
  row = dense.AppendRow();
  for (int i = 0; i < 100; ++i) row.add_children();
  EXPECT_THAT(std::string(dense.Build().status().message()), HasSubstr("max_cells=20"));

  // Paths of one batch, whatever batches before it had.
  TreeBatchBuilder narrow = *TreeBatchBuilder::Create({.max_paths = 3});
  for (int round = 0; round < 3; ++round) {
    row = narrow.AppendRow();
    row.mutable_left().mutable_left().set_value(1);
    narrow.AppendRow().mutable_left().add_children();
    EXPECT_TRUE(narrow.Build().ok());
    narrow.AppendRow().mutable_right().mutable_right().mutable_right();
    EXPECT_TRUE(narrow.Build().ok());
    row = narrow.AppendRow();
    row.mutable_left().mutable_left();
    row.add_children().mutable_left();
    EXPECT_EQ(narrow.Build().status().code(), absl::StatusCode::kResourceExhausted);
  }
  row = narrow.AppendRow();
  row.mutable_right().mutable_right().mutable_right().mutable_left().set_value(1);
  EXPECT_THAT(std::string(narrow.Build().status().message()),
              AllOf(HasSubstr("right.right.right.left"), HasSubstr("max_paths=3")));

  for (const size_t memory : {size_t{0}, size_t{1} << 16, size_t{1} << 20}) {
    ExplicitBatchBuilder small = *ExplicitBatchBuilder::Create({.max_memory_bytes = memory});
    for (int i = 0; i < 100; ++i) small.AppendRow().set_string_value(std::string(100'000, 'x'));
    const absl::Status status = small.Build().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << memory;
    EXPECT_THAT(std::string(status.message()), HasSubstr("max_memory_bytes"));
  }
}

TEST(BatchBuilderTest, ManyRows) {
  PackedBatchBuilder builder;
  std::vector<int32_t> numbers(1000);
  for (int row = 0; row < 5000; ++row) {
    PackedRowBuilder packed = builder.AppendRow();
    numbers[0] = row;
    packed.add_int32_values(numbers);
    packed.add_string_values("text");
  }
  const auto batch = builder.Build();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->int32_values().nvals(), 5'000'000u);
  EXPECT_EQ((*batch)[4321].int32_values()[0], 4321);
  EXPECT_EQ((*batch)[4999].string_values().back(), "text");
}

}  // namespace
}  // namespace structtensor::testing
