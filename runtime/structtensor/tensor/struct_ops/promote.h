// Moving values up: a copy of a field in a struct further out.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied to the path `target`. Its last step names the new field, and the steps
// before it lead to a struct around the one that has `source` (none: the root). A field of that name is replaced. The values
// of the inner structs are joined into one list:
//
//   promote docs.tokens to words:  {docs: [{tokens: [1, 2]}, {tokens: [3]}]}  ->  {docs: ..., words: [1, 2, 3]}
//
// Shapes: with g axes of the outer struct and m more of the structs down to the field, axes g to g + m of the wrapped field are
//   merged, or g to g + m - 1 if the field has no axis g + m; for m = 0 the field is unchanged. Values of absent structs are
//   absent.
// Errors: NotFound if the field does not exist; InvalidArgument if source has fewer than two steps, a path has steps that are
//   not names or goes through a field that is not a struct, or target is not in a struct around the struct of source;
//   Unimplemented if the field is of an extension type and its own axis would have to be merged.
// Cost: O(rows of the structs) for merging partitions; the values are shared.
// Source: RFC "StructuredTensor", promote. TensorFlow's promote takes the new name alone, for the struct one step further out.
absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, const Path& target);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_PROMOTE_H_
