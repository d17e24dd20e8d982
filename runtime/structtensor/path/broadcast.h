// Copying values down: each inner struct gets the value of the struct that it is in.
#ifndef STRUCTTENSOR_PATH_BROADCAST_H_
#define STRUCTTENSOR_PATH_BROADCAST_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns `structs` with the field `source` copied into the structs at `target`, as `new_name`; a field of that name is
// replaced. `target` is a struct at any depth inside the one that source is a field of.
//
//   broadcast id to docs as from:  {id: 7, docs: [{t: 1}, {t: 2}]}  ->  {id: 7, docs: [{t: 1, from: 7}, {t: 2, from: 7}]}
//
// Errors: NotFound if a field does not exist; InvalidArgument if a path is empty or has other steps than names, target is no
//   struct inside the parent of source, or new_name is empty; ResourceExhausted if the copies of strings reach 2 GiB.
// Cost: O(rows of target), copying the values, unless there is one inner struct for each outer one: then they are shared.
// Source: RFC "StructuredTensor", broadcast; struct2tensor, broadcast.
absl::StatusOr<StructuredTensor> Broadcast(const StructuredTensor& structs, const Path& source, const Path& target,
                                           std::string_view new_name);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PATH_BROADCAST_H_
