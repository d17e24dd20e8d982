// Independent work on several threads.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_PARALLEL_FOR_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_PARALLEL_FOR_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace structtensor::base_internal {

// Calls `task(i)` once for each i in [0, count), on up to `max_threads` threads, including the caller's thread. Uses fewer
// threads if the system has no more. Returns when all calls have returned. If a call throws, for lack of memory, no further
// calls begin, and the first exception is thrown again in the caller's thread.
template <typename Task>
void ParallelFor(size_t count, size_t max_threads, const Task& task) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr error;  // set by the call that sets `failed`
  const auto run = [&] {
    try {
      for (size_t i = next++; i < count && !failed; i = next++) task(i);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const size_t number_of_others = std::min(count, std::max<size_t>(max_threads, 1)) - (count == 0 ? 0 : 1);
  try {
    others.reserve(number_of_others);
    while (others.size() < number_of_others) others.emplace_back(run);
  } catch (...) {
    // No thread or no memory is left: the threads that exist do all the work.
  }
  run();
  for (std::thread& other : others) other.join();
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_PARALLEL_FOR_H_
