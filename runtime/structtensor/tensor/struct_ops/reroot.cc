#include "structtensor/tensor/struct_ops/reroot.h"

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/values/shared/with_validity.h"

namespace structtensor {

absl::StatusOr<StructuredTensor> Reroot(const StructuredTensor& structs, const Path& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedStruct found, struct_ops_internal::FindStruct(structs, path));
  return values_internal::WithValidity(found.structs.WithRowPartitions({}), found.present);
}

}  // namespace structtensor
