// Single values as JSON text. All functions append to `out`.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_JSON_SCALAR_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_JSON_SCALAR_H_

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/core/base/float16.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::values_internal {

// Base64 with padding, RFC 4648 section 4, in quotes.
void AppendJsonBase64(std::string_view bytes, std::string& out);

// Shortest text that reads back as the same value; "NaN", "Infinity" and "-Infinity" in quotes.
void AppendJsonNumber(double value, std::string& out);
void AppendJsonNumber(float value, std::string& out);
inline void AppendJsonNumber(Float16 value, std::string& out) { AppendJsonNumber(static_cast<float>(value), out); }
inline void AppendJsonNumber(BFloat16 value, std::string& out) { AppendJsonNumber(static_cast<float>(value), out); }
template <typename Integer>
void AppendJsonNumber(Integer value, std::string& out) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// "2024-05-01T12:30:00.25Z" in quotes, from units since 1970-01-01T00:00:00Z: the form of columns in
// core/base/shared/time_text.h.
void AppendJsonTimestamp(int64_t value, TimeUnit unit, std::string& out);
// "-1.5s" in quotes.
void AppendJsonDuration(int64_t value, TimeUnit unit, std::string& out);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_JSON_SCALAR_H_
