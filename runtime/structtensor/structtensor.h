// The header for a first program: beside the generated headers, all that turns messages into tensors and works with them.
//
//   #include "recipe.structtensor.h"
//   #include "structtensor/structtensor.h"
//
//   cookbook::RecipeDecoder decoder;
//   absl::StatusOr<cookbook::RecipeBatch> batch = decoder.Decode(messages);
//   absl::StatusOr<structtensor::StructuredTensor> recipes = ToStructuredTensor(*batch);
//   std::cout << structtensor::ToJson(*recipes->field_value("ingredients.name"));
//
// docs/cpp.md leads from here to the headers for files, for schemas at run time, and for Arrow, whose libraries have more
// dependencies. A source that is compiled often may include what it uses instead: this header takes about a second.
#ifndef STRUCTTENSOR_STRUCTTENSOR_H_
#define STRUCTTENSOR_STRUCTTENSOR_H_

// Messages to columns, and back.
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
// Columns to tensors, and back.
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
// Values, their types, and how they are written.
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/type_spec/make_spec.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/equality.h"
#include "structtensor/tensor/values/from_fields.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
// Operations on rows and axes.
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/split.h"
// Operations on fields, by path.
#include "structtensor/tensor/struct_ops/apply.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/query.h"
#include "structtensor/tensor/struct_ops/reroot.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/struct_ops/with_only.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/struct_ops/without.h"
// Operations on elements.
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/bincount.h"
#include "structtensor/tensor/math/bitwise.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/comparison.h"
#include "structtensor/tensor/math/cumsum.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/math/elementary_functions.h"
#include "structtensor/tensor/math/logic.h"
#include "structtensor/tensor/math/one_hot.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/select_elements.h"
#include "structtensor/tensor/math/softmax.h"
#include "structtensor/tensor/math/string_ops.h"
#include "structtensor/tensor/math/string_parts.h"
#include "structtensor/tensor/math/unary.h"

#endif  // STRUCTTENSOR_STRUCTTENSOR_H_
