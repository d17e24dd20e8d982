// Reading by path.
#ifndef STRUCTTENSOR_PATH_SELECT_H_
#define STRUCTTENSOR_PATH_SELECT_H_

#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns what is at `path`, with the axes of the structs on the way in front. A bracket after a field works on the next axis
// that the field has of its own; the axes of the structs it is in stay whole, so that it means the same for one message and
// for a batch of them:
//
//   ingredients.name       [["flour", "egg"], ["rice"]]
//   ingredients[0].name    ["flour", "rice"]           OutOfRange if a recipe has no ingredients
//   ratings["ann"]         [[5], []]                   the value of the map's entry with that key, if there is one
//   [1].title              "risotto"                   of the root, all axes are its own
//
// Errors: NotFound if a field does not exist; OutOfRange if a position is outside its axis (of a ragged one, outside any of
//   its rows); InvalidArgument if a step goes into a field without fields, a bracket has no axis left to work on, a key stands
//   where there is no map with such keys, or the path has a step `*`. The message has the whole path.
// Cost: as Index for each bracket; the rest copies no data.
absl::StatusOr<Value> Select(const Value& value, const Path& path);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PATH_SELECT_H_
