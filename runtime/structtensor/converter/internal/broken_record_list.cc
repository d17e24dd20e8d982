#include "structtensor/converter/internal/broken_record_list.h"

#include <cstdio>

#include "absl/strings/str_format.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/converter/internal/progress.h"

namespace structtensor::converter_internal {
namespace {

constexpr int64_t kListed = 10;

}  // namespace

void BrokenRecordList::Add(const BrokenRecord& record) {
  if (++count_ <= kListed) absl::FPrintF(stderr, "%s: %s\n", ToAbsl(verb()), record.text);
}

void BrokenRecordList::Finish() const {
  if (count_ > kListed) absl::FPrintF(stderr, "%s: … and %s more\n", ToAbsl(verb()), CountText(count_ - kListed));
}

std::string_view BrokenRecordList::verb() const {
  return on_error_ == DecodeOptions::OnError::kNull ? "set to null" : "skipped";
}

}  // namespace structtensor::converter_internal
