#include "structtensor/tensor/struct_ops/broadcast.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/struct_ops/internal/row_list.h"
#include "structtensor/tensor/values/shared/absent.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

// The row of each value of the partition.
absl::StatusOr<std::vector<int64_t>> ValueRowids(const RowPartition& partition, const Path& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> rowids, struct_ops_internal::RowList<int64_t>(partition.nvals(), path));
  for (int64_t row = 0; row < partition.nrows(); ++row) {
    const RowRange values = partition.row(row);
    std::fill(rowids.begin() + values.begin, rowids.begin() + values.end, row);
  }
  return rowids;
}

}  // namespace

absl::StatusOr<StructuredTensor> Broadcast(const StructuredTensor& structs, const Path& source, const Path& target) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(struct_ops_internal::NestedField field, struct_ops_internal::FindField(structs, source));
  STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckNewField(target));
  const Path inner_path = target.Parent();
  const size_t outer_size = source.size() - 1;
  if (inner_path.size() <= outer_size || !inner_path.StartsWith(source.Parent())) {
    return absl::InvalidArgumentError(
        absl::StrCat("field path ", target.ToString(), " is not in a struct inside ",
                     outer_size == 0 ? std::string("the value itself") : source.Parent().ToString(), ", where ",
                     source.ToString(), " is; values are broadcast to structs further in, and promoted to those further out"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const struct_ops_internal::NestedStruct inner,
                                struct_ops_internal::FindStruct(structs, inner_path));
  std::vector<RowPartition> between;
  const StructuredTensor* walk = &field.parent.structs;
  for (const Path::Step& step : inner_path.steps().subspan(outer_size)) {
    walk = walk->FindFlatField(step.text())->structured();
    between.insert(between.end(), walk->row_partitions().begin(), walk->row_partitions().end());
  }
  Value copied = std::move(field.stored);
  if (!between.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> rowids,
                                  ValueRowids(ops_internal::ComposePartitions(between), inner_path));
    STRUCTTENSOR_ASSIGN_OR_RETURN(copied, values_internal::TakeRowsChecked(copied, rowids));
  }
  // Where the target is absent, lists that were copied into it must not stay.
  copied = values_internal::WithoutHiddenRows(inner.present, copied);
  return struct_ops_internal::ReplaceStruct(
      structs, inner_path, struct_ops_internal::WithFlatField(inner.structs, target.back().text(), std::move(copied)));
}

}  // namespace structtensor
