// New structured tensors with fields changed, added or removed.
#ifndef STRUCTTENSOR_PATH_WITH_UPDATES_H_
#define STRUCTTENSOR_PATH_WITH_UPDATES_H_

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/tensor/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// One change: a field gets a value, becomes what a function makes of its value, or goes.
class Update {
 public:
  using Function = std::function<absl::StatusOr<Value>(const Value& field)>;

  // The value has the shape of the structs in front, as Value field_value(path) has: those of all parents, the root's first.
  static Update Set(Path path, Value value) { return Update(std::move(path), std::move(value)); }
  // The function gets field_value(path) and returns another value with the same axes of the structs in front.
  static Update Transform(Path path, Function function) { return Update(std::move(path), std::move(function)); }
  static Update Delete(Path path) { return Update(std::move(path), Deletion{}); }

  const Path& path() const { return path_; }
  // What the change is if it is that, else null; neither: a deletion.
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

// Returns `structs` with all those changes. Fields that are not changed are shared, in their order; new ones come last. All
// paths are checked before any function is called; functions see the fields as they were.
// Errors: NotFound if a field that is to be transformed, deleted or gone through does not exist; InvalidArgument if a path is
//   empty or has other steps than names, a new name is empty, a field on the way is no struct, a field is changed twice or
//   together with a field inside it, or a value does
//   not have the axes of the structs that it belongs to (the message names the field, the axis and the first row that
//   differs); what a function returns, with the path.
// Cost: O(length of paths x fields), and, for a value with row partitions of its own, O(rows) to compare them.
// Source: tf StructuredTensor.with_updates.
absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::span<const Update> updates);
absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::initializer_list<Update> updates);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_PATH_WITH_UPDATES_H_
