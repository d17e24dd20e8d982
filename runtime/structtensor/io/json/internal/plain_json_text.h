// Parses JSON strings that represent other types: the reverse of tensor/values/shared/json_scalar.h.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_JSON_TEXT_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_JSON_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::json_internal {

// Returns a time in units of `dtype`: a timestamp type ("2026-11-23T15:04:05.25Z") or a duration type ("-1.5s"), in the form of
// columns in core/base/shared/time_text.h.
// nullopt if the text is not such a time, or does not fit the unit without loss.
std::optional<int64_t> ParseTimeAs(DType dtype, std::string_view text);

// "NaN", "Infinity" or "-Infinity"; nullopt for other strings.
std::optional<double> ParseSpecialDouble(std::string_view text);

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_PLAIN_JSON_TEXT_H_
