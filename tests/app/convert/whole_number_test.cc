#include "structtensor/app/convert/internal/whole_number.h"

#include <gtest/gtest.h>

#include <string>

namespace structtensor::convert_internal {
namespace {

// The number as it is passed on, or what is wrong.
std::string Read(std::string text, uint64_t least, uint64_t most) {
  const std::string problem = ReadWholeNumber({least, most}, text);
  return problem.empty() ? text : problem;
}

TEST(WholeNumber, TakesBothEndsOfItsRange) {
  EXPECT_EQ(Read("1", 1, 1000), "1");
  EXPECT_EQ(Read("1000", 1, 1000), "1000");
  EXPECT_EQ(Read("0", 0, 0), "0");
  EXPECT_EQ(Read("18446744073709551615", 1, UINT64_MAX), "18446744073709551615");
}

TEST(WholeNumber, SaysTheRangeInWords) {
  EXPECT_EQ(Read("0", 1, 1000), "'0' is not allowed: it takes a whole number from 1 to 1000");
  EXPECT_EQ(Read("1001", 1, 1000), "'1001' is not allowed: it takes a whole number from 1 to 1000");
  EXPECT_EQ(Read("0", 1, UINT64_MAX), "'0' is not allowed: it takes a whole number of 1 or more (below 2^64)");
}

TEST(WholeNumber, TakesNothingButDigits) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "many", "18446744073709551616"}) {
    EXPECT_EQ(Read(text, 0, UINT64_MAX),
              "'" + std::string(text) + "' is not allowed: it takes a whole number of 0 or more (below 2^64)");
  }
}

TEST(WholeNumber, LeadingZerosAreNotOctal) { EXPECT_EQ(Read("0010", 1, 1000), "10"); }

}  // namespace
}  // namespace structtensor::convert_internal
