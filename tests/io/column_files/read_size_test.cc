// How many rows are read at a time, where those that were read show that more or fewer fit.
#include "structtensor/io/column_files/shared/read_size.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace structtensor::column_files_internal {
namespace {

constexpr int64_t kMost = 4096;

TEST(ReadSize, LargeRowsAreReadFewAtATime) {
  ReadSize size(INT64_MAX);
  size.BeginGroup(1000, 1000.0 * (1 << 20));
  EXPECT_EQ(size.Rows(kMost), 16);
  size.Took(16, int64_t{16} << 22);
  EXPECT_EQ(size.Rows(kMost), 4);
}

TEST(ReadSize, OneRowIsReadHoweverLargeItIs) {
  ReadSize size(1);
  size.BeginGroup(1, 1e300);
  EXPECT_EQ(size.Rows(kMost), 1);
  size.BeginGroup(0, -1);
  EXPECT_EQ(size.Rows(1), 1);
  EXPECT_FALSE(size.TooLarge(1));
  EXPECT_EQ(size.Rows(kMost), 1);
}

TEST(ReadSize, FewRowsAreReadOnlyWhereSomeWereTooLarge) {
  ReadSize size(INT64_MAX);
  size.BeginGroup(100000, 100000);
  for (int i = 0; i < 3; ++i) size.Took(kMost, kMost);
  size.Took(1000, 1000);
  EXPECT_FALSE(size.TooLarge(kMost));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(size.Rows(kMost), kMost);
    size.Took(kMost, kMost);
  }
  EXPECT_EQ(size.Rows(kMost), 1000);
  size.Took(1000, 1000);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(size.Rows(kMost), 256);
    size.Took(256, 256);
  }
  size.Took(256, 256);
  EXPECT_EQ(size.Rows(kMost), 512);
  for (int i = 0; i < 9; ++i) size.Took(512, 512);
  EXPECT_EQ(size.Rows(kMost), kMost / 2);
}

TEST(ReadSize, RefusalsComeToAnEnd) {
  ReadSize size(INT64_MAX);
  size.BeginGroup(1000, 1000);
  int64_t refusals = 0;
  // All rows are too large together with a neighbour, and each refusal is at a different place.
  for (int64_t row = 0; row < 1000;) {
    const int64_t rows = size.Rows(kMost);
    if (rows > 1) {
      size.TooLarge(rows);
      row = 0;
      ASSERT_LT(++refusals, 20);
      continue;
    }
    size.Took(1, 1);
    ++row;
  }
}

TEST(ReadSize, ASecondRefusalAtThePlaceOfTheFirstIsReported) {
  ReadSize size(INT64_MAX);
  size.BeginGroup(100000, 100000);
  EXPECT_FALSE(size.TooLarge(kMost));
  EXPECT_TRUE(size.TooLarge(256));
  EXPECT_EQ(size.Rows(kMost), 64);
  size.BeginGroup(100000, 100000);
  EXPECT_EQ(size.Rows(kMost), kMost);
  EXPECT_FALSE(size.TooLarge(kMost));
}

}  // namespace
}  // namespace structtensor::column_files_internal
