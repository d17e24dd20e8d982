// Items that several threads work on at a time, and that come back in the order in which they were added.
#ifndef STRUCTTENSOR_BASE_INTERNAL_ORDERED_POOL_H_
#define STRUCTTENSOR_BASE_INTERNAL_ORDERED_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace structtensor::base_internal {

// One thread at a time may call it.
template <typename Item>
class OrderedPool {
 public:
  // `work(worker, item)` is called on the pool's threads, of which each has its own number `worker`, from 0 to `threads` - 1
  // (`threads`: 1 or more). It must not throw. Where the system has fewer threads left, fewer work; with none, Add() does it.
  OrderedPool(size_t threads, std::function<void(size_t worker, Item& item)> work) : work_(std::move(work)) {
    try {
      threads_.reserve(threads);
      while (threads_.size() < threads) threads_.emplace_back([this, worker = threads_.size()] { Run(worker); });
    } catch (const std::system_error&) {
      // With those that there are.
    }
  }
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  // Items that nobody works on yet are dropped; the others are done first.
  ~OrderedPool() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Items that were added and not yet taken.
  size_t size() const { return entries_.size(); }

  void Add(std::unique_ptr<Item> item) {
    if (threads_.empty()) work_(0, *item);
    {
      const std::lock_guard lock(mutex_);
      entries_.push_back({std::move(item), threads_.empty()});
      if (!threads_.empty()) waiting_.push_back(&entries_.back());
    }
    changed_.notify_all();
  }

  // Waits until the item that was added first is done, and returns it. Requires: size() > 0.
  std::unique_ptr<Item> TakeFirst() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return entries_.front().done; });
    std::unique_ptr<Item> item = std::move(entries_.front().item);
    entries_.pop_front();
    return item;
  }

 private:
  struct Entry {
    std::unique_ptr<Item> item;
    bool done;
  };

  void Run(size_t worker) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty() || ended_; });
      if (ended_) return;
      Entry* const entry = waiting_.front();
      waiting_.pop_front();
      Item& item = *entry->item;
      lock.unlock();
      work_(worker, item);
      lock.lock();
      entry->done = true;
      changed_.notify_all();
    }
  }

  const std::function<void(size_t, Item&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;  // what mutex_ guards
  std::deque<Entry> entries_;        // in their order; a deque, so that they stay where they are
  std::deque<Entry*> waiting_;       // nobody works on them yet
  bool ended_ = false;
  std::vector<std::thread> threads_;  // last: they start when all else is there
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_BASE_INTERNAL_ORDERED_POOL_H_
