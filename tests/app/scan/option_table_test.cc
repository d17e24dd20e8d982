#include "structtensor/app/scan/shared/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scan_testutil.h"

namespace structtensor::scan_internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Face kFaces[] = {Face::kCommand, Face::kPython, Face::kTensorFlow, Face::kSpark};

std::vector<const Option*> Numbers() {
  std::vector<const Option*> numbers;
  for (const Option& option : Options()) {
    if (option.type == OptionType::kNumber) numbers.push_back(&option);
  }
  return numbers;
}

// What is wrong with the options, for a scan.
std::string Problem(ScanOptions options) {
  options.inputs = {"-"};
  // These do not go together with the defaults.
  if (options.row_options.decode.max_errors >= 0) options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  return std::string(CheckScanOptions(options).message());
}

TEST(OptionTable, NamesAreUniqueInEachFace) {
  std::set<std::string_view> names;
  for (const Option& option : Options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(FindOption(option.name), &option);
    EXPECT_FALSE(option.help.empty() || option.help.ends_with('.')) << option.name;
    EXPECT_TRUE(option.flag.empty() || option.flag.starts_with("--")) << option.flag;
    for (const Face face : {Face::kCommand, Face::kTensorFlow, Face::kSpark}) {
      const std::string_view name = NameIn(face, option);
      if (!name.empty()) {
        EXPECT_EQ(FindOption(face, name), &option) << name;
      }
    }
  }
  EXPECT_EQ(FindOption(""), nullptr);
  EXPECT_EQ(FindOption(Face::kSpark, ""), nullptr);
}

// The struct takes what the table allows, and refuses the next number.
TEST(OptionTable, NumbersTakeBothEndsOfTheirRanges) {
  for (const Option* option : Numbers()) {
    SCOPED_TRACE(option->name);
    for (const uint64_t value : {option->least, option->greatest}) {
      ScanOptions options = DefaultsIn(Face::kPython);
      EXPECT_TRUE(SetNumber(*option, value, options).ok());
      EXPECT_EQ(option->access.get(options), value);
      EXPECT_EQ(Problem(options), "");
      EXPECT_TRUE(SetText(Face::kSpark, *option, std::to_string(value), options).ok());
    }
    ScanOptions options = DefaultsIn(Face::kPython);
    const std::string name(option->name);
    const int64_t too_small = static_cast<int64_t>(option->least) - 1;
    EXPECT_THAT(std::string(SetNumber(*option, too_small, options).message()),
                HasSubstr("`" + name + "=" + std::to_string(too_small) + "`: expected " + std::to_string(option->least)));
    if (option->greatest < std::numeric_limits<uint64_t>::max()) {
      EXPECT_THAT(std::string(SetNumber(*option, option->greatest + 1, options).message()), HasSubstr("`" + name + "="));
    }
    for (const std::string_view text : {"", "-1", "1.5", "x", "99999999999999999999", "1 "}) {
      if (text == "-1" && option->least > 0) continue;
      EXPECT_THAT(std::string(SetText(Face::kTensorFlow, *option, text, options).message()),
                  AllOf(HasSubstr("=" + std::string(text)), HasSubstr(": expected ")));
    }
    EXPECT_EQ(option->access.get(options), option->access.get(DefaultsIn(Face::kPython)));
  }
}

// A program may set a member to any number.
TEST(OptionTable, MembersOutsideOfTheTableAreRefused) {
  for (const Option* option : Numbers()) {
    const std::string name(option->name);
    ScanOptions options = DefaultsIn(Face::kPython);
    if (option->none.has_value()) {
      option->access.set(options, *option->none);
      EXPECT_EQ(Problem(options), "") << name;
      option->access.set(options, static_cast<uint64_t>(-2));
      EXPECT_THAT(Problem(options), HasSubstr("`" + name + "=-2`: expected 0 or more, or -1")) << name;
    } else if (option->greatest < std::numeric_limits<uint32_t>::max()) {
      option->access.set(options, option->greatest + 1);
      EXPECT_THAT(Problem(options), HasSubstr("`" + name + "=" + std::to_string(option->greatest + 1) + "`: expected "))
          << name;
    }
    // recursion_depth = 0 is for C++ only: the columns depend on the data then.
    if (option->least > 0 && name != "recursion_depth") {
      option->access.set(options, option->least - 1);
      EXPECT_THAT(Problem(options), HasSubstr("`" + name + "=" + std::to_string(option->least - 1) + "`: expected ")) << name;
    }
  }
}

TEST(OptionTable, WordsAreTheValuesOfTheirEnums) {
  for (const Option& option : Options()) {
    if (option.type != OptionType::kWord) continue;
    SCOPED_TRACE(option.name);
    for (size_t i = 0; i < option.words.size(); ++i) {
      ScanOptions options = DefaultsIn(Face::kPython);
      EXPECT_TRUE(SetText(Face::kCommand, option, option.words[i].name, options).ok());
      EXPECT_EQ(option.access.get(options), i);
      EXPECT_EQ(SetText(Face::kTensorFlow, option, option.words[i].name, options).ok(), option.words[i].in_tensorflow);
    }
    ScanOptions options;
    const std::string refused(SetWord(Face::kPython, option, "no", options).message());
    EXPECT_THAT(refused, HasSubstr(std::string(option.keyword) + "=\"no\": expected one of "));
    EXPECT_THAT(std::string(SetWord(Face::kPython, option, "kSkip`x", options).message()), HasSubstr("=\"kSkip`x\": "));
    EXPECT_THAT(refused, HasSubstr(std::string(option.words.back().name)));
  }
}

TEST(OptionTable, FlagsAreTrueOrFalse) {
  ScanOptions options;
  const Option& option = *FindOption("unknown_fields");
  EXPECT_TRUE(SetText(Face::kSpark, option, "true", options).ok());
  EXPECT_EQ(options.row_options.decode.unknown_fields, DecodeOptions::UnknownFields::kKeep);
  EXPECT_TRUE(SetText(Face::kCommand, option, "drop", options).ok());
  EXPECT_EQ(SetText(Face::kCommand, option, "true", options).message(), "--unknown-fields=true: expected one of drop, keep");
  EXPECT_EQ(SetText(Face::kSpark, option, "1", options).message(), "unknown_fields=1: expected true or false");
}

TEST(OptionTable, DefaultsAreInRange) {
  for (const Face face : kFaces) {
    EXPECT_EQ(Problem(DefaultsIn(face)), "");
    for (const Option& option : Options()) {
      if (NameIn(face, option).empty() || option.access.get == nullptr || DefaultText(face, option).empty()) continue;
      ScanOptions options = DefaultsIn(face);
      std::string text = DefaultText(face, option);
      if (text == "False") text = "false";
      EXPECT_TRUE(SetText(face, option, text, options).ok()) << option.name << "=" << text;
      EXPECT_EQ(option.access.get(options), option.access.get(DefaultsIn(face))) << option.name;
    }
  }
}

TEST(OptionTable, MessagesHaveTheNamesOfTheFace) {
  const std::string_view text =
      "more than `max_depth=100`; check `format`, or pass `on_error=kSkip`: `rows`: 'x', `unknown=1` "
      "(`ignore_extra_fields=true`)";
  EXPECT_EQ(
      WithOptionNames(Face::kCommand, text),
      "more than --max-depth=100; check --from, or pass --on-error=skip: --rows: 'x', `unknown=1` (--ignore-extra-fields)");
  EXPECT_EQ(
      WithOptionNames(Face::kPython, text),
      "more than max_depth=100; check format=, or pass on_error=\"skip\": rows: 'x', `unknown=1` (ignore_extra_fields=True)");
  EXPECT_EQ(WithOptionNames(Face::kSpark, "raise `batch_size`, or `message`"), "raise batch_size, or message");
  EXPECT_EQ(WithOptionNames(Face::kCommand, "`batch_bytes=0`: expected 1 or more"), "batch_bytes=0: expected 1 or more");
  EXPECT_EQ(WithOptionNames(Face::kPython, "`compression=kNone` and `compression`"), "compression=\"none\" and compression=");
  // What the user has written stays as it is.
  EXPECT_EQ(WithOptionNames(Face::kCommand, "check `where`:\n  `limit` > 3\n  ^"), "check --where:\n  `limit` > 3\n  ^");
}

}  // namespace
}  // namespace structtensor::scan_internal
