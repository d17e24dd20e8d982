#include "structtensor/app/convert/shared/progress.h"

#include <gtest/gtest.h>

namespace structtensor::convert_internal {
namespace {

std::string Bar(int64_t read_bytes, int64_t expected_bytes, double seconds) {
  return BarText({.messages = 1, .input_bytes = read_bytes}, expected_bytes, seconds);
}

TEST(BarText, ShowsWhatIsReadAndTheTimeThatIsLeft) {
  EXPECT_EQ(Bar(1, 4, 30), "[#####---------------]  25 %, 1:30 left");
  EXPECT_EQ(Bar(1, 1'000'000, 1), "[--------------------]   0 %, 16666:39 left");
  EXPECT_EQ(Bar(4, 4, 30), "[####################] 100 %, 0:00 left");
}

TEST(BarText, IsEmptyWhereUnknown) {
  EXPECT_EQ(Bar(0, 4, 1), "");
  EXPECT_EQ(Bar(5, 4, 1), "");
  EXPECT_EQ(Bar(5, 0, 1), "");
  EXPECT_EQ(Bar(5, -1, 1), "");
}

}  // namespace
}  // namespace structtensor::convert_internal
