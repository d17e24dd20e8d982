// How much memory this program has on the heap, how much it had at most, and how often it asked for some.
#ifndef STRUCTTENSOR_TESTS_CORE_DECODE_HEAP_METER_H_
#define STRUCTTENSOR_TESTS_CORE_DECODE_HEAP_METER_H_

#include <cstddef>

namespace structtensor::testing {

// Measures from its construction on. In sanitized builds, whose heap is not ours to count, always 0. One at a time.
class HeapMeter {
 public:
  HeapMeter();
  // The most that was allocated at one time, beyond what was when the meter was made.
  size_t peak_bytes() const;
  // What is allocated now, beyond that.
  size_t live_bytes() const;
  // Number of blocks asked for since the meter was made, by any thread.
  size_t allocations() const;

 private:
  size_t begin_bytes_;
  size_t begin_allocations_;
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_CORE_DECODE_HEAP_METER_H_
