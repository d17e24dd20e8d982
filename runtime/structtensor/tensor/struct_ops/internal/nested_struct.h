// Finding a struct inside a structured tensor, and putting a changed one in its place.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_NESTED_STRUCT_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_NESTED_STRUCT_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/struct_ops/internal/outer_axes.h"
#include "structtensor/tensor/values/validity.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::struct_ops_internal {

// A struct as its parent stores it, in the parent's flat rows, or the root itself.
struct NestedStruct {
  StructuredTensor structs;
  OuterAxes axes;    // of its fields
  Validity present;  // which flat rows are present, together with all structs around them
};

// Errors: NotFound if a field does not exist; InvalidArgument if a field on the way has no fields, or a step is not a field
//   name. The message has the whole path and, if a field is missing, the fields that exist. Cost: O(steps x fields).
absl::StatusOr<NestedStruct> FindStruct(const StructuredTensor& root, const Path& path);

struct NestedField {
  NestedStruct parent;
  std::string_view name;  // lives as long as the path
  Value flat;             // absent where a struct around it is absent: what callers see
  Value stored;           // as its struct stores it: what stays inside these structs, so that its type stays the same
};

// Errors: the errors of FindStruct, and InvalidArgument if the path is empty.
absl::StatusOr<NestedField> FindField(const StructuredTensor& root, const Path& path);

// Returns `root` with `structs` in place of the struct at `path`; all else is shared. Requires: `path` exists and has as many
// rows.
// Cost: O(steps x fields).
StructuredTensor ReplaceStruct(const StructuredTensor& root, const Path& path, StructuredTensor structs);

// Returns `structs` with this flat field. A field of that name is replaced; a new field comes last. Requires: flat.rank() >= 1,
// flat.nrows() == structs.flat_nrows(). Cost: O(fields).
StructuredTensor WithFlatField(const StructuredTensor& structs, std::string_view name, Value flat);

// Errors: InvalidArgument if a field cannot have this name (tensor/type_spec/field_name.h); `parent`, the path of the structs,
// is for the message.
absl::Status CheckNewName(std::string_view name, const Path& parent);

// Errors: InvalidArgument if the path is empty, or its last step is not a name that a field can have.
absl::Status CheckNewField(const Path& target);

// Errors: the struct has no such field (NotFound); a step that is not the name of a field (InvalidArgument).
absl::Status NoSuchField(const Path& path, size_t step, const StructuredTensor& structs);
absl::Status NotAStruct(const Path& path, size_t step, const Value& found);
absl::Status NotAFieldName(const Path& path, size_t step);
// The error of a path that was made of text that is not a path.
absl::Status CheckWellFormed(const Path& path);

}  // namespace structtensor::struct_ops_internal

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_INTERNAL_NESTED_STRUCT_H_
