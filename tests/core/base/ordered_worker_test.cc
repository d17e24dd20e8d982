#include "structtensor/core/base/shared/ordered_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace structtensor::base_internal {
namespace {

TEST(OrderedWorker, WorksInOrderOnAnotherThread) {
  for (const size_t max_waiting : {1, 2, 1000}) {
    std::vector<int> done;
    std::thread::id worker_id;
    OrderedWorker<std::unique_ptr<int>> worker(max_waiting, [&](std::unique_ptr<int> item) {
      done.push_back(*item);
      worker_id = std::this_thread::get_id();
      return absl::OkStatus();
    });
    for (int i = 0; i < 500; ++i) ASSERT_EQ(worker.Add(std::make_unique<int>(i)), absl::OkStatus());
    ASSERT_EQ(worker.Finish(), absl::OkStatus());
    ASSERT_EQ(done.size(), 500u);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(done[static_cast<size_t>(i)], i);
    EXPECT_NE(worker_id, std::this_thread::get_id());
  }
}

TEST(OrderedWorker, AnErrorEndsTheWorkAndReachesTheCaller) {
  int calls = 0;
  OrderedWorker<int> worker(2, [&](int item) {
    ++calls;
    return item == 3 ? absl::AbortedError("three") : absl::OkStatus();
  });
  absl::Status status;
  for (int i = 0; i < 1'000'000 && status.ok(); ++i) status = worker.Add(i);
  EXPECT_EQ(status, absl::AbortedError("three"));
  EXPECT_EQ(worker.Add(4), absl::AbortedError("three"));
  EXPECT_EQ(worker.Finish(), absl::AbortedError("three"));
  EXPECT_EQ(calls, 4);
}

TEST(OrderedWorker, AnErrorOfTheLastItemShowsAtTheEnd) {
  OrderedWorker<int> worker(1, [](int) { return absl::AbortedError("the only one"); });
  ASSERT_EQ(worker.Add(1), absl::OkStatus());
  EXPECT_EQ(worker.Finish(), absl::AbortedError("the only one"));
}

TEST(OrderedWorker, WithoutAnyItemsItEnds) {
  {
    const OrderedWorker<int> dropped(1, [](int) { return absl::OkStatus(); });
  }
  OrderedWorker<int> worker(1, [](int) { return absl::OkStatus(); });
  EXPECT_EQ(worker.Finish(), absl::OkStatus());
}

// The first item is under way until the last one has been dropped, which only the destructor does.
TEST(OrderedWorker, WhatWaitsWhenItDiesIsDropped) {
  std::atomic<int> done = 0;
  std::atomic<bool> started = false;
  std::weak_ptr<int> last;
  {
    OrderedWorker<std::shared_ptr<int>> worker(100, [&](const std::shared_ptr<int>&) {
      started = true;
      while (!last.expired()) std::this_thread::yield();
      ++done;
      return absl::OkStatus();
    });
    std::vector<std::shared_ptr<int>> items(50);
    for (std::shared_ptr<int>& item : items) item = std::make_shared<int>(0);
    last = items.back();
    for (std::shared_ptr<int>& item : items) ASSERT_EQ(worker.Add(std::move(item)), absl::OkStatus());
    while (!started) std::this_thread::yield();
  }
  EXPECT_EQ(done, 1);
}

TEST(OrderedWorker, ThrowsWhatTheWorkHasThrown) {
  OrderedWorker<int> worker(1, [](int item) {
    if (item == 1) throw std::bad_alloc();
    return absl::OkStatus();
  });
  EXPECT_TRUE(worker.Add(0).ok());
  EXPECT_TRUE(worker.Add(1).ok());
  EXPECT_THROW(worker.Finish().IgnoreError(), std::bad_alloc);
}

}  // namespace
}  // namespace structtensor::base_internal
