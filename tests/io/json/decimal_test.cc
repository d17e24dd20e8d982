#include "structtensor/io/json/internal/decimal.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace structtensor::json_internal {
namespace {

template <typename Integer>
std::string Written(Integer number) {
  // On the heap, so that the address sanitizer sees what is written beyond kDecimalBytes.
  const auto text = std::make_unique<char[]>(kDecimalBytes);
  return {text.get(), WriteDecimal(number, text.get())};
}

TEST(DecimalTest, NumbersOfUpToSevenDigits) {
  for (uint64_t number = 0; number < 10000000; number += number < 100000 ? 1 : 37) {
    ASSERT_EQ(Written(number), std::to_string(number));
  }
}

TEST(DecimalTest, NumbersOfEveryLength) {
  std::mt19937_64 random(3);
  for (uint64_t power = 1, digits = 1; digits <= 20; power *= 10, ++digits) {
    for (const uint64_t number : {power - 1, power, power + 1, power * 9, power + power / 2}) {
      EXPECT_EQ(Written(number), std::to_string(number));
    }
    for (int i = 0; i < 2000; ++i) {
      const uint64_t number = random() % (digits == 20 ? std::numeric_limits<uint64_t>::max() : power * 10);
      ASSERT_EQ(Written(number), std::to_string(number));
    }
  }
  EXPECT_EQ(Written(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
}

TEST(DecimalTest, Signs) {
  std::mt19937_64 random(5);
  for (const int64_t number : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{-9}, int64_t{-10},
                               std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(Written(number), std::to_string(number));
  }
  for (int i = 0; i < 20000; ++i) {
    const auto number = static_cast<int64_t>(random()) >> (random() % 63);
    ASSERT_EQ(Written(number), std::to_string(number));
  }
}

}  // namespace
}  // namespace structtensor::json_internal
