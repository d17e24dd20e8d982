#include "structtensor/tensor/struct_ops/reroot.h"

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/values/shared/with_validity.h"

namespace structtensor {

absl::StatusOr<StructuredTensor> Reroot(const StructuredTensor& structs, const Path& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const path_internal::NestedStruct found, path_internal::FindStruct(structs, path));
  return tensor_internal::WithValidity(found.structs.WithRowPartitions({}), found.present);
}

}  // namespace structtensor
