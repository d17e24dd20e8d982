// Rows of random batches against protoc's own classes, which have the same accessors.
#include "structtensor/core/generated_api/rows.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

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

using ::testing::ElementsAre;

// What Abseil's StrCat() does.
struct TextSink {
  void Append(std::string_view more) { text += more; }
  std::string text;
};

namespace enums = ::structtensor::testing;

static_assert(std::ranges::random_access_range<ValueRange<TreeRow>> && std::ranges::sized_range<ValueRange<TreeRow>>);
static_assert(std::ranges::view<ValueRange<TreeRow>> && std::ranges::borrowed_range<ValueRange<TreeRow>>);
static_assert(std::ranges::random_access_range<ValueRange<std::string_view>>);
static_assert(std::ranges::random_access_range<MapRange<int32_t, TreeRow>>);
static_assert(std::ranges::random_access_range<const TreeBatch&> && std::ranges::random_access_range<TreeBatch&>);
static_assert(std::ranges::random_access_range<StringSpan> && std::ranges::sized_range<StringSpan>);
static_assert(std::ranges::view<StringSpan> && std::ranges::borrowed_range<StringSpan>);
static_assert(std::ranges::random_access_range<SingularColumn<std::string_view>>);
static_assert(std::ranges::sized_range<SingularColumn<int32_t>> && std::ranges::borrowed_range<SingularColumn<int32_t>>);
static_assert(std::ranges::random_access_range<RepeatedColumn<int32_t>> && std::ranges::sized_range<RepeatedColumn<int32_t>>);
static_assert(std::ranges::borrowed_range<RepeatedColumn<std::string_view>>);
// Entries of a map are found by key, in a row.
template <typename Columns>
concept HasElementsByRow = requires(const Columns& columns) {
  columns[0];
};
static_assert(HasElementsByRow<decltype(std::declval<TreeBatch>().children())>);
static_assert(!HasElementsByRow<decltype(std::declval<TreeBatch>().named())>);
static_assert(std::is_same_v<decltype(ImplicitRow().color_value()), enums::ColorEnum>);
static_assert(std::is_same_v<decltype(WellKnownRow().timestamp()), absl::Time>);
static_assert(std::is_same_v<decltype(WellKnownRow().timestamps()), ValueRange<absl::Time>>);

template <typename Message>
std::vector<Message> RandomMessages(size_t count, const FillOptions& options = {}) {
  Random random(20261124);
  std::vector<Message> messages(count);
  for (Message& message : messages) Fill(random, options, &message);
  return messages;
}

template <typename Message>
std::vector<std::string> Bytes(const std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (const Message& message : messages) out.push_back(message.SerializePartialAsString());
  return out;
}

// Equality that takes one NaN for another, and enum classes for protoc's enums.
template <typename Ours, typename Theirs>
void ExpectValue(Ours ours, const Theirs& theirs, const char* field) {
  if constexpr (std::is_floating_point_v<Ours>) {
    EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof(ours)), 0) << field << ": " << ours << ", " << theirs;
  } else if constexpr (std::is_enum_v<Ours>) {
    EXPECT_EQ(static_cast<int32_t>(ours), static_cast<int32_t>(theirs)) << field;
  } else {
    EXPECT_EQ(ours, theirs) << field;
  }
}

template <typename Ours, typename Theirs>
void ExpectValues(const Ours& ours, const Theirs& theirs, const char* field) {
  ASSERT_EQ(ours.size(), static_cast<size_t>(theirs.size())) << field;
  for (int i = 0; i < theirs.size(); ++i) {
    using Element = std::decay_t<decltype(ours[0])>;
    ExpectValue<Element>(ours[static_cast<size_t>(i)], theirs[i], field);
  }
}

#define EXPECT_FIELD(field) ExpectValue(row.field(), message.field(), #field);
#define EXPECT_PRESENCE(field) EXPECT_EQ(row.has_##field(), message.has_##field()) << #field;
#define EXPECT_FIELD_AND_PRESENCE(field) EXPECT_FIELD(field) EXPECT_PRESENCE(field)
#define EXPECT_ELEMENTS(field) ExpectValues(row.field(), message.field(), #field);

void Expect(ImplicitRow row, const Implicit& message) { EACH_KIND(EXPECT_FIELD) EXPECT_FIELD(color_value) }
void Expect(ExplicitRow row, const Explicit& message) {
  EACH_KIND(EXPECT_FIELD_AND_PRESENCE) EXPECT_FIELD_AND_PRESENCE(color_value)
}
void Expect(DefaultsRow row, const Defaults& message) {
  EACH_KIND(EXPECT_FIELD_AND_PRESENCE) EXPECT_FIELD_AND_PRESENCE(closed_value)
}
void Expect(PackedRow row, const Packed& message) { EACH_REPEATED_KIND(EXPECT_ELEMENTS) EXPECT_ELEMENTS(color_values) }
void Expect(UnpackedRow row, const Unpacked& message) { EACH_REPEATED_KIND(EXPECT_ELEMENTS) EXPECT_ELEMENTS(color_values) }
void Expect(RepeatedRow row, const Repeated& message) { EACH_REPEATED_KIND(EXPECT_ELEMENTS) EXPECT_ELEMENTS(closed_values) }

void Expect(ChoicesRow row, const Choices& message) {
  EXPECT_EQ(static_cast<int>(row.scalar_case()), static_cast<int>(message.scalar_case()));
  EXPECT_EQ(static_cast<int>(row.nested_case()), static_cast<int>(message.nested_case()));
  EXPECT_FIELD_AND_PRESENCE(double_choice)
  EXPECT_FIELD_AND_PRESENCE(string_choice)
  EXPECT_FIELD_AND_PRESENCE(color_choice)
  EXPECT_FIELD(plain)
  // A switch over all members: the compiler would warn of a missing one.
  switch (row.nested_case()) {
    case ChoicesRow::NestedCase::kNotSet:
      break;
    case ChoicesRow::NestedCase::kImplicitChoice:
      Expect(row.implicit_choice(), message.implicit_choice());
      break;
    case ChoicesRow::NestedCase::kUnpackedChoice:
      Expect(row.unpacked_choice(), message.unpacked_choice());
      break;
    case ChoicesRow::NestedCase::kPackedChoice:
      Expect(row.packed_choice(), message.packed_choice());
      break;
    case ChoicesRow::NestedCase::kRecursiveChoice:
      Expect(row.recursive_choice(), message.recursive_choice());
      break;
    case ChoicesRow::NestedCase::kNumberChoice:
      EXPECT_FIELD(number_choice)
      break;
    case ChoicesRow::NestedCase::kTimeChoice:
      EXPECT_TRUE(row.has_time_choice());
      break;
    case ChoicesRow::NestedCase::kEmptyChoice:
      EXPECT_TRUE(row.has_empty_choice());
      break;
  }
}

void Expect(TreeRow row, const Tree& message);
void Expect(TwinRow row, const Twin& message) {
  EXPECT_PRESENCE(tree)
  if (message.has_tree()) Expect(row.tree(), message.tree());
  EXPECT_FIELD(name)
  ASSERT_EQ(row.twins().size(), static_cast<size_t>(message.twins_size()));
  for (int i = 0; i < message.twins_size(); ++i) Expect(row.twins()[static_cast<size_t>(i)], message.twins(i));
  EXPECT_EQ(static_cast<int>(row.which_case()), static_cast<int>(message.which_case()));
  EXPECT_FIELD_AND_PRESENCE(number)
}
void Expect(TreeRow row, const Tree& message) {
  EXPECT_FIELD(value)
  EXPECT_PRESENCE(left)
  EXPECT_PRESENCE(right)
  if (message.has_left()) Expect(row.left(), message.left());
  if (message.has_right()) Expect(row.right(), message.right());
  if (message.has_twin()) Expect(row.twin(), message.twin());
  int child = 0;
  for (TreeRow each : row.children()) Expect(each, message.children(child++));
  EXPECT_EQ(child, message.children_size());
  ASSERT_EQ(row.named().size(), message.named().size());
  for (auto [name, tree] : row.named()) {
    ASSERT_TRUE(message.named().contains(std::string(name)));
    Expect(tree, message.named().at(std::string(name)));
  }
}

void Expect(MapsRow row, const Maps& message);
template <typename Row, typename Message>
concept HasExpect = requires(Row row, const Message& message) {
  Expect(row, message);
};
template <typename Ours, typename Theirs>
void ExpectMap(const Ours& ours, const Theirs& theirs, const char* field) {
  ASSERT_EQ(ours.size(), theirs.size()) << field;
  for (const auto& entry : theirs) {
    const auto found = ours.find(entry.first);
    ASSERT_TRUE(found.has_value()) << field;
    EXPECT_TRUE(ours.contains(entry.first)) << field;
    if constexpr (HasExpect<std::decay_t<decltype(*found)>, std::decay_t<decltype(entry.second)>>) {
      Expect(*found, entry.second);
    } else {
      ExpectValue(*found, entry.second, field);
    }
  }
}

#define EXPECT_MAP(field) ExpectMap(row.field(), message.field(), #field);
void Expect(MapsRow row, const Maps& message) {
  EXPECT_MAP(by_uint32)
  EXPECT_MAP(by_sint64)
  EXPECT_MAP(by_sfixed32)
  EXPECT_MAP(by_string)
  EXPECT_MAP(by_int32)
  EXPECT_MAP(by_uint64)
  EXPECT_MAP(by_fixed32)
  EXPECT_MAP(labels)
  EXPECT_MAP(choices) EXPECT_MAP(by_int64) EXPECT_MAP(by_sint32) EXPECT_MAP(by_fixed64) EXPECT_MAP(by_bool) EXPECT_MAP(maps)
}

// A few fields of each kind: the type has no presence words.
void Expect(WideRow row, const Wide& message) {
  EXPECT_FIELD_AND_PRESENCE(field_3)
  EXPECT_FIELD_AND_PRESENCE(field_12)
  EXPECT_FIELD_AND_PRESENCE(field_15)
  EXPECT_FIELD(field_18)
  EXPECT_FIELD(field_30)
  EXPECT_FIELD_AND_PRESENCE(field_45)
  EXPECT_FIELD(field_93)
  EXPECT_ELEMENTS(field_48)
  EXPECT_ELEMENTS(field_60)
  EXPECT_ELEMENTS(field_63)
  EXPECT_ELEMENTS(field_126) EXPECT_FIELD_AND_PRESENCE(field_129) EXPECT_FIELD_AND_PRESENCE(field_192) EXPECT_FIELD(field_144)
}

template <typename Decoder, typename Message>
void ExpectRows(const std::vector<Message>& messages, bool views = false) {
  const std::vector<std::string> bytes = Bytes(messages);
  Decoder decoder;
  const auto batch = views ? decoder.DecodeViews(bytes) : decoder.Decode(bytes);
  ASSERT_TRUE(batch.ok()) << batch.status();
  size_t i = 0;
  for (auto row : *batch) {
    ASSERT_EQ(row.row_index(), i);
    Expect(row, messages[i++]);
  }
  EXPECT_EQ(i, messages.size());
  EXPECT_EQ(batch->rows().size(), messages.size());
  if (i != 0) Expect((*batch)[i / 2], messages[i / 2]);
}

TEST(RowsTest, ScalarsOfEveryKind) {
  ExpectRows<ImplicitDecoder>(RandomMessages<Implicit>(200));
  ExpectRows<ExplicitDecoder>(RandomMessages<Explicit>(200));
}

TEST(RowsTest, DeclaredDefaultsOfAbsentFields) { ExpectRows<DefaultsDecoder>(RandomMessages<Defaults>(200)); }

TEST(RowsTest, ElementsOfEveryKind) {
  ExpectRows<PackedDecoder>(RandomMessages<Packed>(200));
  ExpectRows<UnpackedDecoder>(RandomMessages<Unpacked>(200));
  ExpectRows<RepeatedDecoder>(RandomMessages<Repeated>(200));
}

TEST(RowsTest, OneofsRecursionAndMaps) {
  ExpectRows<ChoicesDecoder>(RandomMessages<Choices>(200));
  ExpectRows<TreeDecoder>(RandomMessages<Tree>(40));
  ExpectRows<MapsDecoder>(RandomMessages<Maps>(60));
}

TEST(RowsTest, MessagesOfMoreFieldsThanAWordHasBits) {
  ExpectRows<WideDecoder>(RandomMessages<Wide>(100));
  ExpectRows<WideDecoder>(RandomMessages<Wide>(100, {.probability = 0.01}));
}

TEST(RowsTest, StringsThatStayInTheInput) {
  ExpectRows<ExplicitDecoder>(RandomMessages<Explicit>(100), /*views=*/true);
  ExpectRows<UnpackedDecoder>(RandomMessages<Unpacked>(100), /*views=*/true);
  ExpectRows<MapsDecoder>(RandomMessages<Maps>(40), /*views=*/true);
  ExpectRows<WideDecoder>(RandomMessages<Wide>(40), /*views=*/true);
}

TEST(RowsTest, WhatNoDataReached) {
  ExpectRows<ImplicitDecoder>(std::vector<Implicit>(3));
  ExpectRows<DefaultsDecoder>(std::vector<Defaults>(3));
  ExpectRows<WideDecoder>(std::vector<Wide>(3));
  ExpectRows<TreeDecoder>(std::vector<Tree>());

  const std::vector<std::string> bytes(3);
  const auto batch = TreeDecoder().Decode(bytes);
  ASSERT_TRUE(batch.ok()) << batch.status();
  TreeRow row = (*batch)[2];
  for (int depth = 0; depth < 1000; ++depth) {
    EXPECT_FALSE(row.has_left());
    EXPECT_TRUE(row.children().empty());
    EXPECT_EQ(row.named().find("x"), std::nullopt);
    row = depth % 2 == 0 ? row.left() : row.twin().tree();
  }
  EXPECT_EQ(row.value(), 0);
}

TEST(RowsTest, TimesAreThoseOfAbseil) {
  std::vector<WellKnown> messages(2);
  messages[0].mutable_timestamp()->set_seconds(-1);
  messages[0].mutable_timestamp()->set_nanos(999'999'999);
  messages[0].mutable_duration()->set_seconds(-2);
  messages[0].mutable_duration()->set_nanos(-500'000'000);
  messages[0].add_timestamps()->set_seconds(3);
  messages[0].add_timestamps()->set_nanos(4);
  const auto batch = WellKnownDecoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].timestamp(), absl::UnixEpoch() - absl::Nanoseconds(1));
  EXPECT_EQ((*batch)[0].duration(), -absl::Milliseconds(2500));
  EXPECT_THAT((*batch)[0].timestamps(), ElementsAre(absl::FromUnixSeconds(3), absl::FromUnixNanos(4)));
  EXPECT_FALSE((*batch)[1].has_timestamp());
  EXPECT_EQ((*batch)[1].timestamp(), absl::UnixEpoch());
  EXPECT_EQ((*batch)[1].duration(), absl::ZeroDuration());
}

TEST(RowsTest, TimesInMaps) {
  Maps message;
  (*message.mutable_by_sfixed64())[7].set_seconds(70);
  const auto batch = MapsDecoder().Decode(Bytes(std::vector<Maps>{message}));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].by_sfixed64().find(7), absl::FromUnixSeconds(70));
  EXPECT_EQ((*batch)[0].by_sfixed64().find(8), std::nullopt);
}

TEST(RowsTest, NamesOfEnums) {
  EXPECT_EQ(EnumName(enums::ColorEnum::COLOR_ULTRAVIOLET), "COLOR_ULTRAVIOLET");
  EXPECT_EQ(EnumName(enums::ColorEnum::COLOR_SMALLEST), "COLOR_SMALLEST");
  EXPECT_EQ(EnumName(static_cast<enums::ColorEnum>(77)), "");
  EXPECT_EQ(EnumFromName<enums::ColorEnum>("COLOR_NEGATIVE"), enums::ColorEnum::COLOR_NEGATIVE);
  EXPECT_EQ(EnumFromName<enums::ColorEnum>("color_red"), std::nullopt);
  EXPECT_EQ(EnumFromName<enums::AliasedEnum>("ALIASED_UNO"), enums::AliasedEnum::ALIASED_ONE);
  EXPECT_EQ(EnumName(enums::AliasedEnum::ALIASED_UNO), "ALIASED_ONE");
}

TEST(RowsTest, EnumsArePrintedByName) {
  const auto printed = [](auto value) {
    std::ostringstream out;
    out << value;
    EXPECT_EQ(out.str(), EnumText(value));
    TextSink sink;
    AbslStringify(sink, value);
    EXPECT_EQ(sink.text, out.str());
    return out.str();
  };
  EXPECT_EQ(printed(enums::ColorEnum::COLOR_ULTRAVIOLET), "COLOR_ULTRAVIOLET");
  EXPECT_EQ(printed(static_cast<enums::ColorEnum>(77)), "77");
}

std::string Text(const google::protobuf::Message& message) {
  std::string text;
  EXPECT_TRUE(google::protobuf::TextFormat::PrintToString(message, &text));
  return text;
}

// protobuf's text format of `row` is read by libprotobuf as the message that the row came from.
template <typename Message, typename Decoder>
void ExpectTextOfRows() {
  Random random(3);
  std::vector<Message> messages(50);
  for (Message& message : messages) {
    Fill(random, {.extensions = google::protobuf::DescriptorPool::generated_pool()}, &message);
    message.DiscardUnknownFields();
    // Of equal keys in a map, the last one stays.
    ASSERT_TRUE(message.ParsePartialFromString(message.SerializePartialAsString()));
  }
  Decoder decoder = *Decoder::Create({.allow_missing_required = true});
  const auto batch = decoder.Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  google::protobuf::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  for (size_t i = 0; i < messages.size(); ++i) {
    TextSink sink;
    AbslStringify(sink, (*batch)[i]);
    Message parsed;
    ASSERT_TRUE(parser.ParseFromString(sink.text, &parsed)) << sink.text;
    EXPECT_EQ(Text(parsed), Text(messages[i]));
    std::ostringstream out;
    out << (*batch)[i];
    EXPECT_EQ(out.str(), sink.text);
  }
}

TEST(RowsTest, RowsArePrintedInTheTextFormat) {
  ExpectTextOfRows<Implicit, ImplicitDecoder>();
  ExpectTextOfRows<Maps, MapsDecoder>();
  ExpectTextOfRows<Tree, TreeDecoder>();
  ExpectTextOfRows<Everything2, Everything2Decoder>();
  Implicit negative_zero;
  negative_zero.set_double_value(-0.0);
  const auto batch = ImplicitDecoder().Decode(Bytes(std::vector<Implicit>{negative_zero}));
  TextSink zero;
  AbslStringify(zero, (*batch)[0]);
  EXPECT_EQ(zero.text, "double_value: -0");
  TextSink sink;
  AbslStringify(sink, TreeRow());
  EXPECT_EQ(sink.text, "");
}

TEST(RowsTest, ABatchMadeByDefaultHasNoRows) {
  const TreeBatch batch;
  EXPECT_EQ(batch.nrows(), 0u);
  EXPECT_EQ(std::ranges::size(batch), 0u);
  EXPECT_TRUE(batch.value().values().empty());
  TreeBatch assigned;
  assigned = *TreeDecoder().Decode(Bytes(std::vector<Tree>(3)));
  EXPECT_EQ(std::ranges::size(assigned), 3u);
}

TEST(RowsTest, OpenEnumsKeepNumbersWithoutNames) {
  Implicit message;
  message.set_color_value(static_cast<Color>(12345));
  const auto batch = ImplicitDecoder().Decode(Bytes(std::vector<Implicit>{message}));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(static_cast<int32_t>((*batch)[0].color_value()), 12345);
}

TEST(RowsTest, ExtensionsOfOtherFiles) {
  namespace extensions = ::structtensor::testing::extensions;
  std::vector<Everything2> messages(2);
  messages[1].MutableExtension(extensions::message)->set_number(5);
  messages[1].AddExtension(extensions::messages)->add_strings("a");
  messages[1].SetExtension(extensions::closed, CLOSED_LAST);
  const auto batch = Everything2Decoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  const Everything2Row absent = (*batch)[0];
  const Everything2Row present = (*batch)[1];
  EXPECT_FALSE(absent.has_structtensor_testing_extensions_message());
  EXPECT_EQ(absent.structtensor_testing_extensions_text(), "none");
  EXPECT_EQ(absent.structtensor_testing_extensions_closed(), enums::ClosedEnum::CLOSED_FIRST);
  EXPECT_EQ(present.structtensor_testing_extensions_message().number(), 5);
  EXPECT_THAT(present.structtensor_testing_extensions_messages()[0].strings(), ElementsAre("a"));
  EXPECT_EQ(present.structtensor_testing_extensions_closed(), enums::ClosedEnum::CLOSED_LAST);
}

TEST(RowsTest, IteratorsWorkWithAlgorithms) {
  std::vector<Tree> messages(10);
  for (int i = 0; i < 10; ++i) messages[static_cast<size_t>(i)].set_value(i * 2);
  const auto batch = TreeDecoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto rows = batch->rows();
  const auto found = std::ranges::lower_bound(rows, 7, {}, &TreeRow::value);
  EXPECT_EQ(found - rows.begin(), 4);
  EXPECT_EQ(found->value(), 8);
  EXPECT_EQ(rows.front().value(), 0);
  EXPECT_EQ(rows.back().value(), 18);
  auto last = rows.end();
  EXPECT_EQ((*--last).value(), 18);
  EXPECT_EQ(last[-2].value(), 14);
  EXPECT_TRUE(rows.begin() < last && last - 9 == rows.begin());
  int sum = 0;
  std::for_each(std::make_reverse_iterator(rows.end()), std::make_reverse_iterator(rows.end() - 3),
                [&](TreeRow row) { sum = sum * 100 + static_cast<int>(row.value()); });
  EXPECT_EQ(sum, 181614);
}

TEST(RowsTest, ColumnsOfStringsAreRanges) {
  std::vector<Twin> messages(3);
  messages[0].set_name("b");
  messages[2].set_name("aa");
  for (const bool views : {false, true}) {
    const std::vector<std::string> bytes = Bytes(messages);
    const auto batch = views ? TwinDecoder().DecodeViews(bytes) : TwinDecoder().Decode(bytes);
    ASSERT_TRUE(batch.ok()) << batch.status();
    const StringSpan names = batch->name().values();
    EXPECT_THAT(names, ElementsAre("b", "", "aa"));
    EXPECT_EQ(std::ranges::max(names), "b");
    EXPECT_EQ(std::ranges::find(names, "aa") - names.begin(), 2);
    EXPECT_THAT(std::vector<std::string_view>(names.begin() + 1, names.end()), ElementsAre("", "aa"));
    EXPECT_EQ(names.end()[-1], "aa");
    EXPECT_EQ(names.front(), "b");
    EXPECT_EQ(names.back(), "aa");
    EXPECT_EQ(batch->name().size(), 3u);
  }
}

TEST(RowsTest, ColumnsOfRepeatedFieldsAreRangesOfRows) {
  std::vector<Repeated> messages(3);
  messages[0].add_int32_values(1);
  messages[0].add_int32_values(2);
  messages[2].add_int32_values(3);
  messages[2].add_string_values("a");
  const auto batch = RepeatedDecoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->int32_values(), ElementsAre(ElementsAre(1, 2), ElementsAre(), ElementsAre(3)));
  EXPECT_THAT(batch->string_values(), ElementsAre(ElementsAre(), ElementsAre(), ElementsAre("a")));
  EXPECT_EQ(batch->int32_values().size(), 3u);
  const auto longest = std::ranges::max_element(batch->int32_values(), {}, [](auto row) { return row.size(); });
  EXPECT_EQ(longest->back(), 2);
}

TEST(RowsTest, RowsOfInnerColumns) {
  std::vector<Tree> messages(2);
  messages[0].add_children()->set_value(1);
  messages[1].add_children()->set_value(2);
  messages[1].add_children()->set_value(3);
  const auto batch = TreeDecoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  std::vector<int64_t> values;
  for (TreeRow child : batch->children().rows()) values.push_back(child.value());
  EXPECT_THAT(values, ElementsAre(1, 2, 3));
  EXPECT_EQ((*batch)[1].children()[1].row_index(), 2u);
  // The elements of one row.
  EXPECT_EQ(batch->children()[0].size(), 1u);
  ASSERT_EQ(batch->children()[1].size(), 2u);
  EXPECT_EQ(batch->children()[1][0].value(), 2);
  EXPECT_EQ(batch->children()[1].subspan(1, 1)[0].value(), 3);
  EXPECT_TRUE(batch->children().children()[2].empty());
}

TEST(RowsTest, UnknownFields) {
  DecodeOptions options = {.unknown_fields = DecodeOptions::UnknownFields::kKeep};
  Explicit unknown;
  unknown.set_int32_value(5);
  const std::vector<std::string> bytes = {"", unknown.SerializeAsString()};
  const auto batch = ImplicitDecoder::Create(options)->Decode(bytes);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].unknown_fields(), "");
  EXPECT_EQ((*batch)[1].unknown_fields(), bytes[1]);
}

TEST(RowsTest, MessagesThatAreKeptAsBytesLookEmpty) {
  std::vector<Tree> messages(1);
  messages[0].add_children()->add_children()->add_children()->set_value(3);
  messages[0].mutable_left()->mutable_left()->set_value(4);
  const auto batch = TreeDecoder::Create({.recursion_depth = 1})->Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  const TreeRow row = (*batch)[0];
  EXPECT_TRUE(row.children().empty());
  EXPECT_TRUE(batch->children()[0].empty());
  EXPECT_TRUE(row.has_left());
  EXPECT_FALSE(row.left().has_left());
}

TEST(RowsTest, FieldsThatAreNotChosenLookUntouched) {
  const std::vector<Explicit> messages = RandomMessages<Explicit>(50, {.probability = 1});
  const auto batch = ExplicitDecoder::Create({.fields = {"string_value"}})->Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  for (ExplicitRow row : *batch) {
    EXPECT_EQ(row.string_value(), messages[row.row_index()].string_value());
    EXPECT_FALSE(row.has_int32_value());
    EXPECT_EQ(row.bytes_value(), "");
  }
}

TEST(RowsTest, BatchesOfOneDecoderOneAfterAnother) {
  TreeDecoder decoder;
  for (int turn = 0; turn < 3; ++turn) {
    Tree message;
    message.set_value(turn);
    if (turn == 1) message.mutable_left()->add_children()->set_value(10);
    const auto batch = decoder.Decode(Bytes(std::vector<Tree>(static_cast<size_t>(turn) + 1, message)));
    ASSERT_TRUE(batch.ok()) << batch.status();
    for (TreeRow row : *batch) Expect(row, message);
  }
}

// Under the thread sanitizer, this shows that tables may be filled by several threads.
TEST(RowsTest, ThreadsReadOneBatch) {
  const std::vector<Tree> messages = RandomMessages<Tree>(20);
  const auto batch = TreeDecoder().Decode(Bytes(messages));
  ASSERT_TRUE(batch.ok()) << batch.status();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (TreeRow row : *batch) Expect(row, messages[row.row_index()]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace structtensor::testing
