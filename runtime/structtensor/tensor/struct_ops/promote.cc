#include "structtensor/tensor/struct_ops/promote.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/values/shared/absent.h"

namespace structtensor {

namespace {

// The flat field of `inner` as a flat field of the struct around `inner`.
absl::StatusOr<Value> OutOfStruct(const StructuredTensor& inner, Value flat, const Path& source) {
  Value value = values_internal::AbsentWhere(inner.validity(), std::move(flat));
  if (inner.rank() == 1) return value;
  std::vector<RowPartition> merged = inner.row_partitions();
  if (value.rank() > 1) {
    if (value.extension() != nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("field path ", source.ToString(), ": the axes of ", value.spec().DebugString(), " cannot be merged"));
    }
    struct_ops_internal::Peeled peeled = struct_ops_internal::PeelOuterAxis(value);
    merged.push_back(std::move(peeled.partition));
    value = std::move(peeled.inner);
  }
  return WithOuterPartition(ops_internal::ComposePartitions(merged), value);
}

}  // namespace

absl::StatusOr<StructuredTensor> Promote(const StructuredTensor& structs, const Path& source, const Path& target) {
  for (const Path* const path : {&source, &target}) STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckWellFormed(*path));
  if (source.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("field path ", source.empty() ? "\"\"" : source.ToString(),
                                                   " has nothing to be promoted out of; it needs at least two steps"));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckNewField(target));
  const Path outer_path = target.Parent();
  if (!source.StartsWith(outer_path) || outer_path.size() + 2 > source.size()) {
    return absl::InvalidArgumentError(absl::StrCat("field path ", source.ToString(), " cannot be promoted to ",
                                                   target.ToString(),
                                                   "; a field moves outward, into a struct around the one that it is in"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, source));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedStruct outer,
                                struct_ops_internal::FindStruct(structs, outer_path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value promoted, OutOfStruct(field.parent.structs, std::move(field.stored), source));
  for (size_t steps = source.size() - 2; steps > outer_path.size(); --steps) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedStruct inner,
                                  struct_ops_internal::FindStruct(structs, source.Prefix(steps)));
    STRUCTTENSOR_ASSIGN_OR_RETURN(promoted, OutOfStruct(inner.structs, std::move(promoted), source));
  }
  return struct_ops_internal::ReplaceStruct(
      structs, outer_path, struct_ops_internal::WithFlatField(outer.structs, target.back().text(), std::move(promoted)));
}

}  // namespace structtensor
