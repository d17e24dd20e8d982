// Questions about nested fields, after struct2tensor's: how many, present or not, which, where. Each returns the value with
// one field more or one field cut; the rest is shared. See also with_only.h (project), promote.h, broadcast.h, reroot.h.
//
//   docs = [{id: 1, tags: ["a", "b"]}, {id: 2, tags: []}]
//   Size(docs, {"tags"}, "n")      adds n = [2, 0]            SlicePath(docs, {"tags"}, 0, 1)    tags become ["a"], []
//   Has(docs, {"tags"}, "any")     adds any = [true, false]   Filter(docs, {}, {"any"})          leaves the first
//   IndexEach(docs, {"tags"}, "i") adds i = [[0, 1], []]      LimitDepth(docs, 1)                leaves id and tags
//
// A field's *own* axes are those behind the axes of the struct it is in. A field with one is repeated: its rows are lists.
// All of them: Errors: NotFound if a field does not exist; InvalidArgument if a path has other steps than names, goes through
//   a field that is no struct, or is empty where a field is needed, or a new name can be none. The message has the whole
//   path. ResourceExhausted if there is no memory for a value for each row.
#ifndef STRUCTTENSOR_PATH_QUERY_H_
#define STRUCTTENSOR_PATH_QUERY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/path/with_only.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The fields at `paths` only, with the structs on the way: WithOnly under struct2tensor's name.
inline absl::StatusOr<StructuredTensor> Project(const StructuredTensor& structs, const std::vector<Path>& paths) {
  return WithOnly(structs, paths);
}

// Adds, beside the field at `path`, what `function` makes of its elements: one for each, with the same rows around them. It
// gets them as one dense tensor, without any partitions, and returns one with as many rows. A field `new_name` is replaced; it
// may be the one at `path` itself.
// Errors: InvalidArgument if the field has no elements of its own, being a struct or of an extension type, or the function
//   returns another number of rows; what the function returns, with the path.
// Source: struct2tensor, map_values.
absl::StatusOr<StructuredTensor> MapValues(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           const std::function<absl::StatusOr<Tensor>(const Tensor& flat_values)>& function);

// Adds, beside the field at `path`, how many values each of its rows has: the length along its first own axis. Of a field
// without one: 1, or 0 if the value is absent. Adds int64 with the axes of the struct.
// Errors: Unimplemented if the field is of an extension type with axes of its own. Source: struct2tensor, size.
absl::StatusOr<StructuredTensor> Size(const StructuredTensor& structs, const Path& path, std::string_view new_name);

// The same, as whether there is any. Source: struct2tensor, has.
absl::StatusOr<StructuredTensor> Has(const StructuredTensor& structs, const Path& path, std::string_view new_name);

// Adds, beside the repeated field at `path`, the position of each value in its row: 0, 1, 2, ... with the field's first own
// axis. `from_end`: -1 for the last value, -2 for the one before.
// Errors: InvalidArgument if the field is not repeated; Unimplemented as Size. Source: struct2tensor, get_positional_index.
absl::StatusOr<StructuredTensor> IndexEach(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           bool from_end = false);

// Cuts each row of the repeated field at `path` to its values [begin, end) along the first own axis. Negative bounds count
// from the end of the row, and all are clipped to it, as in Python. Errors: InvalidArgument if the field is not repeated;
// Unimplemented as Size. Cost: O(values). Source: struct2tensor, slice.
absl::StatusOr<StructuredTensor> SlicePath(const StructuredTensor& structs, const Path& path, std::optional<int64_t> begin,
                                           std::optional<int64_t> end);

// Cuts each row to its first `count` values. Errors: as SlicePath; InvalidArgument if count is negative. Source:
// struct2tensor, truncate.
absl::StatusOr<StructuredTensor> Truncate(const StructuredTensor& structs, const Path& path, int64_t count);

// Keeps, of the field at `path`, the values for which the boolean field `mask` is true; absent means false. The mask is
//   inside:  a field of the structs at `path`, of which each is kept or not ("filter by child"), or
//   beside:  a field of the same struct with the same own axes, or the first of them ("filter by sibling").
// With the empty path, structs of the root are kept or not by one of their fields. Along which axis values go: the last one
// that the mask has; a field that is not repeated becomes one of 0 or 1 values.
// Errors: InvalidArgument if the mask is not boolean, is neither inside nor beside, or has other axes, or the root is a
//   scalar; Unimplemented as Size. Cost: O(values kept). Source: struct2tensor, filter_by_child, filter_by_sibling.
absl::StatusOr<StructuredTensor> Filter(const StructuredTensor& structs, const Path& path, const Path& mask);

// Cuts all fields that are more than `depth` steps from the root: 0 leaves structs without fields, 1 only the root's own
// fields, the structs among them without theirs. Errors: InvalidArgument if depth is negative. Source: struct2tensor,
// limit_depth.
absl::StatusOr<StructuredTensor> LimitDepth(const StructuredTensor& structs, int depth);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PATH_QUERY_H_
