// A thread that works on items, one by one, while the caller makes the next items.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_WORKER_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_WORKER_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/status/status.h"

namespace structtensor::base_internal {

// Works on items in the order in which they are added, on its own thread. Only one thread at a time may call it.
template <typename Item>
class OrderedWorker {
 public:
  // The worker's thread calls `work`, and does not call it again after its first error. If it throws, for lack of memory, Add()
  // and Finish() throw the exception again. At most `max_waiting` items (1 or more)
  // wait; Add() waits while there are that many.
  OrderedWorker(size_t max_waiting, std::function<absl::Status(Item)> work)
      : max_waiting_(max_waiting), work_(std::move(work)), thread_([this] { Run(); }) {}
  OrderedWorker(const OrderedWorker&) = delete;
  OrderedWorker& operator=(const OrderedWorker&) = delete;

  // Drops the items that wait, and waits for the item in progress.
  ~OrderedWorker() { Stop(/*drop=*/true); }

  // Hands over an item. If an earlier item failed, returns its error and drops this item.
  absl::Status Add(Item item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < max_waiting_ || !status_.ok(); });
    if (!status_.ok()) return Error();
    waiting_.push_back(std::move(item));
    changed_.notify_all();
    return absl::OkStatus();
  }

  // Waits until all items are done, and ends the thread. Returns the first error. Requires: called at most once, and last.
  absl::Status Finish() {
    Stop(/*drop=*/false);
    return Error();
  }

 private:
  absl::Status Error() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    return status_;
  }

  void Stop(bool drop) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      if (drop) waiting_.clear();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty() || ended_; });
      if (waiting_.empty()) return;
      Item item = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      lock.unlock();
      absl::Status status;
      std::exception_ptr thrown;
      try {
        status = work_(std::move(item));
      } catch (...) {
        thrown = std::current_exception();
        status = absl::CancelledError();
      }
      lock.lock();
      if (status.ok()) continue;
      status_ = std::move(status);
      thrown_ = std::move(thrown);
      waiting_.clear();
      changed_.notify_all();
      return;
    }
  }

  const size_t max_waiting_;
  const std::function<absl::Status(Item)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for changes of what mutex_ guards
  std::deque<Item> waiting_;
  bool ended_ = false;
  absl::Status status_;
  std::exception_ptr thrown_;
  std::thread thread_;  // last: the thread starts when all other members exist
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_ORDERED_WORKER_H_
