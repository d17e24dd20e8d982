#include "structtensor/io/json/internal/json_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

namespace structtensor::json_internal {
namespace {

// Parses `number`, followed by `rest`, in memory of exactly that size, so that the address sanitizer sees reads beyond it.
bool Parse(std::string_view number, std::string_view rest, uint64_t* value) {
  const std::string text = std::string(number) + std::string(rest);
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
      for (const std::string_view rest : {"", ",", "}}", "1234567", "12345678", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
        uint64_t value = 0;
        ASSERT_TRUE(Parse(number, rest, &value)) << number;
        EXPECT_EQ(value, std::stoull(number)) << number << rest;
      }
    }
  }
  for (const std::string_view rest : {"", "12345678"}) {
    for (const uint64_t number : {uint64_t{0}, uint64_t{10000000000000000000u}, uint64_t{12345678901234567890u},
                                  std::numeric_limits<uint64_t>::max() - 5, std::numeric_limits<uint64_t>::max()}) {
      uint64_t value = 1;
      ASSERT_TRUE(Parse(std::to_string(number), rest, &value)) << number;
      EXPECT_EQ(value, number);
    }
  }
  for (const std::string_view zero_after : {"", "12345678"}) {
    uint64_t value = 1;
    ASSERT_TRUE(Parse("0", zero_after, &value));
    EXPECT_EQ(value, 0u);
  }
}

TEST(ParseDigitsTest, RefusesWhatIsNotOnlyDigits) {
  uint64_t value;
  for (const std::string_view rest : {"", ",", "12345678"}) {
    EXPECT_FALSE(Parse("", rest, &value));
    EXPECT_FALSE(Parse("01", rest, &value));
    EXPECT_FALSE(Parse("00000000", rest, &value));
    EXPECT_FALSE(Parse("18446744073709551616", rest, &value));
    EXPECT_FALSE(Parse("28446744073709551615", rest, &value));
    EXPECT_FALSE(Parse("99999999999999999999", rest, &value));
    EXPECT_FALSE(Parse("100000000000000000000", rest, &value));
    for (size_t count = 1; count <= 19; ++count) {
      for (size_t at = 0; at < count; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          if (byte >= '0' && byte <= '9') continue;
          std::string number(count, '5');
          number[at] = static_cast<char>(byte);
          EXPECT_FALSE(Parse(number, rest, &value)) << number;
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

// A number that is read must have the bits that from_chars gives.
template <typename Real>
bool IsRead(const std::string& number) {
  Real value = 7;
  const bool read = [&] {
    if constexpr (std::is_same_v<Real, float>) {
      return ParseSimpleFloat(number, &value);
    } else {
      return ParseSimpleDouble(number, &value);
    }
  }();
  if (!read) return false;
  EXPECT_TRUE(IsJsonNumber(number)) << number;
  const std::optional<Real> exact = ParseReal<Real>(number);
  EXPECT_TRUE(exact.has_value()) << number;
  EXPECT_EQ(std::memcmp(&value, &*exact, sizeof(Real)), 0) << number << ": " << value;
  return true;
}

TEST(JsonNumberTest, SimpleRealsAreTheNearest) {
  for (const std::string number : {"0", "-0", "0.0", "-0.0", "1", "-1.5", "1e5", "1E+05", "1e-22", "9007199254740992", "0.1",
                                   "123.456e-7", "0e22", "9007199254740992e22"}) {
    EXPECT_TRUE(IsRead<double>(number)) << number;
  }
  // Halfway between two floats, next to that, and outside the range.
  for (const std::string number :
       {"16777217", "16777219", "1.000000059604644775390625", "3.4028236e38", "3.5e38", "1e-38", "1e-45"}) {
    EXPECT_FALSE(IsRead<float>(number)) << number;
  }
  for (const std::string number : {"16777216", "16777217.001", "16777216.999", "3.4028234e22", "1.1754944e-15", "0", "-0"}) {
    EXPECT_TRUE(IsRead<float>(number)) << number;
  }
  for (const std::string other : {"",
                                  "-",
                                  ".",
                                  "01",
                                  "-01",
                                  ".5",
                                  "1.",
                                  "1e",
                                  "1e+",
                                  "+1",
                                  "0x1",
                                  "1 ",
                                  " 1",
                                  "NaN",
                                  "1.5.5",
                                  "1e5e5",
                                  "1e23",
                                  "1e-23",
                                  "1e99999",
                                  "9007199254740993",
                                  "12345678901234567890",
                                  "0.12345678901234567890",
                                  "1e00000000000000000000000000001",
                                  "--1",
                                  "1-1"}) {
    EXPECT_FALSE(IsRead<double>(other)) << other;
    EXPECT_FALSE(IsRead<float>(other)) << other;
  }
  std::mt19937_64 random(11);
  int doubles = 0;
  int floats = 0;
  constexpr int kNumbers = 200000;
  for (int i = 0; i < kNumbers; ++i) {
    std::string number = std::to_string(random() >> (random() % 60));
    if (random() % 2 == 0) number.insert(1 + random() % number.size(), ".");
    if (number.back() == '.') number += '5';
    if (number[0] == '0' && number.size() > 1 && number[1] != '.') continue;
    if (random() % 3 == 0) number += "e" + std::to_string(static_cast<int>(random() % 40) - 20);
    if (random() % 2 == 0) number = "-" + number;
    doubles += IsRead<double>(number) ? 1 : 0;
    floats += IsRead<float>(number) ? 1 : 0;
    // The float nearest to some float's decimal digits is that float.
    const auto bits = static_cast<uint32_t>(random());
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    floats += IsRead<float>(text) ? 1 : 0;
  }
  EXPECT_GT(doubles, kNumbers / 2);
  EXPECT_GT(floats, kNumbers / 2);
}

TEST(JsonNumberTest, Integers) {
  EXPECT_EQ(ParseInteger<int64_t>("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInteger<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseInteger<uint64_t>("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseInteger<int32_t>("1.5e1"), 15);
  EXPECT_EQ(ParseInteger<int32_t>("1.5"), std::nullopt);
  EXPECT_EQ(ParseInteger<uint32_t>("-1"), std::nullopt);
  // Beyond what a double holds.
  EXPECT_EQ(ParseInteger<int64_t>("9007199254740993.0"), 9007199254740993);
  EXPECT_EQ(ParseInteger<int64_t>("-9.223372036854775808e18"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInteger<int64_t>("9.223372036854775808e18"), std::nullopt);
  EXPECT_EQ(ParseInteger<uint64_t>("18446744073709551615.000"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseInteger<uint64_t>("184467440737095516150e-1"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseInteger<uint64_t>("-0.0e5"), 0u);
  EXPECT_EQ(ParseInteger<int32_t>("0e99999999999999999999"), 0);
  EXPECT_EQ(ParseInteger<int32_t>("0.0001e+4"), 1);
  EXPECT_EQ(ParseInteger<int32_t>("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(ParseInteger<int32_t>("1e-99999999999999999999"), std::nullopt);
  EXPECT_EQ(ParseInteger<int32_t>("100e-3"), std::nullopt);
  EXPECT_EQ(ParseInteger<int32_t>("1" + std::string(500, '0') + "e-500"), 1);
}

}  // namespace
}  // namespace structtensor::json_internal
