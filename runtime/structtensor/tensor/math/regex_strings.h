// Regular expressions and the strings of tensors and ragged tensors.
// A separate library, so that structtensor::math does not need RE2.
#ifndef STRUCTTENSOR_TENSOR_MATH_REGEX_STRINGS_H_
#define STRUCTTENSOR_TENSOR_MATH_REGEX_STRINGS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

// In both of these the result has the shape, the row partitions (shared) and the validity of x. Strings are UTF-8; elements of
// dtype bytes are matched byte by byte. No pattern makes time or memory explode: RE2 does not backtrack.
// Errors: InvalidArgument if the value is a struct or of an extension type, elements are not strings, or `pattern` is not a
//   regular expression of RE2 (the message says why). Cost: O(bytes), with a factor that grows with the pattern.

// Booleans: whether the whole string matches. Source: tf.strings.regex_full_match.
absl::StatusOr<Value> RegexFullMatch(const Value& x, std::string_view pattern);

// Returns the strings with every match, or only the first one, replaced by `rewrite`. In `rewrite`, \1 to \9 are the groups,
// \0 is the whole match, and two backslashes are one backslash.
// Errors: also InvalidArgument if `rewrite` names a group that does not exist, or uses a backslash in another way;
//   ResourceExhausted if the strings of the result exceed 2 GiB. Source: tf.strings.regex_replace.
absl::StatusOr<Value> RegexReplace(const Value& x, std::string_view pattern, std::string_view rewrite,
                                   bool replace_global = true);

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_MATH_REGEX_STRINGS_H_
