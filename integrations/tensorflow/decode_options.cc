#include "decode_options.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::tensorflow {

using scan_internal::Face;

absl::StatusOr<RowOptions> ParseDecodeOptions(std::span<const std::string> options) {
  ScanOptions result = scan_internal::DefaultsIn(Face::kTensorFlow);
  for (const std::string_view text : options) {
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const scan_internal::Option* const option = scan_internal::FindOption(Face::kTensorFlow, name);
    if (option == nullptr) return absl::InvalidArgumentError(absl::StrCat("there is no option ", ToAbsl(name)));
    STRUCTTENSOR_RETURN_IF_ERROR(
        SetText(Face::kTensorFlow, *option, equals == std::string_view::npos ? "" : text.substr(equals + 1), result));
  }
  return result.row_options;
}

}  // namespace structtensor::tensorflow
