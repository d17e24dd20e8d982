// Checks of options that are enums. Programs may pass any number: by a cast, or from another language.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_OPTION_ENUM_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_OPTION_ENUM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/option_names.h"

namespace structtensor::base_internal {

// Returns InvalidArgument unless `value` is one of an enum's values, which are numbered from 0 to `last`.
//   option  the name of the option: "on_error"
//   names   the values: "kFail (0), kSkip (1) or kNull (2)"
template <typename Enum>
absl::Status CheckEnum(std::string_view option, Enum value, Enum last, std::string_view names) {
  const int64_t number = static_cast<int64_t>(value);
  if (number >= 0 && number <= static_cast<int64_t>(last)) return absl::OkStatus();
  return UnexpectedOption(option, std::to_string(number), names);
}

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_OPTION_ENUM_H_
