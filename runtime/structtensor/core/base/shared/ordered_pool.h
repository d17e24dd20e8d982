// Several threads that work on items and give them back in the order in which they were added.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_POOL_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace structtensor::base_internal {

// Only one thread at a time may call it.
template <typename Item>
class OrderedPool {
 public:
  // Threads of the pool call `work(worker, item)`. `worker` is the thread's number, in [0, threads). If a call throws, for lack
  // of memory, TakeFirst() throws the exception again.
  // If the system has fewer threads left, fewer work. Without any, as with 0 threads, Add() does the work and throws what it
  // throws.
  OrderedPool(size_t threads, std::function<void(size_t worker, Item& item)> work) : work_(std::move(work)) {
    try {
      threads_.reserve(threads);
      while (threads_.size() < threads) threads_.emplace_back([this, worker = threads_.size()] { Run(worker); });
    } catch (const std::system_error&) {
      // Go on with the threads that could be started.
    }
  }
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  // Drops the items that no thread has started, and waits for the others.
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
      entries_.push_back({std::move(item), threads_.empty(), nullptr});
      if (!threads_.empty()) waiting_.push_back(&entries_.back());
    }
    changed_.notify_all();
  }

  // Waits until the item that was added first is done, and returns it. Requires: size() > 0.
  std::unique_ptr<Item> TakeFirst() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return entries_.front().done; });
    Entry first = std::move(entries_.front());
    entries_.pop_front();
    if (first.error != nullptr) std::rethrow_exception(first.error);
    return std::move(first.item);
  }

 private:
  struct Entry {
    std::unique_ptr<Item> item;
    bool done;
    std::exception_ptr error;
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
      std::exception_ptr error;
      try {
        work_(worker, item);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      entry->error = std::move(error);
      entry->done = true;
      changed_.notify_all();
    }
  }

  const std::function<void(size_t, Item&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for changes of what mutex_ guards
  std::deque<Entry> entries_;        // in the order of Add(); a deque, so that entries do not move
  std::deque<Entry*> waiting_;       // no thread has started these
  bool ended_ = false;
  std::vector<std::thread> threads_;  // last: threads start when all other members exist
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_POOL_H_
