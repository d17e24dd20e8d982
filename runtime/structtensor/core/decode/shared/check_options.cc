#include "structtensor/core/decode/shared/check_options.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::decode_internal {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view owner) : owner_(owner) {}

  template <typename Enum>
  absl::Status Check(const char* option, Enum value, Enum last, const char* names) const {
    return base_internal::CheckEnum(NameOf(option), value, last, names);
  }
  template <typename Number>
  absl::Status Check(const char* option, Number value, Number least, Number most) const {
    if (value >= least && value <= most) return absl::OkStatus();
    return OutOfRange(option, absl::StrCat(value), absl::StrCat(least, " to ", most));
  }
  absl::Status OutOfRange(const char* option, const std::string& value, const std::string& range) const {
    return absl::InvalidArgumentError(absl::StrCat(NameOf(option), " = ", value, "; expected ", range));
  }

 private:
  std::string NameOf(const char* option) const { return absl::StrCat(ToAbsl(owner_), "::", option); }

  std::string_view owner_;
};

}  // namespace

absl::Status CheckOptions(const DecodeOptions& options, std::string_view owner) {
  using Options = DecodeOptions;
  const Checker checker(owner);
  STRUCTTENSOR_RETURN_IF_ERROR(
      checker.Check("on_error", options.on_error, Options::OnError::kNull, "kFail (0), kSkip (1) or kNull (2)"));
  STRUCTTENSOR_RETURN_IF_ERROR(
      checker.Check("unknown_fields", options.unknown_fields, Options::UnknownFields::kKeep, "kDrop (0) or kKeep (1)"));
  const std::string max_errors = absl::StrCat(options.max_errors);
  if (options.max_errors < -1) {
    return checker.OutOfRange("max_errors", max_errors, "-1 (any number of errors) or more");
  }
  if (options.max_errors >= 0 && options.on_error == Options::OnError::kFail) {
    return checker.OutOfRange("max_errors", max_errors,
                              "-1 with on_error = kFail, which stops at the first error; or on_error = kSkip or kNull");
  }
  STRUCTTENSOR_RETURN_IF_ERROR(checker.Check("max_depth", options.max_depth, 0, Options::kGreatestMaxDepth));
  STRUCTTENSOR_RETURN_IF_ERROR(
      checker.Check("max_message_bytes", options.max_message_bytes, size_t{1}, Options::kGreatestMaxMessageBytes));
  STRUCTTENSOR_RETURN_IF_ERROR(checker.Check("max_rows", options.max_rows, uint32_t{0}, Options::kGreatestMaxRows));
  return checker.Check("recursion_depth", options.recursion_depth, 0, Options::kGreatestRecursionDepth);
}

}  // namespace structtensor::decode_internal
