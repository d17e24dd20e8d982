#include "structtensor/io/column_files/internal/delta_encoding.h"

#include <gtest/gtest.h>
#include <parquet/encoding.h>
#include <parquet/types.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace structtensor::column_files_internal {
namespace {

template <typename T>
Bytes Encoded(const std::vector<T>& values) {
  Bytes encoded;
  AppendDelta(std::span<const T>(values), encoded);
  return encoded;
}

// The result of Parquet's own decoder. It ignores what follows.
template <typename T>
std::vector<T> Decoded(const Bytes& encoded, size_t count) {
  using Type = std::conditional_t<sizeof(T) == 4, parquet::Int32Type, parquet::Int64Type>;
  const auto decoder = parquet::MakeTypedDecoder<Type>(parquet::Encoding::DELTA_BINARY_PACKED);
  decoder->SetData(static_cast<int>(count), encoded.data(), static_cast<int>(encoded.size()));
  std::vector<typename Type::c_type> decoded(count + 1);
  EXPECT_EQ(decoder->Decode(decoded.data(), static_cast<int>(count + 1)), static_cast<int>(count));
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(decoded[i]));
  return values;
}

size_t VarintBytes(uint64_t value) { return value < 0x80 ? 1 : 1 + VarintBytes(value >> 7); }

template <typename T>
uint64_t Zigzag(T bits) {
  const auto number = static_cast<int64_t>(static_cast<std::make_signed_t<T>>(bits));
  return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}

// The size that the specification gives for blocks of four times 32 values.
template <typename T>
size_t SizeOf(const std::vector<T>& values) {
  size_t size = 2 + 1 + VarintBytes(values.size()) + VarintBytes(Zigzag(values.empty() ? T{0} : values[0]));
  for (size_t block = 1; block < values.size(); block += 128) {
    std::vector<T> differences;
    for (size_t i = block; i < std::min(block + 128, values.size()); ++i) {
      differences.push_back(static_cast<T>(values[i] - values[i - 1]));
    }
    const T least = *std::min_element(differences.begin(), differences.end(), [](T a, T b) {
      return static_cast<std::make_signed_t<T>>(a) < static_cast<std::make_signed_t<T>>(b);
    });
    size += VarintBytes(Zigzag(least)) + 4;
    for (size_t part = 0; part < differences.size(); part += 32) {
      int bit_width = 0;
      for (size_t i = part; i < std::min(part + 32, differences.size()); ++i) {
        bit_width = std::max(bit_width, static_cast<int>(std::bit_width(static_cast<T>(differences[i] - least))));
      }
      size += 4 * static_cast<size_t>(bit_width);
    }
  }
  return size;
}

template <typename T>
class DeltaEncoding : public testing::Test {};
using DeltaTypes = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(DeltaEncoding, DeltaTypes);

TYPED_TEST(DeltaEncoding, DecodesToTheSameValues) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (int bits = 0; bits <= std::numeric_limits<T>::digits; ++bits) {
    const auto mask = static_cast<T>(bits == 0 ? 0 : ~T{0} >> (std::numeric_limits<T>::digits - bits));
    for (const size_t count : {0, 1, 2, 3, 31, 32, 33, 34, 64, 65, 97, 128, 129, 130, 160, 161, 257, 1000}) {
      for (const bool ascending : {false, true}) {
        std::vector<T> values;
        T last = 0;
        for (size_t i = 0; i < count; ++i) {
          const auto value = static_cast<T>(static_cast<T>(random()) & mask);
          values.push_back(last = static_cast<T>(ascending ? last + value : value));  // wraps around
        }
        const Bytes encoded = Encoded(values);
        ASSERT_EQ(Decoded<T>(encoded, count), values) << bits << " bits, " << count << " values";
        ASSERT_EQ(encoded.size(), SizeOf(values)) << bits << " bits, " << count << " values";
        EXPECT_LE(encoded.size(), count * sizeof(T) * 33 / 32 + 300);
      }
    }
  }
}

// The values of the specification's example, in blocks of 128.
TYPED_TEST(DeltaEncoding, HasTheLayoutOfTheSpecification) {
  const Bytes encoded = Encoded(std::vector<TypeParam>{7, 5, 3, 1, 2, 3, 4, 5});
  const std::vector<uint8_t> expected = {0x80, 0x01, 4, 8, 14,  // values of a block, parts, number of values, the first one
                                         3,    2,    0, 0, 0,   // the least difference, -2, and the bit widths
                                         0xC0, 0x3F, 0, 0, 0,  0, 0, 0};  // 0 0 0 3 3 3 3
  EXPECT_EQ(std::vector<uint8_t>(encoded.begin(), encoded.end()), expected);
}

// Each part of a block has as many bits as its own values need.
TYPED_TEST(DeltaEncoding, PartsHaveBitWidthsOfTheirOwn) {
  using T = TypeParam;
  std::vector<T> values = {7};
  for (size_t i = 0; i < 256; ++i) values.push_back(static_cast<T>(values.back() + (i % 2 << i / 32)));
  const Bytes encoded = Encoded(values);
  EXPECT_EQ(Decoded<T>(encoded, values.size()), values);
  const size_t header = 2 + 1 + 2 + 1;
  const std::vector<uint8_t> widths = {1, 2, 3, 4};
  EXPECT_EQ(std::vector<uint8_t>(encoded.begin() + header + 1, encoded.begin() + header + 5), widths);
  EXPECT_EQ(encoded.size(), header + 2 * (1 + 4) + 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
}

TYPED_TEST(DeltaEncoding, DifferencesWrapAround) {
  using T = TypeParam;
  constexpr T kLeast = T{1} << (std::numeric_limits<T>::digits - 1);  // as a signed integer
  constexpr T kGreatest = kLeast - 1;
  for (const std::vector<T>& values : std::vector<std::vector<T>>{{kLeast},
                                                                  {kLeast, kGreatest},
                                                                  {kGreatest, kLeast, kGreatest, kLeast},
                                                                  {0, kLeast, 0, kGreatest, ~T{0}, kLeast, kLeast, 1}}) {
    EXPECT_EQ(Decoded<T>(Encoded(values), values.size()), values);
  }
}

TYPED_TEST(DeltaEncoding, SequencesTakeNextToNothing) {
  using T = TypeParam;
  std::vector<T> values;
  for (T i = 0; i < 12'801; ++i) values.push_back(1000 + 3 * i);
  EXPECT_LE(Encoded(values).size(), 100 * 5 + 7u);  // in each block one difference and four bit widths
}

}  // namespace
}  // namespace structtensor::column_files_internal
