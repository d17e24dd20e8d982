#include "structtensor/app/filters/row_condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "event.structtensor.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const plan::MessagePlan& Event() { return where_test::EventColumns::plan(); }

// Parts of serialized messages.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Number(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Text(uint32_t field, const std::string& text) { return Varint(field << 3 | 2) + Varint(text.size()) + text; }
std::string Place(const std::string& city) { return Text(1, city); }

std::string LongPath(size_t size) {
  std::string path = "place";
  for (size_t i = 1; i < size; ++i) path += ".place";
  return path;
}

// The numbers of the rows for which the condition is true, such as "02", or the error.
std::string RowsWhere(const std::string& condition, const std::vector<std::string>& messages) {
  const absl::StatusOr<RowCondition> where = RowCondition::Parse(condition, Event());
  if (!where.ok()) return std::string(where.status().message());
  absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(Event(), {.fields = where->fields()});
  if (!decoder.ok()) return std::string(decoder.status().message());
  const absl::StatusOr<DecodedBatch> batch = decoder->Decode(messages);
  if (!batch.ok()) return std::string(batch.status().message());
  std::string rows;
  const std::vector<uint8_t> keep = where->Evaluate(*batch);
  EXPECT_EQ(keep.size(), messages.size());
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] == 1) rows += static_cast<char>('0' + i);
  }
  return rows;
}

TEST(RowCondition, ComparesNumbers) {
  const std::vector<std::string> messages = {Number(3, 5), Number(3, UINT64_MAX), "", Number(3, 6)};
  EXPECT_EQ(RowsWhere("size = 5", messages), "0");
  EXPECT_EQ(RowsWhere("size == 5", messages), "0");
  EXPECT_EQ(RowsWhere("size <> 5", messages), "123");
  EXPECT_EQ(RowsWhere("size != 5", messages), "123");
  EXPECT_EQ(RowsWhere("size < 6", messages), "02");
  EXPECT_EQ(RowsWhere("size <= 6", messages), "023");
  EXPECT_EQ(RowsWhere("size > 5", messages), "13");
  EXPECT_EQ(RowsWhere("size >= 5.5", messages), "13");
  EXPECT_EQ(RowsWhere("size = 18446744073709551615", messages), "1");
  EXPECT_EQ(RowsWhere("size = 18446744073709551614", messages), "");
  EXPECT_EQ(RowsWhere("size > -1", messages), "0123");
  EXPECT_EQ(RowsWhere("size IN (0, 6)", messages), "23");
  EXPECT_EQ(RowsWhere("size NOT IN (0, 6)", messages), "01");
}

TEST(RowCondition, WhatIsAbsentIsNull) {
  const std::vector<std::string> messages = {Number(2, 0), "", Number(2, uint64_t(-3))};
  EXPECT_EQ(RowsWhere("number = 0", messages), "0");
  EXPECT_EQ(RowsWhere("number <> 0", messages), "2");
  EXPECT_EQ(RowsWhere("NOT number = 0", messages), "2");
  EXPECT_EQ(RowsWhere("number IS NULL", messages), "1");
  EXPECT_EQ(RowsWhere("number IS NOT NULL", messages), "02");
  EXPECT_EQ(RowsWhere("number = -3 OR number IS NULL", messages), "12");
  EXPECT_EQ(RowsWhere("number = 0 OR size = 0", messages), "012");         // NULL OR TRUE
  EXPECT_EQ(RowsWhere("NOT (number = 0 AND size = 1)", messages), "012");  // NOT (NULL AND FALSE)
  EXPECT_EQ(RowsWhere("size IS NULL", messages), "");
}

TEST(RowCondition, AFieldOfAnAbsentMessageIsNull) {
  const std::vector<std::string> messages = {Text(8, Place("Rome")), "", Text(8, ""), Text(8, Number(2, 7))};
  EXPECT_EQ(RowsWhere("place.city = ''", messages), "23");
  EXPECT_EQ(RowsWhere("place.city IS NULL", messages), "1");
  EXPECT_EQ(RowsWhere("place.height IS NULL", messages), "012");
  EXPECT_EQ(RowsWhere("place.height = 7", messages), "3");
  EXPECT_EQ(RowsWhere("place IS NOT NULL", messages), "023");
}

TEST(RowCondition, ComparesStrings) {
  const std::vector<std::string> messages = {Text(1, "it's"), Text(1, "b"), Text(1, "\xc3\xa4"), Text(7, "\xff")};
  EXPECT_EQ(RowsWhere("name = 'it''s'", messages), "0");
  EXPECT_EQ(RowsWhere("name > 'b'", messages), "02");
  EXPECT_EQ(RowsWhere("name IN ('b', '')", messages), "13");
  EXPECT_EQ(RowsWhere("starts_with(name, 'it')", messages), "0");
  EXPECT_EQ(RowsWhere("NOT starts_with(name, '')", messages), "");
  EXPECT_EQ(RowsWhere("raw > 'z'", messages), "3");
}

TEST(RowCondition, ComparesEnumsAndBooleans) {
  const std::vector<std::string> messages = {Number(6, 2) + Number(5, 1), Number(6, 1), Number(16, 1), Number(6, 9)};
  EXPECT_EQ(RowsWhere("level = ERROR", messages), "0");
  EXPECT_EQ(RowsWhere("level IN (DEBUG, 9)", messages), "23");
  EXPECT_EQ(RowsWhere("level = 'INFO'", messages), "1");
  EXPECT_THAT(RowsWhere("level = 'WARNING'", messages), ::testing::HasSubstr("where_test.Level has no value WARNING"));
  EXPECT_EQ(RowsWhere("ok", messages), "0");
  EXPECT_EQ(RowsWhere("NOT ok", messages), "123");
  EXPECT_EQ(RowsWhere("ok = FALSE", messages), "123");
  EXPECT_EQ(RowsWhere("\"in\" = true and not OK = true", messages),
            "condition, byte 20: where_test.Event has no field OK; it has name, number, size, ratio, ok, level, raw, place, "
            "places, codes, labels, at, wrapped, text, count, in, by_id, by_flag, by_size, took, levels; did you mean ok?\n"
            "  \"in\" = true and not OK = true\n"
            "                      ^");
  EXPECT_EQ(RowsWhere("\"in\" = true and not ok = true", messages), "2");
}

TEST(RowCondition, AnAliasIsTheSameValue) {
  const std::vector<std::string> messages = {Number(6, 2), Number(6, 1), Number(21, 2), ""};
  for (const auto& [first, alias] :
       {std::pair("level = ERROR", "level = SEVERE"), std::pair("level = 'DEBUG'", "level = 'VERBOSE'"),
        std::pair("level <> 0", "level <> VERBOSE"), std::pair("level >= ERROR", "level >= 'SEVERE'"),
        std::pair("level NOT IN (DEBUG, 1)", "level NOT IN (VERBOSE, INFO)"),
        std::pair("any(levels) = ERROR", "any(levels) IN (SEVERE)")}) {
    EXPECT_EQ(RowsWhere(alias, messages), RowsWhere(first, messages)) << alias;
    EXPECT_THAT(RowsWhere(alias, messages), ::testing::MatchesRegex("[0-9]+")) << alias;
  }
}

TEST(RowCondition, AnyIsOneOfTheValues) {
  const std::vector<std::string> messages = {Text(9, Place("Rome")) + Text(9, Place("Bern") + Text(3, "old")), "",
                                             Text(9, Text(3, "new") + Number(2, 4)),
                                             Text(10, std::string("\x01\x04", 2)),  // packed: -1, 2
                                             Number(10, 3)};
  EXPECT_EQ(RowsWhere("any(places.city) = 'Bern'", messages), "0");
  EXPECT_EQ(RowsWhere("any(places.city) <> 'Bern'", messages), "02");
  EXPECT_EQ(RowsWhere("any(places.tags) IN ('old', 'new')", messages), "02");
  EXPECT_EQ(RowsWhere("starts_with(any(places.city), 'R')", messages), "0");
  EXPECT_EQ(RowsWhere("any(places.height) >= 0", messages), "2");
  EXPECT_EQ(RowsWhere("NOT any(places.height) >= 0", messages), "0134");
  EXPECT_EQ(RowsWhere("any(codes) = 2", messages), "3");
  EXPECT_EQ(RowsWhere("any(codes) < 0", messages), "34");
}

TEST(RowCondition, AsksForValuesOfMapKeys) {
  const auto entry = [](const std::string& key, uint64_t value) { return Text(11, Text(1, key) + Number(2, value)); };
  const std::vector<std::string> messages = {entry("a", 1), entry("b", 1), entry("a", 0) + entry("b", 2),
                                             Text(17, Number(1, 7) + Text(2, Place("Rome")))};
  EXPECT_EQ(RowsWhere("labels[\"a\"] = 1", messages), "0");
  EXPECT_EQ(RowsWhere("labels[\"a\"] IS NULL", messages), "13");
  EXPECT_EQ(RowsWhere("labels[\"a\"] = 0 OR labels[\"b\"] = 1", messages), "12");
  EXPECT_EQ(RowsWhere("by_id[7].city = 'Rome'", messages), "3");
}

TEST(RowCondition, AsksForKeysOfEachType) {
  const auto entry = [](uint32_t field, uint64_t key, uint64_t value) {
    return Text(field, Number(1, key) + Number(2, value));
  };
  const std::vector<std::string> messages = {entry(18, 1, 5), entry(18, 0, 5), entry(19, UINT64_MAX, 5), entry(19, 1, 5)};
  EXPECT_EQ(RowsWhere("by_flag[true] = 5", messages), "0");
  EXPECT_EQ(RowsWhere("by_flag[false] = 5 OR by_flag[\"true\"] = 5", messages), "01");
  EXPECT_EQ(RowsWhere("by_size[18446744073709551615] = 5", messages), "2");
  EXPECT_EQ(RowsWhere("by_size[1] = 5", messages), "3");
  EXPECT_THAT(RowsWhere("by_flag[1] = 5", messages), HasSubstr("'1' is not a key of a map with keys of type bool; write true"));
  EXPECT_THAT(RowsWhere("by_size[\"01\"] = 5", messages), HasSubstr("'01' is not a key of a map with keys of type uint64"));
}

TEST(RowCondition, ComparesTimesWrappersAndMembersOfOneofs) {
  const std::vector<std::string> messages = {Text(12, Number(1, 1767225600)) + Text(13, Number(1, 4)),
                                             Text(12, Number(1, 1767225600) + Number(2, 1)) + Text(14, "x"),
                                             Text(13, "") + Number(15, 0), ""};
  EXPECT_EQ(RowsWhere("at = '2026-01-01T00:00:00Z'", messages), "0");
  EXPECT_EQ(RowsWhere("at > '2026-01-01T01:00:00+01:00'", messages), "1");
  EXPECT_EQ(RowsWhere("at IS NULL", messages), "23");
  EXPECT_EQ(RowsWhere("at.seconds > 0", messages), "01");
  EXPECT_EQ(RowsWhere("wrapped = 0", messages), "2");
  EXPECT_EQ(RowsWhere("wrapped IS NULL", messages), "13");
  EXPECT_EQ(RowsWhere("text = 'x'", messages), "1");
  EXPECT_EQ(RowsWhere("count = 0", messages), "2");
  EXPECT_EQ(RowsWhere("count IS NULL", messages), "013");
}

// As in protobuf's JSON. tests/core/base/time_text_test.cc has all forms of times and durations.
TEST(RowCondition, ReadsTimesAsJsonDoes) {
  const std::vector<std::string> messages = {Text(12, Number(1, static_cast<uint64_t>(-62'135'596'800))),
                                             Text(12, Number(1, 253'402'300'799) + Number(2, 999'999'999)),
                                             Text(12, Number(1, static_cast<uint64_t>(int64_t{-1})) + Number(2, 999'999'999))};
  EXPECT_EQ(RowsWhere("at = '0001-01-01T00:00:00Z'", messages), "0");
  EXPECT_EQ(RowsWhere("at = '9999-12-31T23:59:59.999999999Z'", messages), "1");
  EXPECT_EQ(RowsWhere("at = '1969-12-31T23:59:59.999999999Z'", messages), "2");
  EXPECT_EQ(RowsWhere("at < '1970-01-01T00:00:00-00:00'", messages), "02");
  for (const char* text :
       {"infinite-future", "infinite-past", " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", "2026-01-01t00:00:00z",
        "2026-01-01T00:00:00", "2016-12-31T23:59:60Z", "2026-01-01T00:00:00.1234567890Z", "0000-12-31T23:59:59Z",
        "+010000-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T00:00:00+0100", "2026-01-01", "1s", ""}) {
    EXPECT_THAT(RowsWhere(std::string("at > '") + text + "'", messages),
                ::testing::HasSubstr("compare it with a time as '2026-01-31T12:00:00Z'"))
        << text;
  }
  EXPECT_THAT(RowsWhere("at > 5", messages), ::testing::HasSubstr("compare it with a time"));
}

TEST(RowCondition, ReadsDurationsAsJsonDoesAndWithUnits) {
  const auto took = [](int64_t seconds, int32_t nanos) {
    return Text(20, Number(1, static_cast<uint64_t>(seconds)) + Number(2, static_cast<uint64_t>(int64_t{nanos})));
  };
  const std::vector<std::string> messages = {took(-315'576'000'000, 0), took(0, -500'000'000), took(5400, 0),
                                             took(315'576'000'000, 999'999'999)};
  EXPECT_EQ(RowsWhere("took = '-315576000000s'", messages), "0");
  EXPECT_EQ(RowsWhere("took IN ('-0.5s', '-500ms')", messages), "1");
  EXPECT_EQ(RowsWhere("took = '1h30m'", messages), "2");
  EXPECT_EQ(RowsWhere("took >= '315576000000.999999999s'", messages), "3");
  for (const char* text : {"315576000001s", "-315576000001s", "inf", "-inf", "soon", "1", "1.0000000001s", "1S", " 1s", "1s ",
                           "+1s", "2026-01-01T00:00:00Z", ""}) {
    EXPECT_THAT(RowsWhere(std::string("took > '") + text + "'", messages),
                ::testing::HasSubstr("compare it with a duration as '1.5s', '250ms' or '-1h30m'"))
        << text;
  }
}

TEST(RowCondition, AFractionIsThatOfTheField) {
  const auto ratio = [](double value) { return Varint(4 << 3 | 1) + std::string(reinterpret_cast<const char*>(&value), 8); };
  const std::vector<std::string> messages = {ratio(0.1), ratio(0.25), ratio(-1e300)};
  EXPECT_EQ(RowsWhere("ratio = 0.1", messages), "0");
  EXPECT_EQ(RowsWhere("ratio <= 0.1", messages), "02");
  EXPECT_EQ(RowsWhere("ratio IN (0.25, -1e300)", messages), "12");
}

TEST(RowCondition, NotInAsksForAValueOutsideTheList) {
  const std::vector<std::string> messages = {Text(10, std::string("\x01\x04", 2)), Number(10, 4), ""};  // -1 and 2; 2
  EXPECT_EQ(RowsWhere("any(codes) NOT IN (2)", messages), "0");
  EXPECT_EQ(RowsWhere("any(codes) <> 2", messages), "0");
  EXPECT_EQ(RowsWhere("NOT any(codes) IN (2)", messages), "2");
}

TEST(RowCondition, AKeyMayBeAskedForBesideItsWholeMap) {
  const std::string map_in_place = Text(4, Text(1, "k") + Text(2, "v"));
  const std::vector<std::string> messages = {Text(8, map_in_place), Text(8, Place("Rome")), ""};
  EXPECT_EQ(RowsWhere("place IS NOT NULL AND place.notes[\"k\"] = 'v'", messages), "0");
  EXPECT_EQ(RowsWhere("place IS NOT NULL AND place.notes[\"k\"] IS NULL", messages), "1");
  EXPECT_EQ(RowsWhere("place.notes[\"k\"] = 'v'", messages), "0");
}

TEST(RowCondition, AndBindsTighterThanOr) {
  const std::vector<std::string> messages = {Number(3, 1), Number(3, 2), Number(3, 3) + Number(5, 1)};
  EXPECT_EQ(RowsWhere("size = 1 OR size = 3 AND ok", messages), "02");
  EXPECT_EQ(RowsWhere("(size = 1 OR size = 3) AND ok", messages), "2");
  EXPECT_EQ(RowsWhere("size=1 or size=2", messages), "01");
}

TEST(RowCondition, SaysWhereAConditionIsWrong) {
  struct Case {
    std::string condition;
    std::string problem;
  };
  for (const Case& c : std::vector<Case>{{"", "expected a field path, found the end"},
                                         {"size", "expected a comparison"},
                                         {"size =", "expected a number"},
                                         {"size = 1 1", "expected AND, OR or the end, found '1'"},
                                         {"(size = 1", "expected ), found the end"},
                                         {"size = 'one'", "size is of type uint64; compare it with a number"},
                                         {"name = 1", "a text in single quotes"},
                                         {"name = 'x", "without its closing '"},
                                         {"ok = 1", "TRUE or FALSE"},
                                         {"level = FATAL", "where_test.Level has no value FATAL"},
                                         {"place = 1", "is a message"},
                                         {"places.city = 'x'", "write any(places.city)"},
                                         {"any(size) = 1", "leave out any()"},
                                         {"places IS NULL", "never NULL"},
                                         {"labels.key = 'x'", "ask for the value of a key"},
                                         {"name.x = 1", "name is not a message"},
                                         {"nothing = 1", "where_test.Event has no field nothing"},
                                         {"size ~ 1", "unexpected character '~'"},
                                         {"size = 1x", "'1x' is not a number"},
                                         {"at > 'yesterday'", "'2026-01-31T12:00:00Z'"},
                                         {"size NOT 1", "expected IN after NOT"},
                                         {"size IS 1", "expected NULL"},
                                         {"starts_with(size, 'x')", "is not a string or bytes field"},
                                         {"starts_with(name 'x')", "expected ,"},
                                         {std::string(5000, '('), "more than 200"},
                                         {"size = 1 AND \x01", "unexpected character"},
                                         {"any(name) IS NULL", "leave out any()"},
                                         {LongPath(5000) + " = 1", "a path of more than 1000 names"}}) {
    const std::string problem = RowsWhere(c.condition, {""});
    EXPECT_THAT(problem, AllOf(HasSubstr("condition, byte "), HasSubstr(c.problem), HasSubstr("^"))) << c.condition;
    EXPECT_LT(problem.size(), 600u);
  }
}

TEST(RowCondition, TakesTextOfAnyKindWithoutHarm) {
  uint64_t state = 1;
  const std::string pieces[] = {"size",   " = ", "1",  "(", ")", " AND ", " NOT ", "'a'", "any(",
                                "places", ".",   "\"", "[", "]", "IN",    "\\",    "\xff"};
  for (int i = 0; i < 20'000; ++i) {
    std::string condition;
    for (int j = 0; j < 8; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      condition += pieces[(state >> 33) % std::size(pieces)];
    }
    RowsWhere(condition, {Number(3, 1)});
  }
}

}  // namespace
}  // namespace structtensor
