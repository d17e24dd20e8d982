#include "structtensor/converter/internal/times_out_of_range.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/converter/internal/progress.h"

namespace structtensor::converter_internal {
namespace {

const char* TimeAdvice(const TimesOutOfRange& times) {
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

}  // namespace

void TellTimesOutOfRange(const std::vector<TimesOutOfRange>& times) {
  for (const TimesOutOfRange& of_field : times) {
    absl::FPrintF(stderr, "set to null: %s: %s outside what 64 bits of %s can hold (%s)\n", of_field.field_path,
                  of_field.count == 1 ? "1 time" : absl::StrCat(CountText(of_field.count), " times"),
                  ToAbsl(TimeUnitName(of_field.unit)), TimeAdvice(of_field));
  }
}

}  // namespace structtensor::converter_internal
