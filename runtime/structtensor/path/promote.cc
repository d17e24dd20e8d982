#include "structtensor/path/promote.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/ops/internal/axis_stack.h"
#include "structtensor/path/internal/absent.h"
#include "structtensor/path/internal/nested_struct.h"

namespace structtensor {

absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, std::string_view new_name) {
  if (source.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("field path ", source.empty() ? "\"\"" : source.ToString(),
                                                   " has nothing to be promoted out of; it needs two steps at least"));
  }
  const Path target = source.Prefix(source.size() - 2);
  STRUCTTENSOR_ASSIGN_OR_RETURN(NestedField field, FindField(structs, source));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const NestedStruct outer, FindStruct(structs, target));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNewName(outer.structs, new_name, target));
  const StructuredTensor& inner = field.parent.structs;
  Value promoted = AbsentWhere(inner.validity(), std::move(field.flat));
  if (inner.rank() > 1) {
    std::vector<RowPartition> merged = inner.row_partitions();
    if (promoted.rank() > 1) {
      if (promoted.extension() != nullptr) {
        return absl::UnimplementedError(absl::StrCat("field path ", source.ToString(), ": the axes of ",
                                                     promoted.spec().DebugString(), " cannot be merged"));
      }
      Peeled peeled = PeelOuterAxis(promoted);
      merged.push_back(std::move(peeled.partition));
      promoted = std::move(peeled.inner);
    }
    promoted = WithOuterPartition(ComposePartitions(merged), promoted);
  }
  return ReplaceStruct(structs, target, WithFlatField(outer.structs, new_name, std::move(promoted)));
}

}  // namespace structtensor
