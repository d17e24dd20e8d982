#include "structtensor/json_cursor/internal/json_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace structtensor::json_cursor_internal {
namespace {

// `number` at the end of memory that is exactly as long as it may be read, so that the address sanitizer sees reads beyond.
bool Parse(std::string_view number, std::string_view behind, uint64_t* value) {
  const std::string text = std::string(number) + std::string(behind);
  std::string exact(text);
  exact.shrink_to_fit();
  return ParseDigits({exact.data(), number.size()}, exact.size(), value);
}

TEST(ParseDigitsTest, ReadsNumbersOfEveryLength) {
  std::mt19937_64 random(7);
  for (size_t count = 1; count <= 19; ++count) {
    for (int i = 0; i < 200; ++i) {
      std::string number(count, '0');
      for (char& c : number) c = static_cast<char>('0' + random() % 10);
      if (number[0] == '0') number[0] = '9';
      for (const std::string_view behind : {"", ",", "}}", "1234567", "12345678", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
        uint64_t value = 0;
        ASSERT_TRUE(Parse(number, behind, &value)) << number;
        EXPECT_EQ(value, std::stoull(number)) << number << behind;
      }
    }
  }
  for (const std::string_view zero_behind : {"", "12345678"}) {
    uint64_t value = 1;
    ASSERT_TRUE(Parse("0", zero_behind, &value));
    EXPECT_EQ(value, 0u);
  }
}

TEST(ParseDigitsTest, RefusesWhatIsNotOnlyDigits) {
  uint64_t value;
  for (const std::string_view behind : {"", ",", "12345678"}) {
    EXPECT_FALSE(Parse("", behind, &value));
    EXPECT_FALSE(Parse("01", behind, &value));
    EXPECT_FALSE(Parse("00000000", behind, &value));
    EXPECT_FALSE(Parse("12345678901234567890", behind, &value));
    for (size_t count = 1; count <= 19; ++count) {
      for (size_t at = 0; at < count; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          if (byte >= '0' && byte <= '9') continue;
          std::string number(count, '5');
          number[at] = static_cast<char>(byte);
          EXPECT_FALSE(Parse(number, behind, &value)) << number;
        }
      }
    }
  }
}

TEST(JsonNumberTest, Form) {
  for (const std::string_view number : {"0", "-0", "12", "-1.5", "1e5", "1E+05", "0.10e-7", "123456789012345678901234567890"}) {
    EXPECT_TRUE(IsJsonNumber(number)) << number;
  }
  for (const std::string_view other :
       {"", "-", "01", "-01", ".5", "1.", "1e", "1e+", "+1", "0x1", "1 ", "NaN", "1.5.5", "1e5e5"}) {
    EXPECT_FALSE(IsJsonNumber(other)) << other;
  }
}

TEST(JsonNumberTest, Reals) {
  EXPECT_EQ(ParseReal<double>("1.5e3"), 1500.0);
  EXPECT_EQ(ParseReal<double>("1e-400"), 0.0);
  EXPECT_EQ(ParseReal<double>("1e400"), std::nullopt);
  EXPECT_EQ(ParseReal<float>("1e39"), std::nullopt);
  EXPECT_EQ(ParseReal<double>("123456789012345678901234567890"), 123456789012345678901234567890.0);
}

TEST(JsonNumberTest, Integers) {
  EXPECT_EQ(ParseInteger<int64_t>("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInteger<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseInteger<uint64_t>("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseInteger<int32_t>("1.5e1"), 15);
  EXPECT_EQ(ParseInteger<int32_t>("1.5"), std::nullopt);
  EXPECT_EQ(ParseInteger<uint32_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace structtensor::json_cursor_internal
