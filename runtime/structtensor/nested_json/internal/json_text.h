// Strings of JSON that stand for something else: the way back of tensor/internal/json_scalar.h.
#ifndef STRUCTTENSOR_NESTED_JSON_INTERNAL_JSON_TEXT_H_
#define STRUCTTENSOR_NESTED_JSON_INTERNAL_JSON_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "structtensor/type_spec/dtype.h"

namespace structtensor::nested_json_internal {

// In units of `dtype`: a timestamp type ("2026-11-23T15:04:05.25Z", RFC 3339) or a duration type ("-1.5s"). Nothing if the text
// is none, or does not fit the unit without loss.
std::optional<int64_t> ParseTimeAs(DType dtype, std::string_view text);

// "NaN", "Infinity", "-Infinity".
std::optional<double> ParseSpecialDouble(std::string_view text);

// Appends what the base64 text (RFC 4648 section 4 or 5, padded or not) stands for. False if it is none.
bool AppendBase64(std::string_view text, std::string& out);

}  // namespace structtensor::nested_json_internal

#endif  // STRUCTTENSOR_NESTED_JSON_INTERNAL_JSON_TEXT_H_
