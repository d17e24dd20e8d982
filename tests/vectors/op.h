// The operations that vectors name. Each file ops_*.cc registers those of one area.
#ifndef STRUCTTENSOR_TESTS_VECTORS_OP_H_
#define STRUCTTENSOR_TESTS_VECTORS_OP_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::vectors {

using Json = nlohmann::json;

// One line of the file, without what it should give.
struct Case {
  std::string name;
  std::string op;
  Json input;  // null if there is none
  Json args;
};

// What an operation gives; it is dumped in the form of `expected` and compared. Json is for kind "py" (its `value`), SpecText
// and TypeSpec for kind "spec", SparseResult for kind "sparse"; the lists are for kind "list".
struct SpecText {
  std::string text;
};
struct SparseResult {
  Tensor indices;  // [n, rank]
  Tensor values;   // [n]
  Tensor dense_shape;
};
using Result = std::variant<Value, std::vector<Value>, RowPartition, DynamicRaggedShape, TypeSpec, SpecText, Json, SparseResult,
                            std::vector<RowPartition>>;

using Op = std::function<absl::StatusOr<Result>(const Case&)>;
// Operations by name. Null means that only the Python package has the operation, so its cases do not run here.
using Registry = std::map<std::string, Op>;

void RegisterConstructOps(Registry& registry);  // ops_construct.cc: making, reading, equality
void RegisterIndexOps(Registry& registry);      // ops_index.cc: getitem, rt_getitem, field_value
void RegisterSpecOps(Registry& registry);       // ops_spec.cc: specs, nest, row partitions, extension types, batching
void RegisterArrayOps(Registry& registry);      // ops_array.cc: structural operations, ragged methods
void RegisterMathOps(Registry& registry);       // ops_math.cc: elementwise, reductions, shapes, broadcasting
void RegisterPathOps(Registry& registry);       // ops_path.cc: updates, promote, broadcast

// Encoded values, as the vectors' README has them.
absl::StatusOr<Value> DecodeValue(const Json& json);
absl::StatusOr<RowPartition> DecodeRowPartition(const Json& json);       // "$rp", or its content
absl::StatusOr<DynamicRaggedShape> DecodeRaggedShape(const Json& json);  // "$drs", or its content
absl::StatusOr<TypeSpec> DecodeSpec(const Json& json);                   // "$spec", or its content

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_OP_H_
