#include "structtensor/app/convert/shared/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace structtensor::convert_internal {
namespace {

constexpr std::chrono::milliseconds kUpdateInterval(200);

}  // namespace

std::string CountText(int64_t count) {
  const std::string digits = absl::StrCat(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string SizeText(int64_t size_bytes) {
  if (size_bytes < 1000) return absl::StrCat(size_bytes, size_bytes == 1 ? " byte" : " bytes");
  // The limits are a little below the units, so that nothing is rounded up to "1000.0 kB".
  if (size_bytes < 999'950) return absl::StrFormat("%.1f kB", static_cast<double>(size_bytes) / 1e3);
  if (size_bytes < 999'950'000) return absl::StrFormat("%.1f MB", static_cast<double>(size_bytes) / 1e6);
  return absl::StrFormat("%.1f GB", static_cast<double>(size_bytes) / 1e9);
}

std::string AmountText(const Totals& totals) {
  return absl::StrCat(CountText(totals.messages), totals.messages == 1 ? " message" : " messages", " (",
                      SizeText(totals.input_bytes), ")");
}

std::string RateText(const Totals& totals, double seconds) {
  seconds = std::max(seconds, 1e-6);
  return absl::StrFormat("%s messages/s, %.1f MB/s", CountText(std::llround(static_cast<double>(totals.messages) / seconds)),
                         static_cast<double>(totals.input_bytes) / 1e6 / seconds);
}

std::string BarText(const Totals& totals, int64_t expected_bytes, double seconds) {
  constexpr size_t kBarWidth = 20;
  if (expected_bytes <= 0 || totals.input_bytes > expected_bytes || totals.input_bytes <= 0) return "";
  const double done = static_cast<double>(totals.input_bytes) / static_cast<double>(expected_bytes);
  const auto filled = static_cast<size_t>(done * kBarWidth);
  const int64_t left = std::llround(seconds / done * (1 - done));
  return absl::StrFormat("[%s%s] %3d %%, %d:%02d left", std::string(filled, '#'), std::string(kBarWidth - filled, '-'),
                         static_cast<int>(done * 100), left / 60, left % 60);
}

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1), next_update_(start_ + kUpdateInterval) {}

void ProgressLine::Update(const Totals& totals) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_update_) return;
  next_update_ = now + kUpdateInterval;
  const std::string bar = BarText(totals, expected_bytes_, seconds());
  // Carriage return, the text, then "erase to the end of the line".
  absl::FPrintF(stderr, "\r%s%s%s, %s\x1b[K", bar, bar.empty() ? "" : "; ", AmountText(totals), RateText(totals, seconds()));
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::Clear() {
  if (!visible_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace structtensor::convert_internal
