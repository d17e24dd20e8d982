#include "structtensor/converter/skip_list.h"

#include <cstdio>

#include "absl/strings/str_format.h"
#include "structtensor/converter/progress.h"

namespace structtensor {
namespace {

constexpr int64_t kShown = 10;

}  // namespace

void SkipList::Add(const std::string& what) {
  ++count_;
  if (count_ <= kShown) absl::FPrintF(stderr, "skipped: %s\n", what);
}

void SkipList::Finish() const {
  if (count_ > kShown) absl::FPrintF(stderr, "skipped: … and %s more\n", CountText(count_ - kShown));
}

}  // namespace structtensor
