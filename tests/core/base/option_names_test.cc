#include "structtensor/core/base/shared/option_names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace structtensor::base_internal {
namespace {

constexpr OptionName kNames[] = {{"format", "--from"}, {"on_error", "--on-error"}};

std::string Shown(std::string_view text) {
  return WithOptionNames(text, kNames, [](std::string_view name, std::string_view value) {
    return std::string(name) + (value.empty() ? "" : "=" + std::string(value));
  });
}

TEST(OptionNamesTest, ShowsTheNamesOfCallers) {
  EXPECT_EQ(Shown("check `format`, or pass `on_error=skip` to go on"), "check --from, or pass --on-error=skip to go on");
  EXPECT_EQ(Shown("`format``format`"), "--from--from");
  EXPECT_EQ(Shown("`format=`"), "--from");
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
