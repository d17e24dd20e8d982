#include "structtensor/core/column/abi/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace structtensor::column_internal {
namespace {

TEST(ColumnMemoryTest, BlocksAreApartAndStaggered) {
  ColumnMemory memory(size_t{1} << 24);
  std::set<uintptr_t> page_offsets;
  std::vector<uint8_t*> blocks;
  for (int i = 0; i < 16; ++i) {
    size_t granted_bytes = 0;
    auto* block = static_cast<uint8_t*>(memory.Allocate(4096, &granted_bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_GE(granted_bytes, 4096u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, i, granted_bytes);
    page_offsets.insert(reinterpret_cast<uintptr_t>(block) % 4096);
    blocks.push_back(block);
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(blocks[static_cast<size_t>(i)][4095], i);
  EXPECT_GT(page_offsets.size(), 8u);
}

TEST(ColumnMemoryTest, SmallAndPermanentBlocksLieSideBySide) {
  ColumnMemory memory(size_t{1} << 24);
  size_t granted_bytes = 0;
  const auto* const small = static_cast<uint8_t*>(memory.Allocate(1, &granted_bytes));
  EXPECT_EQ(granted_bytes, 64u);
  const auto* const permanent = static_cast<uint8_t*>(memory.AllocatePermanent(130));
  EXPECT_EQ(permanent - small, 64);
  EXPECT_EQ(static_cast<uint8_t*>(memory.Allocate(64, &granted_bytes)) - permanent, 192);
}

TEST(ColumnMemoryTest, ReleasedBlocksAreGivenOutAgain) {
  ColumnMemory memory(size_t{1} << 24);
  size_t granted_bytes = 0;
  void* block = memory.Allocate(1000, &granted_bytes);
  memory.Release(block, granted_bytes);
  const size_t used_bytes = memory.used_bytes();
  EXPECT_EQ(memory.Allocate(1000, &granted_bytes), block);
  EXPECT_EQ(memory.used_bytes(), used_bytes);
  memory.Release(nullptr, 0);
}

TEST(ColumnMemoryTest, LimitIsKept) {
  ColumnMemory memory(size_t{1} << 20);
  size_t granted_bytes = 0;
  EXPECT_EQ(memory.Allocate((size_t{1} << 20) + 1, &granted_bytes), nullptr);
  EXPECT_EQ(memory.Allocate(~size_t{0}, &granted_bytes), nullptr);
  size_t blocks = 0;
  while (memory.Allocate(10000, &granted_bytes) != nullptr) ASSERT_LT(++blocks, 200u);
  EXPECT_LE(memory.used_bytes(), size_t{1} << 20);
  EXPECT_GT(blocks, 20u);
}

}  // namespace
}  // namespace structtensor::column_internal
