#include "structtensor/app/convert/shared/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/scan/shared/option_table.h"

namespace structtensor::convert_internal {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  std::optional<int> exit_code;
  ConverterOptions options;
  std::string said;  // on standard error
};

Parsed Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "to_columns");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Parsed parsed;
  testing::internal::CaptureStderr();
  parsed.exit_code = ParseOptions(static_cast<int>(argv.size()), argv.data(), "to_columns", "cookbook.Recipe", &parsed.options);
  parsed.said = testing::internal::GetCapturedStderr();
  return parsed;
}

struct Limit {
  std::string option;
  uint64_t least;
  uint64_t most;
  std::function<uint64_t(const ConverterOptions& options)> value;
  std::vector<std::string> with = {};  // other options that it needs
};

std::vector<Limit> Limits() {
  std::vector<Limit> limits = {
      {"--jobs", 1, 1024, [](const ConverterOptions& o) { return static_cast<uint64_t>(o.jobs); }},
      {"--head", 0, 1 << 24, [](const ConverterOptions& o) { return static_cast<uint64_t>(o.head); }},
  };
  for (const scan_internal::Option& option : scan_internal::Options()) {
    if (option.type != scan_internal::OptionType::kNumber || option.flag.empty()) continue;
    limits.push_back({std::string(option.flag), option.least, option.greatest,
                      [&option](const ConverterOptions& o) { return option.access.get(o.scan); }});
    if (option.name == "max_errors") limits.back().with = {"--on-error=skip"};
  }
  return limits;
}

Parsed ParseLimit(const Limit& limit, const std::string& value) {
  std::vector<std::string> arguments = {"-o", "rows.parquet", limit.option, value};
  arguments.insert(arguments.end(), limit.with.begin(), limit.with.end());
  return Parse(arguments);
}

TEST(Options, LimitsTakeBothEndsOfTheirRanges) {
  for (const Limit& limit : Limits()) {
    for (const uint64_t value : {limit.least, limit.least + 1, limit.most - 1, limit.most}) {
      const Parsed parsed = ParseLimit(limit, std::to_string(value));
      EXPECT_EQ(parsed.exit_code, std::nullopt) << limit.option << " " << value << ": " << parsed.said;
      EXPECT_EQ(limit.value(parsed.options), value) << limit.option;
    }
  }
}

TEST(Options, LimitsOutsideTheirRangesAreRefusedWithNameValueAndRange) {
  for (const Limit& limit : Limits()) {
    std::vector<std::string> values = {"-1", "1.5", "99999999999999999999", ""};
    if (limit.least > 0) values.push_back(std::to_string(limit.least - 1));
    if (limit.most < UINT64_MAX) values.push_back(std::to_string(limit.most + 1));
    for (const std::string& value : values) {
      const Parsed parsed = ParseLimit(limit, value);
      EXPECT_EQ(parsed.exit_code, kExitUsage) << limit.option << " " << value;
      EXPECT_THAT(parsed.said, AllOf(HasSubstr(limit.option), HasSubstr("'" + value + "'"),
                                     HasSubstr("it takes a whole number"), HasSubstr(std::to_string(limit.least))));
      EXPECT_LT(parsed.said.size(), 250u) << parsed.said;
    }
  }
}

// Each word is set, and the help has it.
TEST(Options, WordsAreThoseOfTheList) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help-all"}).exit_code, kExitOk);
  const std::string help = testing::internal::GetCapturedStdout();
  for (const scan_internal::Option& option : scan_internal::Options()) {
    if (option.flag.empty()) continue;
    const std::string flag(option.flag);
    EXPECT_THAT(help, HasSubstr(flag));
    for (size_t i = 0; i < option.words.size(); ++i) {
      const Parsed parsed = Parse({"-o", "rows.parquet", flag + "=" + std::string(option.words[i].name)});
      EXPECT_EQ(parsed.exit_code, std::nullopt) << parsed.said;
      EXPECT_EQ(option.access.get(parsed.options.scan), i) << flag;
    }
    if (option.words.empty()) continue;
    const Parsed parsed = Parse({"-o", "rows.parquet", flag, "no"});
    EXPECT_EQ(parsed.exit_code, kExitUsage);
    EXPECT_THAT(parsed.said, AllOf(HasSubstr(flag), HasSubstr("no"), HasSubstr(std::string(option.words[0].name))));
  }
}

TEST(Options, OptionsThatDoNotGoTogetherAreNamedAsFlags) {
  const Parsed parsed = Parse({"-o", "rows.parquet", "--max-errors=3"});
  EXPECT_EQ(parsed.exit_code, kExitUsage);
  EXPECT_THAT(parsed.said, HasSubstr("--max-errors=3: expected --on-error=skip or --on-error=null"));
}

TEST(Options, ColumnsOfPlacesHaveNamesByDefault) {
  const auto names = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-o", "rows.parquet"});
    const Parsed parsed = Parse(arguments);
    EXPECT_EQ(parsed.exit_code, std::nullopt) << parsed.said;
    return std::vector<std::string>{parsed.options.scan.filename_column, parsed.options.scan.offset_column,
                                    parsed.options.scan.inputs[0]};
  };
  EXPECT_THAT(names({}), ElementsAre("", "", "-"));
  EXPECT_THAT(names({"--with-filename", "a.pb", "--with-offset"}), ElementsAre("filename", "offset", "a.pb"));
  EXPECT_THAT(names({"--with-offset=at", "--with-filename=from file"}), ElementsAre("from file", "at", "-"));
  EXPECT_THAT(names({"--with-offset=", "--with-filename=1"}), ElementsAre("1", "offset", "-"));
  for (const std::string option : {"--with-filename", "--with-offset=x"}) {
    EXPECT_EQ(Parse({"-o", "messages.pb", option}).exit_code, kExitUsage);
  }
}

TEST(Options, WithoutAnOutputStandardOutputIsWritten) {
  EXPECT_TRUE(Parse({}).options.writes_standard_output());
  EXPECT_EQ(Parse({}).options.records, RecordFormat::kJson);
  EXPECT_TRUE(Parse({"--to", "csv"}).options.writes_standard_output());
  EXPECT_TRUE(Parse({"--head", "2", "--to", "csv"}).options.writes_standard_output());
  EXPECT_FALSE(Parse({"--head", "2"}).options.has_output());
  EXPECT_FALSE(Parse({"--show-spec"}).options.has_output());
}

}  // namespace
}  // namespace structtensor::convert_internal
