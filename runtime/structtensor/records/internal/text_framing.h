// Where one record ends and the next begins in texts: lines, and JSON.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_TEXT_FRAMING_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_TEXT_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/records/internal/framing.h"
#include "structtensor/records/internal/window.h"

namespace structtensor::records_internal {

// What is known of a text in front of the window's position. A new one begins each input.
struct TextPosition {
  enum class Layout : uint8_t {
    kUnknown,    // nothing but white space has been read
    kLines,      // a value on each line
    kDocuments,  // objects one behind the other, over lines
    kList,       // the elements of one list
    kBehindList,
  };

  int64_t line = 1;            // of the position, from 1
  int64_t offset_of_line = 0;  // of its first byte in the source
  int64_t line_of_frame = 1;   // that the frame begins in that was read last
  int64_t byte_of_frame = 0;   // at which it begins there, from 0
  Layout layout = Layout::kUnknown;
  bool is_first = true;                                 // of the elements
  std::shared_ptr<const std::string> header = nullptr;  // of CSV, when it has been read
};

// As those of framing.h. The payload is the line without its end ("\n" or "\r\n"), which may be empty; behind the last "\n"
// none begins.
absl::StatusOr<Frame> ReadLineFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is one value of JSON, and what it has is not looked at but for strings and brackets. A text that begins with "["
// is a list of values; one that begins with an object that does not end in its line, objects one behind the other; all others
// have a value on each line that is not white space.
absl::StatusOr<Frame> ReadJsonFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is what stands between two lines "---", or around them; white space may follow the dashes. Behind the last such
// line none begins if nothing follows it.
absl::StatusOr<Frame> ReadTextprotoFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is a row without the end of its line. The first row is the header, and goes to the position. A cell that begins
// with '"' ends with the next one that is not doubled, also over lines. Empty lines are no rows, unless there is one column
// only.
absl::StatusOr<Frame> ReadCsvFrame(Window& window, size_t max_bytes, TextPosition& position);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_TEXT_FRAMING_H_
