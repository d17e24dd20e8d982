// Moving values up: a copy of a field in a struct further out.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied from its struct to the struct around it, as `new_name`; a field of that name
// is replaced. The values of the inner structs are joined into one list:
//
//   promote docs.tokens to words:  {docs: [{tokens: [1, 2]}, {tokens: [3]}]}  ->  {docs: ..., words: [1, 2, 3]}
//
// Shapes: with g axes of the outer struct and m more of the inner struct, axes g to g + m of the wrapped field are merged, or g
// to g + m - 1 if the field has no axis g + m; for m = 0 the field is unchanged. Values of absent structs are absent.
// Errors: NotFound if the field does not exist; InvalidArgument if source has fewer than two steps or steps that are not names,
//   goes through a field that is not a struct, or new_name is empty; Unimplemented if the field is of an extension type and its
//   own axis would have to be merged.
// Cost: O(rows of the structs) for merging partitions; the values are shared.
// Source: tf StructuredTensor.promote.
absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, std::string_view new_name);

// Returns `structs` with the field copied to the struct at `target`, at any depth around the field; Path() is the root. The
// result is the same as promoting the field one struct at a time, without the copies in between.
// Errors: also InvalidArgument if target is not a prefix of source, or is less than two steps shorter.
absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, const Path& target,
                                         std::string_view new_name);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_
