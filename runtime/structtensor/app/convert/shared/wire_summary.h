// What can be said about serialized messages without a schema.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_WIRE_SUMMARY_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_WIRE_SUMMARY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::convert_internal {

// A field number with one wire type, in all messages of a sample.
struct WireField {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  int64_t messages = 0;  // messages that have it
  int64_t count = 0;     // its occurrences
  int64_t bytes = 0;     // of its values; none for groups, whose fields are listed beside them
  // For values with a length: whether all are UTF-8 (without control characters), and whether all look like messages.
  bool text = true;
  bool message = true;
  std::vector<WireField> fields;  // of values that look like messages
};

// In the order of numbers. Messages are read up to their first error. Submessages are followed to a depth of 8.
// Requires: wire_internal::kReadableSlackBytes can be read after each message.
std::vector<WireField> SummarizeFields(std::span<const std::string_view> messages);

// "varint", "64 bits", "message", "text", "bytes", "group", "32 bits" or "unknown".
const char* WireKindText(const WireField& field);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_WIRE_SUMMARY_H_
