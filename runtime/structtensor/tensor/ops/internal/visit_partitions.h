// The row partitions inside a value.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_VISIT_PARTITIONS_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_VISIT_PARTITIONS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "structtensor/tensor/ops/internal/field_path.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::ops_internal {

// Calls visit(path, partition) for each row partition of `value`, outermost first, including the partitions of fields.
// Extension types have no partitions of their own and are skipped.
// Errors: the first one that `visit` returns.
absl::Status VisitPartitions(const Value& value, absl::FunctionRef<absl::Status(const FieldPath&, const RowPartition&)> visit);

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_VISIT_PARTITIONS_H_
