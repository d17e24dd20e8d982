// Reading by path.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_SELECT_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_SELECT_H_

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the value at `path`, starting with the axes of the structs on the way. A bracket after a field works on the field's
// next own axis. The axes of the structs around it stay whole, so a path means the same for one message and for a batch:
//
//   ingredients.name       [["flour", "egg"], ["rice"]]
//   ingredients[0].name    ["flour", "rice"]           OutOfRange if a recipe has no ingredients
//   ratings["ann"]         [[5], []]                   the value of the map entry with this key, if any
//   [1].title              "risotto"                   for the root, all axes are its own
//
// Errors: NotFound if a field does not exist; OutOfRange if a position is outside its axis (of a ragged one, outside any of
//   its rows); InvalidArgument if a step goes into a field without fields, a bracket has no axis left, a key is used on a field
//   that is not a map with such keys, or the path has a step `*`. The message has the whole path.
// Cost: the cost of Index for each bracket; other steps copy no data.
absl::StatusOr<Value> Select(const Value& value, const Path& path);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_SELECT_H_
