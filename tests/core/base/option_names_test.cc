#include "structtensor/core/base/shared/option_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace structtensor::base_internal {
namespace {

std::string Shown(std::string_view text) {
  return WithOptionNames(
      text, [](std::string_view name, const std::optional<std::string>& value, std::string_view) -> std::optional<std::string> {
        if (name != "format" && name != "on_error") return std::nullopt;
        return std::string(name == "format" ? "--from" : "--on-error") + (value.has_value() ? "=" + *value : "");
      });
}

TEST(OptionNamesTest, WritesOptionsInBackquotes) {
  EXPECT_EQ(OptionText("max_depth", 100), "`max_depth=100`");
  EXPECT_EQ(UnexpectedOption("on_error", "no", "one of fail, skip").message(), "`on_error=no`: expected one of fail, skip");
  EXPECT_LT(UnexpectedOption("on_error", std::string(1000, 'x'), "fail").message().size(), 150u);
}

TEST(OptionNamesTest, ShowsTheNamesOfCallers) {
  EXPECT_EQ(Shown("check `format`, or pass `on_error=skip` to go on"), "check --from, or pass --on-error=skip to go on");
  EXPECT_EQ(Shown("`format``format`"), "--from--from");
  EXPECT_EQ(Shown("`format=`"), "--from=");
}

TEST(OptionNamesTest, LeavesOtherTextAlone) {
  for (const std::string_view text : {"", "format", "`", "``", "`format", "`other`", "`other=1`", "`formats`", "` format`"}) {
    EXPECT_EQ(Shown(text), text);
  }
  // A value in the data that ends with a backquote.
  EXPECT_EQ(Shown("the name 'a`b' (check `format`)"), "the name 'a`b' (check --from)");
  EXPECT_EQ(Shown("`a`format`"), "`a--from");
}

}  // namespace
}  // namespace structtensor::base_internal
