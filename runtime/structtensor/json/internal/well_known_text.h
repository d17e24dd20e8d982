// The texts of protobuf's well-known types in JSON.
#ifndef STRUCTTENSOR_JSON_INTERNAL_WELL_KNOWN_TEXT_H_
#define STRUCTTENSOR_JSON_INTERNAL_WELL_KNOWN_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace structtensor::json_internal {

// A google.protobuf.Timestamp or Duration.
struct SecondsAndNanos {
  int64_t seconds = 0;
  int32_t nanos = 0;
};

// "1972-01-01T10:00:20.021Z", or with another zone. nullopt if it is not such a text, or outside the years 1 to 9999.
std::optional<SecondsAndNanos> ParseTimestamp(std::string_view text);
// "-1.5s". nullopt if it is not such a text, or longer than 315,576,000,000 seconds (and nanos).
std::optional<SecondsAndNanos> ParseDuration(std::string_view text);
// Append the texts, without quotes, with 0, 3, 6 or 9 digits after the point. False if the value has no such text.
bool AppendTimestamp(SecondsAndNanos time, std::string& out);
bool AppendDuration(SecondsAndNanos duration, std::string& out);

// Convert a FieldMask path: "fooBar.baz" to "foo_bar.baz", and back. False if it is not a path, or does not convert back.
bool AppendMaskPath(std::string_view json, std::string& path);
bool AppendMaskJson(std::string_view path, std::string& json);

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_JSON_INTERNAL_WELL_KNOWN_TEXT_H_
