// New structured tensors with fields changed, added or removed.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_UPDATES_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_UPDATES_H_

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// One change: sets a field to a value, transforms its value with a function, or deletes it.
class Update {
 public:
  using Function = std::function<absl::StatusOr<Value>(const Value& field)>;

  // The value starts with the axes of all structs around the field, the root's first, like the result of field_value(path).
  static Update Set(Path path, Value value) { return Update(std::move(path), std::move(value)); }
  // The function gets field_value(path) and returns another value that starts with the same axes of the structs.
  static Update Transform(Path path, Function function) { return Update(std::move(path), std::move(function)); }
  static Update Delete(Path path) { return Update(std::move(path), Deletion{}); }

  const Path& path() const { return path_; }
  // The value or function of the change, or null if it has none. Both are null for a deletion.
  const Value* value() const { return std::get_if<Value>(&change_); }
  const Function* function() const { return std::get_if<Function>(&change_); }
  bool is_deletion() const { return std::holds_alternative<Deletion>(change_); }

 private:
  struct Deletion {};
  using Change = std::variant<Value, Function, Deletion>;
  Update(Path path, Change change) : path_(std::move(path)), change_(std::move(change)) {}

  Path path_;
  Change change_;
};

// Returns `structs` with all these changes. Unchanged fields are shared and keep their order; new fields come last. All paths
// are checked before any function is called; functions get the fields as they were before the changes.
// Errors: NotFound if a field to transform or delete, or a field on the way, does not exist; InvalidArgument if a path is empty
//   or has steps that are not names, a new name is empty, a field on the way is not a struct, a field is changed twice or
//   together with a field inside it, or a value does not have the axes of its structs (the message names the field, the axis
//   and the first row that differs); the error that a function returns, with the path.
// Cost: O(length of paths x fields), and O(rows) to compare the row partitions of a value that does not share them.
// Source: tf StructuredTensor.with_updates.
absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::span<const Update> updates);
absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::initializer_list<Update> updates);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_WITH_UPDATES_H_
