#include "structtensor/core/base/shared/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace structtensor::base_internal {
namespace {

TEST(ParallelFor, CallsEachOnce) {
  for (const size_t threads : {0u, 1u, 2u, 7u, 100u}) {
    for (const size_t count : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      ParallelFor(count, threads, [&](size_t i) { ++calls[i]; });
      for (const std::atomic<int>& of_one : calls) EXPECT_EQ(of_one, 1);
    }
  }
}

TEST(ParallelFor, WithOneThreadThatIsTheCaller) {
  std::set<std::thread::id> ids;
  ParallelFor(10, 1, [&](size_t) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(ParallelFor, UsesAsManyThreadsAsItMay) {
  std::atomic<int> under_way = 0;
  std::atomic<int> met = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  // Each call waits for all others, which it meets only if they are on threads of their own.
  ParallelFor(3, 3, [&](size_t) {
    ++under_way;
    while (under_way < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (under_way == 3) ++met;
  });
  EXPECT_EQ(met, 3);
}

TEST(ParallelFor, ThrowsWhatATaskHasThrown) {
  for (const size_t threads : {1, 4}) {
    std::atomic<int> calls = 0;
    EXPECT_THROW(ParallelFor(1000000, threads,
                             [&](size_t i) {
                               ++calls;
                               if (i == 10) throw std::bad_alloc();
                             }),
                 std::bad_alloc);
    EXPECT_LT(calls, 1000000);
  }
}

}  // namespace
}  // namespace structtensor::base_internal
