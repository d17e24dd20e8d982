#include "structtensor/app/convert/shared/inexact_times.h"

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::convert_internal {
namespace {

const char* AdviceForRange(const InexactTimes& times) {
  switch (times.unit) {
    case TimeUnit::kNanoseconds:
      return times.annotated ? "annotate the field with timestamps: MICROSECONDS, or pass --well-known=structs"
                             : "pass --timestamps=us, or --well-known=structs";
    case TimeUnit::kMicroseconds:
    case TimeUnit::kMilliseconds:
    case TimeUnit::kSeconds:
      break;
  }
  return "pass --well-known=structs";
}

const char* AdviceForDigits(const InexactTimes& times) {
  return times.annotated ? "annotate the field with timestamps: NANOSECONDS, or pass --well-known=structs"
                         : "pass --timestamps=ns, or --well-known=structs";
}

std::string TimesText(int64_t count) { return count == 1 ? "1 time" : absl::StrCat(CountText(count), " times"); }

}  // namespace

void ReportInexactTimes(const std::vector<InexactTimes>& times) {
  for (const InexactTimes& of_field : times) {
    const absl::string_view unit = ToAbsl(TimeUnitName(of_field.unit));
    if (of_field.out_of_range > 0) {
      absl::FPrintF(stderr, "set to null: %s: %s outside what 64 bits of %s can hold (%s)\n", of_field.field_path,
                    TimesText(of_field.out_of_range), unit, AdviceForRange(of_field));
    }
    if (of_field.truncated > 0) {
      absl::FPrintF(stderr, "truncated: %s: %s with digits below %s (%s)\n", of_field.field_path, TimesText(of_field.truncated),
                    unit, AdviceForDigits(of_field));
    }
  }
}

}  // namespace structtensor::convert_internal
