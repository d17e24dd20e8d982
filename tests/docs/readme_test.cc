// The README's C++ compiles as it is printed, and does what it says.
#include "readme.h"

#include <gtest/gtest.h>

namespace {

TEST(ReadmeTest, PrintsTitles) {
  testing::internal::CaptureStdout();
  EXPECT_TRUE(PrintTitles({"\x0a\x05toast\x1a\x07\x0a\x05"
                           "bread",
                           "\x0a\x04soup"})
                  .ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "toast\n  bread\nsoup\n1 ingredients in 2 recipes\n");
  EXPECT_FALSE(PrintTitles({"\x0a"}).ok());
}

}  // namespace
