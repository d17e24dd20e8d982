#include "structtensor/converter/internal/changed_fields.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/converter/internal/progress.h"

namespace structtensor::converter_internal {

void TellChangedFields(const std::vector<ChangedField>& fields) {
  for (const ChangedField& field : fields) {
    absl::FPrintF(stderr,
                  "other type: %s: %s of wire type %s, where the schema says %s; the first: %s (the field's type was changed; "
                  "--unknown-fields=keep keeps such values)\n",
                  field.field_path, field.count == 1 ? "1 value" : absl::StrCat(CountText(field.count), " values"),
                  ToAbsl(plan::WireTypeName(field.found)), ToAbsl(plan::KindName(field.declared)), field.first);
  }
}

}  // namespace structtensor::converter_internal
