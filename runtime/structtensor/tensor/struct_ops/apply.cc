#include "structtensor/tensor/struct_ops/apply.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/struct_ops/with_updates.h"

namespace structtensor {

absl::StatusOr<StructuredTensor> Apply(const StructuredTensor& structs, std::span<const Path> sources, const Path& target,
                                       const ApplyFunction& function) {
  STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckWellFormed(target));
  std::vector<Value> fields;
  fields.reserve(sources.size());
  for (const Path& source : sources) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, source));
    fields.push_back(field.parent.axes.Wrap(std::move(field.flat)));
  }
  // Check the target before the function does any work.
  if (!target.empty()) STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::FindStruct(structs, target.Parent()).status());
  absl::StatusOr<Value> result = function(fields);
  if (!result.ok()) {
    return absl::Status(result.status().code(), absl::StrCat("field ", target.ToString(), ": ", result.status().message()));
  }
  return WithUpdates(structs, {Update::Set(target, *std::move(result))});
}

}  // namespace structtensor
