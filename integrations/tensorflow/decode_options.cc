#include "decode_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::tensorflow {
namespace {

absl::Status Wrong(std::string_view name, std::string_view value) {
  return absl::InvalidArgumentError(absl::StrCat("option ", ToAbsl(name), ": ", ToAbsl(value), " is none of its values"));
}

// Sets `out` to the number of `value` among `names`.
template <typename Enum>
absl::Status Choose(std::string_view name, std::string_view value, std::initializer_list<std::string_view> names, Enum& out) {
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) return Wrong(name, value);
  out = static_cast<Enum>(found - names.begin());
  return absl::OkStatus();
}

template <typename Number>
absl::Status Count(std::string_view name, std::string_view value, uint64_t least, uint64_t most, Number& out) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(ToAbsl(value), &number) || number < least || number > most) return Wrong(name, value);
  out = static_cast<Number>(number);
  return absl::OkStatus();
}

absl::Status Set(std::string_view name, std::string_view value, MessageDecoderOptions& options) {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  constexpr uint64_t kMostErrors = std::numeric_limits<int64_t>::max();
  DecodeOptions& decode = options.decode;
  if (name == "select" || name == "drop") {
    (name == "select" ? options.selection.select : options.selection.drop).emplace_back(value);
    return absl::OkStatus();
  }
  if (name == "where") {
    options.where = value;
    return absl::OkStatus();
  }
  if (name == "on_error") return Choose(name, value, {"fail", "skip"}, decode.on_error);
  if (name == "max_errors") return Count(name, value, 0, kMostErrors, decode.max_errors);
  if (name == "max_depth") return Count(name, value, 0, DecodeOptions::kGreatestMaxDepth, decode.max_depth);
  if (name == "max_rows") return Count(name, value, 0, DecodeOptions::kGreatestMaxRows, decode.max_rows);
  if (name == "max_cells") return Count(name, value, 0, kAny, decode.max_cells);
  if (name == "max_memory_bytes") return Count(name, value, 0, kAny, decode.max_memory_bytes);
  if (name == "max_paths") return Count(name, value, 0, UINT32_MAX, decode.max_paths);
  if (name == "max_message_bytes") {
    return Count(name, value, 1, DecodeOptions::kGreatestMaxMessageBytes, decode.max_message_bytes);
  }
  if (name == "recursion_depth") {
    return Count(name, value, 1, DecodeOptions::kGreatestRecursionDepth, decode.recursion_depth);
  }
  if (name == "allow_missing_required") return Choose(name, value, {"false", "true"}, decode.allow_missing_required);
  if (name == "optionals") {
    if (value == "nullable") return Wrong(name, value);  // TensorFlow's tensors cannot have absent elements
    return Choose(name, value, {"ragged", "nullable", "default"}, options.tensor.optionals);
  }
  if (name == "well_known_types") return Choose(name, value, {"native", "structs"}, options.tensor.well_known_types);
  if (name == "timestamps") return Choose(name, value, {"s", "ms", "us", "ns"}, options.tensor.timestamps);
  return absl::InvalidArgumentError(absl::StrCat("there is no option ", ToAbsl(name)));
}

}  // namespace

absl::StatusOr<MessageDecoderOptions> ParseDecodeOptions(std::span<const std::string> options) {
  MessageDecoderOptions result;
  result.decode.recursion_depth = 1;
  result.tensor.optionals = Optionals::kRagged;
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    const std::string_view text = option;
    STRUCTTENSOR_RETURN_IF_ERROR(
        Set(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1), result));
  }
  return result;
}

}  // namespace structtensor::tensorflow
