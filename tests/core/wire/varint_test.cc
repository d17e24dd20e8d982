#include "structtensor/core/wire/abi/varint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "naive_varint.h"

namespace structtensor::testing {
namespace {

using wire_internal::PeekTag;
using wire_internal::ReadLength;
using wire_internal::ReadVarint;
using wire_internal::TagSizeBytes;

// Both ends of every length, their neighbours, and numbers in between.
std::vector<uint64_t> Numbers() {
  std::vector<uint64_t> numbers = {0, ~uint64_t{0}};
  std::mt19937_64 random(1);
  for (int bits = 1; bits < 64; ++bits) {
    const uint64_t power = uint64_t{1} << bits;
    for (const uint64_t n : {power - 1, power, power + 1, power | (random() & (power - 1))}) numbers.push_back(n);
  }
  return numbers;
}

TEST(VarintTest, EveryLengthShortestAndLonger) {
  for (const uint64_t number : Numbers()) {
    for (size_t size_bytes = VarintSize(number); size_bytes <= 10; ++size_bytes) {
      const std::string bytes = WithSlack(VarintOf(number, size_bytes));
      const auto [next, value] = ReadVarint(Begin(bytes));
      ASSERT_EQ(next, Begin(bytes) + size_bytes) << number;
      ASSERT_EQ(value, number) << size_bytes << " bytes";
    }
  }
}

TEST(VarintTest, WithoutPext) {
  for (const uint64_t number : Numbers()) {
    for (size_t size_bytes = std::max<size_t>(3, VarintSize(number)); size_bytes <= 10; ++size_bytes) {
      const std::string bytes = WithSlack(VarintOf(number, size_bytes));
      const auto [next, value] = wire_internal::kernels::kPortableLongVarint(Begin(bytes));
      ASSERT_EQ(next, Begin(bytes) + size_bytes) << number;
      ASSERT_EQ(value, number) << size_bytes << " bytes";
    }
  }
}

TEST(VarintTest, BitsBeyond64AreDropped) {
  const std::string bytes = WithSlack(std::string(9, '\xff') + "\x7f");
  const auto [next, value] = ReadVarint(Begin(bytes));
  EXPECT_EQ(next, Begin(bytes) + 10);
  EXPECT_EQ(value, ~uint64_t{0});
}

TEST(VarintTest, ElevenBytesAreRefused) {
  const std::string bytes = WithSlack(std::string(10, '\x80') + std::string(1, '\0'));
  EXPECT_EQ(ReadVarint(Begin(bytes)).next, nullptr);
}

TEST(LengthTest, UpToFiveBytesAndTwoGiB) {
  for (const uint64_t number : Numbers()) {
    for (size_t size_bytes = VarintSize(number); size_bytes <= 10; ++size_bytes) {
      const std::string bytes = WithSlack(VarintOf(number, size_bytes));
      const auto [next, length_bytes] = ReadLength(Begin(bytes));
      if (size_bytes > 5 || number > 0x7fffffff - 16) {
        ASSERT_EQ(next, nullptr) << number << " in " << size_bytes << " bytes";
      } else {
        ASSERT_EQ(next, Begin(bytes) + size_bytes);
        ASSERT_EQ(length_bytes, number);
      }
    }
  }
}

TEST(TagTest, PeekLeavesTheTagsShortestSize) {
  for (const uint64_t number : Numbers()) {
    if (number > 0xffffffff) continue;
    for (size_t size_bytes = VarintSize(number); size_bytes <= 5; ++size_bytes) {
      const std::string bytes = WithSlack(VarintOf(number, size_bytes));
      uint32_t tag = 0;
      const uint8_t* p = PeekTag(Begin(bytes), &tag);
      ASSERT_NE(p, nullptr);
      ASSERT_EQ(tag, number);
      ASSERT_EQ(p + TagSizeBytes(tag), Begin(bytes) + size_bytes) << number << " in " << size_bytes << " bytes";
    }
  }
}

TEST(TagTest, SixBytesAreRefused) {
  const std::string bytes = WithSlack(VarintOf(8, 6));
  uint32_t tag;
  EXPECT_EQ(PeekTag(Begin(bytes), &tag), nullptr);
}

template <uint32_t kTag>
void ExpectTagIs() {
  EXPECT_TRUE(wire_internal::TagIs<kTag>(Begin(WithSlack(VarintOf(kTag, TagSizeBytes(kTag)))))) << kTag;
  EXPECT_FALSE(wire_internal::TagIs<kTag>(Begin(WithSlack(VarintOf(kTag + 1, TagSizeBytes(kTag)))))) << kTag;
  EXPECT_FALSE(wire_internal::TagIs<kTag>(Begin(WithSlack(VarintOf(kTag, TagSizeBytes(kTag) + 1))))) << kTag;
}

TEST(TagTest, ComparesTheShortestForm) {
  ExpectTagIs<8>();
  ExpectTagIs<126>();
  ExpectTagIs<128>();
  ExpectTagIs<300>();
  ExpectTagIs<16382>();
  ExpectTagIs<16384>();
  ExpectTagIs<2097150>();
}

TEST(ZigZagTest, SmallNumbersOfBothSigns) {
  EXPECT_EQ(wire_internal::ZigZag32(0), 0);
  EXPECT_EQ(wire_internal::ZigZag32(1), -1);
  EXPECT_EQ(wire_internal::ZigZag32(2), 1);
  EXPECT_EQ(wire_internal::ZigZag32(0xfffffffe), INT32_MAX);
  EXPECT_EQ(wire_internal::ZigZag32(0xffffffff), INT32_MIN);
  EXPECT_EQ(wire_internal::ZigZag64(3), -2);
  EXPECT_EQ(wire_internal::ZigZag64(~uint64_t{0} - 1), INT64_MAX);
  EXPECT_EQ(wire_internal::ZigZag64(~uint64_t{0}), INT64_MIN);
}

}  // namespace
}  // namespace structtensor::testing
