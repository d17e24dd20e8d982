#include "structtensor/core/base/shared/ordered_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <set>
#include <thread>

namespace structtensor::base_internal {
namespace {

struct Square {
  int number = 0;
  int square = 0;
  size_t worker = 0;
};

TEST(OrderedPool, GivesItemsBackInTheirOrder) {
  for (const size_t threads : {1, 2, 7}) {
    OrderedPool<Square> pool(threads, [](size_t worker, Square& item) {
      item.square = item.number * item.number;
      item.worker = worker;
    });
    std::set<size_t> workers;
    int taken = 0;
    const auto take = [&] {
      const std::unique_ptr<Square> item = pool.TakeFirst();
      ASSERT_EQ(item->number, taken);
      ASSERT_EQ(item->square, taken * taken);
      ASSERT_LT(item->worker, threads);
      workers.insert(item->worker);
      ++taken;
    };
    for (int i = 0; i < 2000; ++i) {
      pool.Add(std::make_unique<Square>(Square{.number = i}));
      if (pool.size() == threads + 1) take();
    }
    while (pool.size() > 0) take();
    EXPECT_EQ(taken, 2000);
  }
}

TEST(OrderedPool, WithoutThreadsAddDoesTheWork) {
  std::set<std::thread::id> workers;
  OrderedPool<int> pool(0, [&workers](size_t, int& item) {
    if (item == 1) throw std::bad_alloc();
    item *= 10;
    workers.insert(std::this_thread::get_id());
  });
  pool.Add(std::make_unique<int>(0));
  EXPECT_THROW(pool.Add(std::make_unique<int>(1)), std::bad_alloc);
  pool.Add(std::make_unique<int>(2));
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(*pool.TakeFirst(), 0);
  EXPECT_EQ(*pool.TakeFirst(), 20);
  EXPECT_EQ(workers, std::set{std::this_thread::get_id()});
}

TEST(OrderedPool, DropsWhatHasNotBegun) {
  std::atomic<int> done = 0;
  {
    OrderedPool<int> pool(2, [&done](size_t, int&) { ++done; });
    for (int i = 0; i < 100; ++i) pool.Add(std::make_unique<int>(i));
    (void)pool.TakeFirst();
  }
  EXPECT_GE(done, 1);
  EXPECT_LE(done, 100);
}

TEST(OrderedPool, ThrowsWhatTheWorkHasThrown) {
  for (const size_t threads : {1u, 3u}) {
    OrderedPool<int> pool(threads, [](size_t, int& item) {
      if (item == 1) throw std::bad_alloc();
    });
    for (int i = 0; i < 3; ++i) pool.Add(std::make_unique<int>(i));
    EXPECT_EQ(*pool.TakeFirst(), 0);
    EXPECT_THROW(pool.TakeFirst(), std::bad_alloc);
    EXPECT_EQ(*pool.TakeFirst(), 2);
  }
}

}  // namespace
}  // namespace structtensor::base_internal
