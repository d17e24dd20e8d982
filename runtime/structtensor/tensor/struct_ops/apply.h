// Computing a field from other fields.
#ifndef STRUCTTENSOR_TENSOR_STRUCT_OPS_APPLY_H_
#define STRUCTTENSOR_TENSOR_STRUCT_OPS_APPLY_H_

#include <functional>
#include <initializer_list>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

using ApplyFunction = std::function<absl::StatusOr<Value>(std::span<const Value> fields)>;

// Returns `structs` with the result of `function` as the field `target`; a field of that name is replaced, a new one comes
// last. The function gets field_value(path) of each source, in this order. It returns a value that starts with the axes of the
// structs that get the field.
// Errors: NotFound if a source or the parent of target does not exist; InvalidArgument if a path is empty or has steps that are
//   not names, a field on the way is not a struct, or the result has other axes; the error that the function returns, with the
//   target's path. Cost: O(length of paths x fields) and the cost of the function. Source: RFC "StructuredTensor", apply.
absl::StatusOr<StructuredTensor> Apply(const StructuredTensor& structs, std::span<const Path> sources, const Path& target,
                                       const ApplyFunction& function);
inline absl::StatusOr<StructuredTensor> Apply(const StructuredTensor& structs, std::initializer_list<Path> sources,
                                              const Path& target, const ApplyFunction& function) {
  return Apply(structs, std::span(sources.begin(), sources.size()), target, function);
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_STRUCT_OPS_APPLY_H_
