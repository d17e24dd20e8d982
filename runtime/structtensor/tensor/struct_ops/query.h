// Queries on nested fields, after struct2tensor: size, presence, position, filter. Each returns the value with a field added or
// cut; the rest is shared. See also with_only.h (project), promote.h, broadcast.h, reroot.h.
//
//   docs = [{id: 1, tags: ["a", "b"]}, {id: 2, tags: []}]
//   SizeEach(docs, {"tags"}, "n")  adds n = [2, 0]            SlicePath(docs, {"tags"}, 0, 1)    tags become ["a"], []
//   Has(docs, {"tags"}, "any")     adds any = [true, false]   Filter(docs, {}, {"any"})          leaves the first
//   IndexEach(docs, {"tags"}, "i") adds i = [[0, 1], []]      LimitDepth(docs, 1)                leaves id and tags
//
// A field's *own* axes are its axes after the axes of its struct. A field with own axes is repeated: its rows are lists.
// Errors of all functions: NotFound if a field does not exist; InvalidArgument if a path has steps that are not names, goes
//   through a field that is not a struct, or is empty where a field is needed, or a new name is not valid. The message has the
//   whole path. ResourceExhausted if there is no memory for a value for each row.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_QUERY_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_QUERY_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/struct_ops/with_only.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns only the fields at `paths`, with the structs on the way: WithOnly under struct2tensor's name.
inline absl::StatusOr<StructuredTensor> Project(const StructuredTensor& structs, std::initializer_list<Path> paths) {
  return WithOnly(structs, paths);
}

inline absl::StatusOr<StructuredTensor> Project(const StructuredTensor& structs, std::span<const Path> paths) {
  return WithOnly(structs, paths);
}

// Adds, beside the field at `path`, the result of `function` for its elements, in the same rows. The function gets the elements
// as one dense tensor without partitions, and returns a tensor with as many rows. A field `new_name` is replaced; it may be the
// field at `path` itself.
// Errors: InvalidArgument if the field is a struct or of an extension type, or the function returns another number of rows; the
//   error that the function returns, with the path.
// Source: struct2tensor, map_values.
absl::StatusOr<StructuredTensor> MapValues(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           const std::function<absl::StatusOr<Tensor>(const Tensor& flat_values)>& function);

// Adds, beside the field at `path`, how many values each of its rows has: the length along its first own axis. For a field
// without own axes: 1, or 0 if the value is absent. Adds int64 with the axes of the struct.
// Errors: Unimplemented if the field is of an extension type with axes of its own. Source: struct2tensor, size.
absl::StatusOr<StructuredTensor> SizeEach(const StructuredTensor& structs, const Path& path, std::string_view new_name);

// Adds, beside the field at `path`, whether each of its rows has a value: SizeEach() > 0. Source: struct2tensor, has.
absl::StatusOr<StructuredTensor> Has(const StructuredTensor& structs, const Path& path, std::string_view new_name);

// Adds, beside the repeated field at `path`, the position of each value in its row: 0, 1, 2, ... with the field's first own
// axis. With `from_end`: -1 for the last value, -2 for the one before.
// Errors: InvalidArgument if the field is not repeated; Unimplemented as in SizeEach. Source: struct2tensor,
//   get_positional_index.
absl::StatusOr<StructuredTensor> IndexEach(const StructuredTensor& structs, const Path& path, std::string_view new_name,
                                           bool from_end = false);

// Cuts each row of the repeated field at `path` to its values [begin, end) along the first own axis. Negative bounds count from
// the end of the row, and bounds are clipped to the row, as in Python. Errors: InvalidArgument if the field is not repeated;
// Unimplemented as in SizeEach. Cost: O(values). Source: struct2tensor, slice.
absl::StatusOr<StructuredTensor> SlicePath(const StructuredTensor& structs, const Path& path, std::optional<int64_t> begin,
                                           std::optional<int64_t> end);

// Cuts each row to its first `count` values. Errors: the errors of SlicePath; InvalidArgument if count is negative. Source:
// struct2tensor, truncate.
absl::StatusOr<StructuredTensor> Truncate(const StructuredTensor& structs, const Path& path, int64_t count);

// Keeps, of the field at `path`, the values for which the boolean field `mask` is true; absent means false. The mask is
//   inside:  a field of the structs at `path`; each struct is kept or not ("filter by child"), or
//   beside:  a field of the same struct with the same own axes, or the first of these axes ("filter by sibling").
// With the empty path, structs of the root are kept or not by one of their fields. Values are removed along the last axis of
// the mask; a field that is not repeated becomes one of 0 or 1 values.
// Errors: InvalidArgument if the mask is not boolean, is neither inside nor beside, or has other axes, or the root is a scalar;
//   Unimplemented as in SizeEach. Cost: O(values kept). Source: struct2tensor, filter_by_child, filter_by_sibling.
absl::StatusOr<StructuredTensor> Filter(const StructuredTensor& structs, const Path& path, const Path& mask);

// Cuts all fields that are more than `depth` steps from the root: 0 leaves structs without fields, 1 only the root's own
// fields, with structs among them empty. Errors: InvalidArgument if depth is negative. Source: struct2tensor, limit_depth.
absl::StatusOr<StructuredTensor> LimitDepth(const StructuredTensor& structs, int depth);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_QUERY_H_
