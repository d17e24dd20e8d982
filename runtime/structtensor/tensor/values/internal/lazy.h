// A value that is computed on first use, once, whichever thread comes first.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INTERNAL_LAZY_H_
#define STRUCTTENSOR_TENSOR_VALUES_INTERNAL_LAZY_H_

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#pragma GCC visibility push(default)

namespace structtensor::values_internal {

template <typename T>
class Lazy {
 public:
  Lazy() = default;
  explicit Lazy(T value) : value_(std::move(value)), ready_(true) {}

  // The value; if it does not exist yet, `compute()` makes it. The reference lives as long as this.
  template <typename Compute>
  const T& Get(Compute compute) const {
    // The flag spares readers the lock: after the first use this is one load.
    if (!ready_.load(std::memory_order_acquire)) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!ready_.load(std::memory_order_relaxed)) {
        value_.emplace(compute());
        ready_.store(true, std::memory_order_release);
      }
    }
    return *value_;
  }

  // The value, or null if it has not been requested yet.
  const T* get_if_ready() const { return ready_.load(std::memory_order_acquire) ? &*value_ : nullptr; }

 private:
  mutable std::optional<T> value_;
  mutable std::atomic<bool> ready_{false};
  mutable std::mutex mutex_;
};

}  // namespace structtensor::values_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_INTERNAL_LAZY_H_
