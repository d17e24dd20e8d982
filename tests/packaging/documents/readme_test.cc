// The README's C++ compiles as it is printed, and does what it says.
#include "readme.h"

#include <gtest/gtest.h>

namespace {

TEST(ReadmeTest, PrintsTitles) {
  testing::internal::CaptureStdout();
  // title: "toast" minutes: 5 ingredients { name: "bread" unit: SLICE } ratings { key: "ann" value: 3 }; then title: "soup"
  // ingredients { name: "salt" }
  EXPECT_TRUE(PrintTitles({"\x0a\x05toast\x10\x05\x1a\x09\x0a\x05"
                           "bread\x18\x02\x22\x07\x0a\x03"
                           "ann\x10\x03",
                           "\x0a\x04soup\x1a\x06\x0a\x04salt"})
                  .ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "toast\n  bread\nsoup\n  salt\n2 ingredients in 2 recipes\n");
  EXPECT_FALSE(PrintTitles({"\x0a"}).ok());
}

}  // namespace
