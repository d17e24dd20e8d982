// Where one record ends and the next begins in text: lines, JSON, text format and CSV.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_FRAMING_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/io/records/internal/framing.h"
#include "structtensor/io/records/internal/window.h"

namespace structtensor::records_internal {

// What is known about the text before the window's position. Each input starts with a new TextPosition.
struct TextPosition {
  enum class Layout : uint8_t {
    kUnknown,    // only white space has been read
    kLines,      // a value on each line
    kDocuments,  // one object after another; an object may span lines
    kList,       // the elements of one list
    kAfterList,
  };

  int64_t line = 1;            // of the position, from 1
  int64_t offset_of_line = 0;  // of the line's first byte in the source
  int64_t line_of_frame = 1;   // in which the last frame that was read begins
  int64_t byte_of_frame = 0;   // in that line, where the frame begins, from 0
  Layout layout = Layout::kUnknown;
  bool is_first = true;                                 // the next element is the first one
  std::shared_ptr<const std::string> header = nullptr;  // of CSV, once it has been read
};

// These functions work like those of framing.h. Here the payload is the line without its end ("\n" or "\r\n"), and may be
// empty. No line begins after the last "\n".
absl::StatusOr<Frame> ReadLineFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is one JSON value. Only its strings and brackets are looked at. A text that begins with "[" is a list of values.
// A text that begins with an object that does not end on its line is one object after another. Any other text has a value on
// each line that is not white space.
absl::StatusOr<Frame> ReadJsonFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is the text before, between or after lines "---"; white space may follow the dashes. No record begins after the
// last such line if nothing follows it.
absl::StatusOr<Frame> ReadTextprotoFrame(Window& window, size_t max_bytes, TextPosition& position);

// The payload is a row without its line end. The first row is the header and is stored in the position. A cell that begins with
// '"' ends at the next '"' that is not doubled, even on a later line. Empty lines are not rows, unless there is only one
// column.
absl::StatusOr<Frame> ReadCsvFrame(Window& window, size_t max_bytes, TextPosition& position);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_FRAMING_H_
