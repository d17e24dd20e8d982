// Copying values down: each inner struct gets a value of the struct around it.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied to the path `target`. Its last step names the new field, and the steps
// before it lead to a struct at any depth inside the one that has `source`. A field of that name is replaced.
//
//   broadcast id to docs.from:  {id: 7, docs: [{t: 1}, {t: 2}]}  ->  {id: 7, docs: [{t: 1, from: 7}, {t: 2, from: 7}]}
//
// Errors: NotFound if a field does not exist; InvalidArgument if a path is empty or has steps that are not names, or target is
//   not in a struct inside the parent of source; ResourceExhausted if the copies of strings reach 2 GiB.
// Cost: O(rows of target) to copy the values. If each outer struct has one inner struct, they are shared instead.
// Source: RFC "StructuredTensor", broadcast; struct2tensor, broadcast.
absl::StatusOr<StructuredTensor> Broadcast(const StructuredTensor& structs, const Path& source, const Path& target);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_
