// Finding a struct inside a structured tensor, and putting a changed one in its place.
#ifndef STRUCTTENSOR_PATH_INTERNAL_NESTED_STRUCT_H_
#define STRUCTTENSOR_PATH_INTERNAL_NESTED_STRUCT_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/path/internal/outer_axes.h"
#include "structtensor/tensor/value.h"

namespace structtensor::path_internal {

// A struct as its parent stores it: of the parent's flat rows, or the root itself.
struct NestedStruct {
  StructuredTensor structs;
  OuterAxes axes;  // of its fields
};

// Errors: NotFound if a field does not exist; InvalidArgument if a field on the way has no fields, or a step is no name of a
//   field. The message has the whole path and, where a field is missing, those that exist. Cost: O(steps x fields).
absl::StatusOr<NestedStruct> FindStruct(const StructuredTensor& root, const Path& path);

// A field as the struct that it is part of stores it.
struct NestedField {
  NestedStruct parent;
  std::string_view name;  // lives as long as the path
  Value flat;
};

// Errors: as FindStruct, and InvalidArgument if the path is empty.
absl::StatusOr<NestedField> FindField(const StructuredTensor& root, const Path& path);

// `root` with `structs` in place of the struct at `path`, which exists and has as many rows; everything else is shared.
// Cost: O(steps x fields).
StructuredTensor ReplaceStruct(const StructuredTensor& root, const Path& path, StructuredTensor structs);

// `structs` with that flat field, in the place of the one of that name or behind the last one. Requires: flat.rank() >= 1,
// flat.nrows() == structs.flat_nrows(). Cost: O(fields).
StructuredTensor WithFlatField(const StructuredTensor& structs, std::string_view name, Value flat);

// Errors: InvalidArgument if a field cannot have that name (type_spec/field_name.h); `parent`, the path of the structs, is for
// the message.
absl::Status CheckNewName(std::string_view name, const Path& parent);

// Errors: the struct has no such field (NotFound); a step that is not the name of a field (InvalidArgument).
absl::Status NoSuchField(const Path& path, size_t step, const StructuredTensor& structs);
absl::Status NotAStruct(const Path& path, size_t step, const Value& found);
absl::Status NotAFieldName(const Path& path, size_t step);

}  // namespace structtensor::path_internal

#endif  // STRUCTTENSOR_PATH_INTERNAL_NESTED_STRUCT_H_
