// Copying values down: each inner struct gets a value of the struct around it.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied into the structs at `target`, as `new_name`; a field of that name is
// replaced. `target` is a struct at any depth inside the struct that has the field source.
//
//   broadcast id to docs as from:  {id: 7, docs: [{t: 1}, {t: 2}]}  ->  {id: 7, docs: [{t: 1, from: 7}, {t: 2, from: 7}]}
//
// Errors: NotFound if a field does not exist; InvalidArgument if a path is empty or has steps that are not names, target is not
//   a struct inside the parent of source, or new_name is empty; ResourceExhausted if the copies of strings reach 2 GiB.
// Cost: O(rows of target) to copy the values. If each outer struct has one inner struct, they are shared instead.
// Source: RFC "StructuredTensor", broadcast; struct2tensor, broadcast.
absl::StatusOr<StructuredTensor> Broadcast(const StructuredTensor& structs, const Path& source, const Path& target,
                                           std::string_view new_name);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_BROADCAST_H_
