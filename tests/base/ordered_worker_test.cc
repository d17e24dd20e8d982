#include "structtensor/base/internal/ordered_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
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

TEST(OrderedWorker, WhatWaitsWhenItDiesIsDropped) {
  std::atomic<bool> go = false;
  std::atomic<int> done = 0;
  {
    OrderedWorker<int> worker(100, [&](int) {
      while (!go) std::this_thread::yield();
      ++done;
      return absl::OkStatus();
    });
    for (int i = 0; i < 50; ++i) ASSERT_EQ(worker.Add(i), absl::OkStatus());
    std::thread later([&] { go = true; });
    later.join();
  }
  EXPECT_LE(done, 50);
}

}  // namespace
}  // namespace structtensor::base_internal
