#include "structtensor/io/column_files/internal/limited_pool.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace structtensor::column_files_internal {
namespace {

TEST(LimitedPool, AllowsNothingAtZeroAndEverythingAtTheLargestLimit) {
  const LimitedPool::Owner pool = LimitedPool::Create();
  uint8_t* bytes = nullptr;
  pool->AllowMore(0);
  EXPECT_TRUE(pool->Allocate(1, &bytes).IsOutOfMemory());
  pool->AllowMore(INT64_MAX);
  ASSERT_TRUE(pool->Allocate(1000, &bytes).ok());
  pool->AllowMore(INT64_MAX);  // and what is there already
  ASSERT_TRUE(pool->Reallocate(1000, 2000, &bytes).ok());
  pool->AllowInAll(2000);
  EXPECT_TRUE(pool->Reallocate(2000, 2001, &bytes).IsOutOfMemory());
  pool->Free(bytes, 2000);
}

}  // namespace
}  // namespace structtensor::column_files_internal
