// Rows as text: what a scan makes of its rows besides columns, in the threads that decode.
#ifndef STRUCTTENSOR_APP_SCAN_TEXT_ROWS_H_
#define STRUCTTENSOR_APP_SCAN_TEXT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor {

// The rows of a batch as text.
struct TextRows {
  std::string bytes;         // of all rows, one after another
  std::vector<size_t> ends;  // [nrows]: where the text of each row ends in `bytes`

  size_t size() const { return ends.size(); }
  std::string_view operator[](size_t row) const {
    const size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(bytes).substr(begin, ends[row] - begin);
  }
};

// A row that has no text: protobuf's JSON has none for a Timestamp after the year 9999, for example.
struct RowWithoutText {
  int64_t row = 0;
  std::string field_path = {};  // "a.b[2]"; "" for the message itself
  std::string problem = {};     // what is wrong with the field
};

// Fills `text` with the text of all rows. A row without text has an empty string, and is added to `without`.
// Errors: the rows as a whole cannot be written; a batch of fewer rows is tried then.
using WriteTextRows =
    std::function<absl::Status(const DecodedBatch& rows, TextRows& text, std::vector<RowWithoutText>& without)>;

// Makes a function that one thread uses, for rows of the type `message`.
using TextRowsWriter = std::function<absl::StatusOr<WriteTextRows>(const plan::MessagePlan& message)>;

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCAN_TEXT_ROWS_H_
