// JSON without a protobuf schema: objects as the rows of a structured tensor. The columns' types are inferred, or given by a
// TypeSpec.
//
//   absl::StatusOr<structtensor::JsonRows> read = structtensor::ReadJson("{\"a\": 1}\n{\"a\": 2, \"b\": [\"x\"]}\n");
//   read->rows.field_value("b")    // ragged [[], ["x"]]
//
// This is not protobuf's JSON mapping (names of enums, 64-bit integers as strings, ...).
#ifndef STRUCTTENSOR_IO_JSON_READ_JSON_H_
#define STRUCTTENSOR_IO_JSON_READ_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How deep objects and lists may be nested.
inline constexpr int kMaxJsonDepth = 100;

struct JsonReadOptions {
  // Where the rows are. kAuto: the text has lines if most of its first lines (64 KiB) begin with "{" and end with "}", even if
  // others are damaged. Else a text that begins with "[" is a document, and a text that begins with "{" has lines if its first
  // line ends with "}".
  enum class Layout : uint8_t {
    kAuto,
    kLines,     // an object on each line; blank lines do not count
    kDocument,  // a list of objects, or one object
  };
  // What happens with a row that cannot be read.
  enum class OnError : uint8_t {
    kFail,  // ReadJson returns its error
    kSkip,  // the row is left out and listed in JsonRows::errors, as if the text did not have it: it decides no column's type.
            // In a document, all after a syntax error is left out, too
  };

  // The type of the rows, a spec of rank 1; the number of rows and what depends on it are not compared. Default: inferred. To
  // give later batches the type of the first batch, pass the first batch's spec (TypeSpec::WithUnknownSizes).
  std::optional<StructuredTensorSpec> spec = {};
  Layout layout = Layout::kAuto;
  OnError on_error = OnError::kFail;
  // Infers timestamp[ns] for columns all of whose strings are RFC 3339 times, years 1678 to 2261.
  bool infer_timestamps = false;
  // With a spec: skips names that the spec does not have, instead of refusing them.
  bool ignore_extra_fields = false;
  // How many threads may read at a time; at most 256 do. Each reads some hundred kilobytes of lines or more, so a short text
  // or a document is read by one. The result is the same.
  int threads = 1;
};

// A row that could not be read.
struct JsonRowError {
  int64_t line = 0;    // from 1
  int64_t column = 0;  // where reading stopped in the line: in bytes, from 1
  std::string message = {};
};

struct JsonRows {
  StructuredTensor rows;  // rank 1
  std::vector<JsonRowError> errors = {};
};

// Returns the rows of `text`, which is UTF-8, perhaps with a byte order mark.
//
//   JSON                            becomes
//   object                          struct; fields in the order in which they first appear
//   list                            row of a ragged axis
//   true, false                     bool
//   number without . and e          int64
//   other number                    double; integers of the column become doubles if this is exact
//   string                          string, or a timestamp
//   null, or a missing name         an absent element or struct, which makes the column nullable; an empty row of a ragged axis
//   only nulls, only empty lists    double
//
// With a spec, each of its types is read as AppendJson() (tensor/values/text.h) writes it: bytes as base64, "NaN" and
// "Infinity" as floating point numbers, timestamps and durations as text, maps as objects, an optional value as the value, null
// or a list of at most one item. Numbers are converted if this is exact; a floating point type takes any number.
// Errors: InvalidArgument, with line, column and path ("line 3, column 17: a.b: ..."), if the text is not JSON, a row is not an
//   object, the types of one column differ, an object has a name twice or an empty name, an integer is outside int64 and
//   uint64, lists and objects are nested deeper than kMaxJsonDepth, or a row does not fit the spec; also if the spec has an
//   extension type or a rank other than 1, or threads < 1. ResourceExhausted if the strings of one column exceed 2 GiB, or the
//   text 4 GiB; or if inferred columns would have more than 2^26 + 32 * bytes of the text absent values (objects whose
//   names are keys; a spec can make them maps).
// Cost: O(text + absent values). Memory: the columns, and in addition one line or document; with more threads, twice the
// columns. If a row cannot be read, one thread reads the text again.
absl::StatusOr<JsonRows> ReadJson(std::string_view text, const JsonReadOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_JSON_READ_JSON_H_
