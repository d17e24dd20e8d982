// What the command reports while it works and when it is done.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_PROGRESS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace structtensor::convert_internal {

// 1234567 -> "1,234,567"
std::string CountText(int64_t count);
// 230 -> "230 bytes", 84573 -> "84.6 kB", 19908708 -> "19.9 MB"; multiples of 1000
std::string SizeText(int64_t size_bytes);

struct Totals {
  int64_t messages = 0;     // converted
  int64_t input_bytes = 0;  // read, after decompression
};

// AmountText: "4,012 messages (19.9 MB)". RateText: "9,785 messages/s, 48.5 MB/s", over `seconds`.
std::string AmountText(const Totals& totals);
std::string RateText(const Totals& totals, double seconds);

// "[####------]  40 %, 0:07 left" of an input of `expected_bytes`. "" if `expected_bytes` is 0 or less, or if more has been
// read: the size of decompressed data is not known in advance.
std::string BarText(const Totals& totals, int64_t expected_bytes, double seconds);

// A line on standard error that is rewritten in place, at most five times a second. It is shown only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Sets the expected size of the input, in bytes. The line then has a bar and the time that is left. -1: unknown.
  void ExpectBytes(int64_t size_bytes) { expected_bytes_ = size_bytes; }

  void Update(const Totals& totals);
  // Removes the line, so that others can write to the terminal.
  void Clear();

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  const bool enabled_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_update_;
  bool visible_ = false;
  int64_t expected_bytes_ = -1;
};

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_PROGRESS_H_
