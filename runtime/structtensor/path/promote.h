// Moving values up: a copy of a field, one or more structs further out.
#ifndef STRUCTTENSOR_PATH_PROMOTE_H_
#define STRUCTTENSOR_PATH_PROMOTE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied out of the struct it is in, to the struct around that, as `new_name`; a
// field of that name is replaced. What the axes of the struct it leaves grouped is now one list:
//
//   promote docs.tokens to words:  {docs: [{tokens: [1, 2]}, {tokens: [3]}]}  ->  {docs: ..., words: [1, 2, 3]}
//
// Shapes: with g axes of the outer struct and m more of the inner one, axes g to g + m of the wrapped field become one, or g
// to g + m - 1 if there are no more; for m = 0 the field stays as it is. Values of structs that are absent are absent.
// Errors: NotFound if the field does not exist; InvalidArgument if source has fewer than two steps or others than names, goes
//   through a field that is no struct, or new_name is empty; Unimplemented if the field is of an extension type and its
//   own axis would have to be merged.
// Cost: O(rows of the structs) for merging partitions; the values are shared.
// Source: tf StructuredTensor.promote.
absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, std::string_view new_name);

// The same to the struct at `target`, any that the field is in, however far out; Path() is the outermost one. What all axes on
// the way grouped is one list: it is as if the field was promoted from struct to struct, without the copies between.
// Errors: also InvalidArgument if target is not an outer part of source that leaves two steps at least.
absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, const Path& target,
                                         std::string_view new_name);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PATH_PROMOTE_H_
