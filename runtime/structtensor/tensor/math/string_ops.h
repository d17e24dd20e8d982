// Functions of the elements of tensors and ragged tensors of strings or bytes. Results have the shape, the row partitions
// (shared) and the validity of their argument.
// Errors, in all: InvalidArgument if a value is a struct or of an extension type, or elements are not strings;
//   ResourceExhausted if the strings of the result exceed 2 GiB or there is no memory. Cost: O(bytes).
#ifndef STRUCTTENSOR_TENSOR_MATH_STRING_OPS_H_
#define STRUCTTENSOR_TENSOR_MATH_STRING_OPS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

enum class StringUnit : uint8_t {
  kByte,
  kUtf8Char,  // code points: the number of bytes that are not UTF-8 continuation bytes
};

// The lengths, as int32. Source: tf.strings.length.
absl::StatusOr<Value> StringLength(const Value& x, StringUnit unit = StringUnit::kByte);

// Change only the letters A to Z; other characters stay as they are. Source: tf.strings.upper, tf.strings.lower.
absl::StatusOr<Value> StringUpper(const Value& x);
absl::StatusOr<Value> StringLower(const Value& x);

// Returns for each element the strings of all values, one after the other, with `separator` between them.
// Shapes: values are broadcast to one shape (broadcast.h), the shape of the result. An element is absent where an element of
// one of the values is absent.
// Errors: also InvalidArgument if there are no values, dtypes differ, or shapes do not fit. Source: tf.strings.join.
absl::StatusOr<Value> JoinStrings(std::span<const Value> values, std::string_view separator = "");

// Numbers as text: integers in decimal, fractions with six digits after the point ("1.500000"), booleans as "true" and
// "false"; "nan", "inf", "-inf". Strings stay as they are. Source: tf.strings.as_string.
// Errors: InvalidArgument for timestamps and durations.
absl::StatusOr<Value> AsString(const Value& x);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MATH_STRING_OPS_H_
