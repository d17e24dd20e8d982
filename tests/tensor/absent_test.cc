#include "structtensor/path/internal/absent.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "structtensor/base/buffer.h"

namespace structtensor::path_internal {
namespace {

// The bits around those that count are 0, so that one that is looked at too many is seen.
Validity OnesAt(int64_t begin, int64_t end, int64_t zero) {
  std::vector<uint8_t> bytes(static_cast<size_t>(end) / 8 + 1);
  for (int64_t i = begin; i < end; ++i) {
    if (i != zero) bytes[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1 << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bytes)), begin);
}

TEST(AllPresent, EveryOffsetAndSize) {
  for (int64_t offset = 0; offset < 20; ++offset) {
    for (int64_t n = 0; n < 150; ++n) {
      EXPECT_TRUE(AllPresent(OnesAt(offset, offset + n, -1), n)) << offset << " " << n;
    }
  }
}

TEST(AllPresent, FindsEachAbsentOne) {
  for (int64_t offset = 0; offset < 10; ++offset) {
    for (int64_t absent = 0; absent < 150; ++absent) {
      EXPECT_FALSE(AllPresent(OnesAt(offset, offset + 150, offset + absent), 150)) << offset << " " << absent;
    }
  }
}

TEST(AllPresent, WithoutBitsAllAre) { EXPECT_TRUE(AllPresent(Validity(), 5)); }

}  // namespace
}  // namespace structtensor::path_internal
