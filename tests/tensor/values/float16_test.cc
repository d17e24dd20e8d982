#include "structtensor/core/base/float16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace structtensor {
namespace {

TEST(Float16, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half = Float16::FromBits(static_cast<uint16_t>(bits));
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Float16(value)))) << bits;
    } else {
      EXPECT_EQ(Float16(value).bits(), bits);
    }
  }
}

TEST(BFloat16, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const BFloat16 brain = BFloat16::FromBits(static_cast<uint16_t>(bits));
    const float value = brain;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(value)))) << bits;
    } else {
      EXPECT_EQ(BFloat16(value).bits(), bits);
    }
  }
}

TEST(Float16, ValuesOfTheFormat) {
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x3c00)), 1.0f);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0xc000)), -2.0f);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x7bff)), 65504.0f);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x0400)), 0x1p-14f);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x0001)), 0x1p-24f);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x7c00)), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(static_cast<float>(Float16::FromBits(0x8000))));
}

TEST(Float16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(Float16(0.1f).bits(), 0x2e66);
  EXPECT_EQ(Float16(1.0f + 0x1p-11f).bits(), 0x3c00);             // a tie: down to even
  EXPECT_EQ(Float16(1.0f + 3 * 0x1p-11f).bits(), 0x3c02);         // a tie: up to even
  EXPECT_EQ(Float16(1.0f + 0x1p-11f + 0x1p-20f).bits(), 0x3c01);  // just above one
  EXPECT_EQ(Float16(2.0f - 0x1p-12f).bits(), 0x4000);             // the carry goes into the exponent
  EXPECT_EQ(Float16(65519.0f).bits(), 0x7bff);
  EXPECT_EQ(Float16(65520.0f).bits(), 0x7c00);
  EXPECT_EQ(Float16(-1e30f).bits(), 0xfc00);
}

TEST(Float16, SmallNumbersAreSubnormal) {
  EXPECT_EQ(Float16(0x1p-24f).bits(), 0x0001);
  EXPECT_EQ(Float16(0x1p-25f).bits(), 0x0000);  // a tie: down to even
  EXPECT_EQ(Float16(0x1.8p-25f).bits(), 0x0001);
  EXPECT_EQ(Float16(3 * 0x1p-25f).bits(), 0x0002);         // a tie: up to even
  EXPECT_EQ(Float16(0x1p-14f - 0x1p-25f).bits(), 0x0400);  // rounds up to the smallest normal number
  EXPECT_EQ(Float16(-0x1p-30f).bits(), 0x8000);
}

TEST(BFloat16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(BFloat16(1.0f).bits(), 0x3f80);
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).bits(), 0x3f80);      // a tie: down to even
  EXPECT_EQ(BFloat16(1.0f + 3 * 0x1p-8f).bits(), 0x3f82);  // a tie: up to even
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f + 0x1p-20f).bits(), 0x3f81);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits(), 0x7f80);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace structtensor
