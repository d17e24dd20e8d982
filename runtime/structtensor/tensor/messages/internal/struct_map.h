// Maps that are given as structs, {"a": 1, "b": 2}: a field for each key.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_MAP_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_MAP_H_

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/messages/internal/columns.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::messages_internal {

// Returns the entries of the maps in `structs`: structs [nrows, None] with the fields key and value. A row has an entry for
// each field that is present in it, in the order of the fields.
// Requires: `map` is a map; structs.rank() == 1.
// Errors: InvalidArgument if the name of a field is not a valid key of the map, or the fields differ in type; OutOfRange if a
//   row has several values in a field; ResourceExhausted if there are more values than a column can hold.
absl::StatusOr<Value> MapEntriesOf(const plan::FieldPlan& map, const StructuredTensor& structs, const Place& place);

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_MAP_H_
