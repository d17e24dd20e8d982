#include "structtensor/io/column_files/internal/hybrid_encoding.h"

#include <gtest/gtest.h>
#include <parquet/column_reader.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace structtensor::column_files_internal {
namespace {

// The result of Parquet's own decoder.
std::vector<int16_t> Decoded(const Bytes& encoded, size_t count, int bit_width) {
  const auto max_level = static_cast<int16_t>((1 << bit_width) - 1);
  std::vector<uint8_t> page(sizeof(uint32_t));
  for (size_t i = 0; i < sizeof(uint32_t); ++i) page[i] = static_cast<uint8_t>(encoded.size() >> (8 * i));
  page.insert(page.end(), encoded.begin(), encoded.end());
  std::vector<int16_t> levels(count, -1);
  parquet::LevelDecoder decoder;
  EXPECT_EQ(decoder.SetData(parquet::Encoding::RLE, max_level, static_cast<int>(count), page.data(),
                            static_cast<int32_t>(page.size())),
            static_cast<int>(page.size()));
  EXPECT_EQ(decoder.Decode(static_cast<int>(count), levels.data()), static_cast<int>(count));
  return levels;
}

std::vector<int16_t> RandomLevels(std::mt19937& random, size_t count, int bit_width, int longest_run) {
  std::vector<int16_t> levels;
  while (levels.size() < count) {
    const auto level = static_cast<int16_t>(random() & ((1u << bit_width) - 1));
    const size_t run = 1 + random() % static_cast<unsigned>(longest_run);
    levels.insert(levels.end(), std::min(run, count - levels.size()), level);
  }
  return levels;
}

TEST(HybridEncoding, DecodesToTheSameLevels) {
  std::mt19937 random(1);
  for (int bit_width = 1; bit_width <= 15; ++bit_width) {
    for (const size_t count : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 100u, 1000u}) {
      for (const int longest_run : {1, 3, 9, 20, 500}) {
        const std::vector<int16_t> levels = RandomLevels(random, count, bit_width, longest_run);
        for (const bool last : {false, true}) {
          Bytes encoded;
          AppendHybrid(std::span<const int16_t>(levels), bit_width, last, encoded);
          if (count > 0) {
            ASSERT_EQ(Decoded(encoded, count, bit_width), levels) << bit_width << " " << count << " " << longest_run;
          }
        }
      }
    }
  }
}

TEST(HybridEncoding, PiecesMakeOneSequence) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const int bit_width = 1 + static_cast<int>(random() % 6);
    std::vector<int16_t> all;
    Bytes encoded;
    for (size_t pieces = 1 + random() % 6; pieces > 0; --pieces) {
      const std::vector<int16_t> levels = RandomLevels(random, random() % 40, bit_width, 12);
      AppendHybrid(std::span<const int16_t>(levels), bit_width, /*last=*/pieces == 1, encoded);
      all.insert(all.end(), levels.begin(), levels.end());
    }
    if (!all.empty()) {
      ASSERT_EQ(Decoded(encoded, all.size(), bit_width), all);
    }
  }
}

TEST(HybridEncoding, LongRunsTakeFewBytes) {
  Bytes encoded;
  const std::vector<int16_t> levels(1'000'000, 3);
  AppendHybrid(std::span<const int16_t>(levels), 2, /*last=*/true, encoded);
  EXPECT_EQ(encoded.size(), 4u);
}

TEST(HybridEncoding, DoesNotDependOnTheTypeOfTheValues) {
  std::mt19937 random(3);
  for (int bit_width = 0; bit_width <= 16; ++bit_width) {
    std::vector<uint32_t> values(1000);
    for (uint32_t& value : values) value = random() & ((1u << bit_width) - 1);
    std::fill(values.begin() + 300, values.begin() + 500, values[300]);
    const std::vector<uint16_t> short_values(values.begin(), values.end());
    Bytes encoded;
    AppendHybrid(std::span<const uint32_t>(values), bit_width, /*last=*/true, encoded);
    Bytes short_encoded;
    AppendHybrid(std::span<const uint16_t>(short_values), bit_width, /*last=*/true, short_encoded);
    EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), short_encoded.begin(), short_encoded.end())) << bit_width;
  }
}

TEST(HybridEncoding, BitWidths) {
  EXPECT_EQ(BitWidthOf(0), 0);
  EXPECT_EQ(BitWidthOf(1), 1);
  EXPECT_EQ(BitWidthOf(255), 8);
  EXPECT_EQ(BitWidthOf(256), 9);
  EXPECT_EQ(BitWidthOf(0xffffffff), 32);
}

}  // namespace
}  // namespace structtensor::column_files_internal
