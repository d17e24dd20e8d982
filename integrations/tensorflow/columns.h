// The columns of a structured tensor as a flat list: the outputs of StructtensorDecode.
//
//   structs         the row splits of their own partitions, the outermost first; then their fields, in their order
//   tensor          its elements
//   ragged tensor   the row splits of its partitions, the outermost first; then its elements
//
// Fields have flat rows: the partitions of the structs around them are not repeated.
#ifndef STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_COLUMNS_H_
#define STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_COLUMNS_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "c_api.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::tensorflow {

struct Column {
  std::string path;                           // of the field, for error messages
  std::variant<Tensor, RowPartition> values;  // elements, or row splits

  DType dtype() const;
  // What the column is: its path, with "/row_splits" for row splits.
  std::string name() const;
};

// The columns of rows. TensorFlow has no absent elements.
//   absent_is_default  an absent element becomes its default: 0 for a time; fields of absent structs keep the values that
//                      decoders have filled in
// Errors: InvalidArgument if an element is absent and does not become its default.
absl::StatusOr<std::vector<Column>> ColumnsOf(const StructuredTensor& rows, bool absent_is_default);

// The dtype of elements in TensorFlow. Times are int64: the number of their units.
TF_DataType TensorFlowDType(DType dtype);

}  // namespace structtensor::tensorflow

#endif  // STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_COLUMNS_H_
