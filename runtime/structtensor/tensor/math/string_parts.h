// Parts of the strings or bytes in tensors and ragged tensors. Unless said otherwise, results have the shape, the row
// partitions (shared) and the validity of x.
// Errors, in all: InvalidArgument if the value is a struct or of an extension type, or elements are not strings;
//   ResourceExhausted if there is no memory. Cost: O(bytes).
#ifndef STRUCTTENSOR_TENSOR_MATH_STRING_PARTS_H_
#define STRUCTTENSOR_TENSOR_MATH_STRING_PARTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/string_ops.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Removes spaces, tabs and line ends at both ends of each string. Source: tf.strings.strip.
absl::StatusOr<Value> StringStrip(const Value& x);

// `size` bytes or characters from index `begin` on, or fewer if the string ends before. A negative `begin` counts from the end.
// Errors: also InvalidArgument if size is negative, or begin is outside a string that is present (the message has the
//   element); the end of the string is allowed. Source: tf.strings.substr.
absl::StatusOr<Value> StringSubstr(const Value& x, int64_t begin, int64_t size, StringUnit unit = StringUnit::kByte);

// Booleans: whether the string begins with `prefix`, or ends with `suffix`.
absl::StatusOr<Value> StringStartsWith(const Value& x, std::string_view prefix);
absl::StatusOr<Value> StringEndsWith(const Value& x, std::string_view suffix);

struct SplitStringsOptions {
  // The text between pieces. Default: empty, which means any number of spaces, tabs and line ends; they are also removed at
  // both ends of the string, and no piece is empty.
  std::string_view separator = "";
  // The greatest number of splits, from the left; the rest of the string is one piece. Default: no limit.
  std::optional<int64_t> max_splits = std::nullopt;
};

// Returns the pieces of each string, as Python's str.split does:
//
//   SplitStrings(["a b", "", "c"])                       [["a", "b"], [], ["c"]]
//   SplitStrings(["a,b", "", "c,"], {.separator = ","})  [["a", "b"], [""], ["c", ""]]
//
// Shapes: x.shape + [ragged]; a vector if x is a scalar. An absent string has no pieces.
// Errors: also InvalidArgument if max_splits is negative. Source: tf.strings.split.
absl::StatusOr<Value> SplitStrings(const Value& x, const SplitStringsOptions& options = {});

// Joins the strings along some axes in their order, with `separator` between them: a reduction (reduce.h). Absent strings do
// not count. Without strings, the result is the empty string.
// Errors: also the errors of reductions; ResourceExhausted if the strings of the result exceed 2 GiB.
// Source: tf.strings.reduce_join.
absl::StatusOr<Value> ReduceJoin(const Value& x, std::string_view separator = "", const ReduceOptions& options = {});

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_STRING_PARTS_H_
