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
#include "structtensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::vectors {

using Json = nlohmann::json;

// One line of the file, without what it should give.
struct Case {
  std::string name;
  std::string op;
  Json input;  // null if there is none
  Json args;
};

// What an operation gives; it is dumped in the form of `expected` and compared. Json is for kind "py" (its `value`) and, as
// SpecText, for kind "spec".
struct SpecText {
  std::string text;
};
using Result = std::variant<Value, std::vector<Value>, RowPartition, DynamicRaggedShape, TypeSpec, SpecText, Json>;

using Op = std::function<absl::StatusOr<Result>(const Case&)>;
using Registry = std::map<std::string, Op>;

void RegisterConstructOps(Registry& registry);  // ops_construct.cc: making, reading, equality
void RegisterIndexOps(Registry& registry);      // ops_index.cc: getitem, rt_getitem, field_value
void RegisterSpecOps(Registry& registry);       // ops_spec.cc: specs, nest, row partitions, extension types, batching
void RegisterArrayOps(Registry& registry);      // ops_array.cc: structural operations, ragged methods
void RegisterMathOps(Registry& registry);       // ops_math.cc: elementwise, reductions, shapes, broadcasting
void RegisterPathOps(Registry& registry);       // ops_path.cc: updates, promote, broadcast

// Encoded values, as the vectors' README has them.
absl::StatusOr<Value> DecodeValue(const Json& json);
absl::StatusOr<RowPartition> DecodeRowPartition(const Json& json);       // the content of "$rp"
absl::StatusOr<DynamicRaggedShape> DecodeRaggedShape(const Json& json);  // the content of "$drs"
absl::StatusOr<TypeSpec> DecodeSpec(const Json& json);                   // the content of "$spec", or a spec argument

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_OP_H_
