#include "structtensor/tensor/values/internal/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace structtensor {
namespace {

TEST(Lazy, ComputesOnceHoweverManyThreadsAsk) {
  const values_internal::Lazy<int> lazy;
  std::atomic<int> computations = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        EXPECT_EQ(lazy.Get([&] {
          ++computations;
          return 42;
        }),
                  42);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(computations, 1);
}

TEST(Lazy, TellsWhetherItIsReady) {
  const values_internal::Lazy<int> lazy;
  EXPECT_EQ(lazy.get_if_ready(), nullptr);
  lazy.Get([] { return 7; });
  ASSERT_NE(lazy.get_if_ready(), nullptr);
  EXPECT_EQ(*lazy.get_if_ready(), 7);
}

}  // namespace
}  // namespace structtensor
