#include "structtensor/core/column/internal/presence.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace structtensor::column_internal {
namespace {

// One word a row; of `percent` of the rows with a bit of the mask.
std::vector<uint64_t> MakeWords(uint32_t nrows, unsigned percent, uint64_t mask, std::mt19937_64& random) {
  std::vector<uint64_t> words(nrows + kPresenceSlackBytes / sizeof(uint64_t), ~uint64_t{0});
  for (uint32_t row = 0; row < nrows; ++row) {
    words[row] = random() & ~mask;
    if (random() % 100 < percent) words[row] |= mask & -mask;
  }
  return words;
}

template <typename T>
void ExpectSeparated(void (*separate)(T*, const uint64_t*, uint32_t, T*), const std::vector<uint64_t>& validity,
                     const std::vector<uint32_t>& rows, uint32_t nrows) {
  std::vector<T> values(nrows + kPresenceSlackBytes / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 7 + 1);
  const std::vector<T> before = values;
  std::vector<T> compact(values.size());
  separate(values.data(), validity.data(), nrows, compact.data());
  std::vector<T> expected(nrows);
  for (size_t i = 0; i < rows.size(); ++i) {
    expected[rows[i]] = before[rows[i]];
    ASSERT_EQ(compact[i], before[rows[i]]) << "value " << i;
  }
  values.resize(nrows);
  ASSERT_EQ(values, expected);
}

void Check(const PresenceFunctions& functions) {
  std::mt19937_64 random(5);
  for (const uint32_t nrows : {1u, 7u, 8u, 63u, 64u, 65u, 128u, 1000u}) {
    for (const unsigned percent : {0u, 3u, 50u, 97u, 100u}) {
      const uint64_t mask = percent == 50 ? 0x8001 : uint64_t{1} << 63;
      const std::vector<uint64_t> words = MakeWords(nrows, percent, mask, random);
      InAnyAndAll expected_summary;
      for (uint32_t row = 0; row < nrows; ++row) {
        expected_summary.in_any |= words[row];
        expected_summary.in_all &= words[row];
      }
      const InAnyAndAll summary = functions.summarise(words.data(), nrows);
      ASSERT_EQ(summary.in_any, expected_summary.in_any);
      ASSERT_EQ(summary.in_all, expected_summary.in_all);
      std::vector<uint32_t> expected;
      std::vector<uint64_t> expected_validity((nrows + 63) / 64);
      for (uint32_t row = 0; row < nrows; ++row) {
        if ((words[row] & mask) == 0) continue;
        expected.push_back(row);
        expected_validity[row / 64] |= uint64_t{1} << row % 64;
      }
      std::vector<uint64_t> validity(expected_validity.size());
      std::vector<uint32_t> rows(nrows + kPresenceSlackBytes / sizeof(uint32_t));
      rows.resize(functions.list_rows(words.data(), mask, nrows, validity.data(), rows.data()));
      ASSERT_EQ(rows, expected) << nrows << " rows, " << percent << "%";
      ASSERT_EQ(validity, expected_validity);
      ExpectSeparated(functions.separate1, validity, rows, nrows);
      ExpectSeparated(functions.separate4, validity, rows, nrows);
      ExpectSeparated(functions.separate8, validity, rows, nrows);
    }
  }
}

TEST(PresenceTest, Portable) { Check(kPortablePresence); }

TEST(PresenceTest, Avx512) {
  if (Avx512Presence() == nullptr) GTEST_SKIP() << "this machine has no AVX-512 VBMI2";
  Check(*Avx512Presence());
}

}  // namespace
}  // namespace structtensor::column_internal
