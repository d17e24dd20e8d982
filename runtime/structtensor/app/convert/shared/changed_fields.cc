#include "structtensor/app/convert/shared/changed_fields.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::convert_internal {
namespace {

// "1 field", "1,204 fields"
std::string Counted(int64_t count, std::string_view noun) {
  return absl::StrCat(CountText(count), " ", ToAbsl(noun), count == 1 ? "" : "s");
}

std::string KindsOf(const DroppedValues& values) {
  const std::string fields = Counted(values.unknown_fields, "unknown field");
  const std::string enum_numbers = Counted(values.unknown_enum_numbers, "unknown enum number");
  if (values.unknown_enum_numbers == 0) return fields;
  return values.unknown_fields == 0 ? enum_numbers : absl::StrCat(fields, " and ", enum_numbers);
}

}  // namespace

void ReportChangedFields(const std::vector<ChangedField>& fields) {
  for (const ChangedField& field : fields) {
    absl::FPrintF(stderr,
                  "other type: %s: %s of wire type %s, where the schema says %s; the first: %s (the field's type was changed; "
                  "--unknown-fields=keep keeps such values)\n",
                  field.field_path, field.count == 1 ? "1 value" : absl::StrCat(CountText(field.count), " values"),
                  ToAbsl(plan::WireTypeName(field.found)), ToAbsl(plan::KindName(field.declared)), field.first);
  }
}

void ReportDroppedValues(const std::vector<DroppedValues>& values) {
  if (values.empty()) return;
  constexpr size_t kMaxTypes = 10;
  for (size_t i = 0; i < values.size() && i < kMaxTypes; ++i) {
    absl::FPrintF(stderr, "dropped: %s: %s; the first: %s, %s\n", values[i].message_type, KindsOf(values[i]), values[i].first,
                  values[i].first_field_path);
  }
  if (values.size() > kMaxTypes) {
    absl::FPrintF(stderr, "dropped: and values of %s\n",
                  Counted(static_cast<int64_t>(values.size() - kMaxTypes), "more message type"));
  }
  absl::FPrintF(stderr, "hint: --unknown-fields=keep keeps them, in columns and in serialized messages\n");
}

}  // namespace structtensor::convert_internal
