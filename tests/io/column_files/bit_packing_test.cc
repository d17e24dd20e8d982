#include "structtensor/io/column_files/internal/bit_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace structtensor::column_files_internal {
namespace {

constexpr size_t kGroups = 3;
constexpr size_t kBytesAfter = 7;  // bytes after the result that packing may overwrite
constexpr size_t kBytesUntouched = 16;

template <typename T>
class BitPacking : public testing::Test {};
using PackedTypes = testing::Types<uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(BitPacking, PackedTypes);

TYPED_TEST(BitPacking, EveryBitWidthHasTheBitsInOrder) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (int bit_width = 0; bit_width <= std::numeric_limits<T>::digits; ++bit_width) {
    std::vector<T> values(kGroups * kPackedGroup);
    std::vector<uint8_t> expected(kGroups * static_cast<size_t>(bit_width));
    for (size_t i = 0; i < values.size(); ++i) {
      for (int bit = 0; bit < bit_width; ++bit) {
        if (random() % 2 == 0) continue;
        values[i] = static_cast<T>(values[i] | T{1} << bit);
        const size_t position = i * static_cast<size_t>(bit_width) + static_cast<size_t>(bit);
        expected[position / 8] = static_cast<uint8_t>(expected[position / 8] | 1 << position % 8);
      }
    }
    std::vector<uint8_t> packed(expected.size() + kBytesAfter + kBytesUntouched, 0xaa);
    const uint8_t* const end = PackBits(values.data(), kGroups, bit_width, packed.data());
    ASSERT_EQ(end, packed.data() + expected.size());
    EXPECT_THAT(std::vector<uint8_t>(packed.end() - kBytesUntouched, packed.end()), testing::Each(0xaa))
        << bit_width << " bits";
    packed.resize(expected.size());
    EXPECT_EQ(packed, expected) << bit_width << " bits";
  }
}

TYPED_TEST(BitPacking, NoGroupsTakeNoBytes) {
  uint8_t out = 0xaa;
  EXPECT_EQ(PackBits(static_cast<const TypeParam*>(nullptr), 0, 5, &out), &out);
  EXPECT_EQ(out, 0xaa);
}

}  // namespace
}  // namespace structtensor::column_files_internal
