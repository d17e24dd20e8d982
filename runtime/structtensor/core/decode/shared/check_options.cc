#include "structtensor/core/decode/shared/check_options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::decode_internal {
namespace {

using base_internal::CheckEnum;
using base_internal::UnexpectedOption;

template <typename Number>
absl::Status CheckRange(std::string_view option, Number value, Number least, Number greatest) {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return UnexpectedOption(option, std::to_string(value), absl::StrCat(least, " to ", greatest));
}

}  // namespace

absl::Status CheckOptions(const DecodeOptions& options) {
  using Options = DecodeOptions;
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckEnum("on_error", options.on_error, Options::OnError::kNull, "kFail (0), kSkip (1) or kNull (2)"));
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckEnum("unknown_fields", options.unknown_fields, Options::UnknownFields::kKeep, "kDrop (0) or kKeep (1)"));
  const std::string max_errors = std::to_string(options.max_errors);
  if (options.max_errors < -1) return UnexpectedOption("max_errors", max_errors, "0 or more, or -1 for any number of errors");
  if (options.max_errors >= 0 && options.on_error == Options::OnError::kFail) {
    return UnexpectedOption("max_errors", max_errors,
                            "`on_error=kSkip` or `on_error=kNull`, because the first error ends the run otherwise");
  }
  STRUCTTENSOR_RETURN_IF_ERROR(CheckRange("max_depth", options.max_depth, 0, Options::kGreatestMaxDepth));
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckRange("max_message_bytes", options.max_message_bytes, size_t{1}, Options::kGreatestMaxMessageBytes));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckRange("max_rows", options.max_rows, uint32_t{0}, Options::kGreatestMaxRows));
  return CheckRange("recursion_depth", options.recursion_depth, 0, Options::kGreatestRecursionDepth);
}

}  // namespace structtensor::decode_internal
