#include "interpreter_lock.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace structtensor::python {
namespace {

std::atomic<bool> closing = false;
std::atomic<std::thread::id> closer;
// How many threads have seen that the interpreter is not closing, and do not have its lock yet.
std::atomic<int> returning = 0;

}  // namespace

WithoutInterpreterLock::~WithoutInterpreterLock() {
  ++returning;
  if (closing && std::this_thread::get_id() != closer.load()) {
    --returning;
    while (true) pause();
  }
  PyEval_RestoreThread(state_);
  --returning;
}

void StopOtherThreads() {
  closer = std::this_thread::get_id();
  closing = true;
  // Threads that want the lock get it now. Waits at most a second: a fork may have copied a count of threads that do not exist
  // in it.
  const nanobind::gil_scoped_release release;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (returning > 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace structtensor::python
