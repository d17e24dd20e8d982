// Values as text: JSON, a short form for messages and debuggers, and a table.
#ifndef STRUCTTENSOR_TENSOR_VALUES_TEXT_H_
#define STRUCTTENSOR_TENSOR_VALUES_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct JsonOptions {
  // Write a row of an optional dimension as its value or null, instead of as a list of at most one value. Default: the list,
  // which shows the value's true shape.
  bool unwrap_optional = false;
  // Stop soon after this many bytes; the text may then end anywhere. For previews of values that may be big.
  size_t max_bytes = SIZE_MAX;
};

// Appends row `row` of axis 0 as JSON on one line; for a scalar (row 0), the value itself.
//   structs      objects in field order; absent structs and absent elements: null
//   map entries  the innermost axis is one object, {"key": value}
//   numbers      shortest text that reads back as the same value; "NaN", "Infinity", "-Infinity" as strings
//   bytes        base64; strings: escaped, and bytes that are not UTF-8 replaced by U+FFFD
//   timestamps   RFC 3339 in UTC with as many digits as needed, durations "1.5s"
//   extension types  lists for the axes; each element as its components, in the structure that the type gives them: a dict as
//                an object, a tuple or a list as a list, a single component as itself; for values without rows, the whole
//                components
// Requires: 0 <= row < value.nrows().
// Cost: O(text); no intermediate values.
void AppendJson(const Value& value, int64_t row, std::string& out, const JsonOptions& options = {});
void AppendJson(const StructuredTensor& value, int64_t row, std::string& out, const JsonOptions& options = {});

// The whole value as JSON: a list of its rows; for a scalar, the value itself.
std::string ToJson(const Value& value, const JsonOptions& options = {});

// For people, on one line, cut after about 200 characters: `RaggedTensor([[1],[2,3],…], shape=[1000, None], dtype=int64)`; for
// an extension type, its spec. Cost: O(text), however big the value is.
std::string DebugString(const Value& value);

// The first rows as a table for a terminal: a line of field names, then one line a row, cells as short JSON (strings without
// quotes), columns aligned, long cells cut to what the width allows. Columns that do not fit into max_width_columns are named
// in a last line, and so is the number of rows that are not shown. Width is counted in code points; control characters are
// escaped. At least one column is shown.
//   name   quantity
//   flour  2
//   … and 5 more fields: a, b, c, d, e
// Requires: value.rank() == 1.
std::string FormatTable(const StructuredTensor& value, int64_t max_rows, size_t max_width_columns);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_TEXT_H_
