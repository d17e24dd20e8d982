// Making, reading, equality.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codec.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/math/logic.h"
#include "structtensor/tensor/values/equality.h"
#include "structtensor/tensor/values/from_fields.h"

namespace structtensor::vectors {
namespace {

absl::StatusOr<StructuredTensor> DecodeStructs(const Json& json) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(json));
  if (value.structured() == nullptr) return Malformed(json, "structs");
  return *value.structured();
}

absl::StatusOr<Result> Input(const Case& test) { return DecodeValue(test.input); }

// TensorFlow compares sizes that the caller gives only if it gives all of them; of a shape with an unknown size it takes the
// rank. Where shape[0] is known or the rank is not 1, it ignores nrows. We compare what is given, so what it ignores is left
// out.
absl::StatusOr<Result> FromFieldsOp(const Case& test) {
  Json args = test.args;
  if (const Json* shape = FindMember(args, "shape"); shape != nullptr && shape->is_array() && !shape->empty()) {
    const bool ignores_nrows = shape->size() > 1 || !shape->front().is_null();
    if (ignores_nrows) args.erase("nrows");
    if (std::any_of(shape->begin(), shape->end(), [](const Json& dim) { return dim.is_null(); })) {
      args["shape"] = Json(shape->size(), nullptr);
    }
  }
  return DecodeFromFields(args);
}

absl::StatusOr<Result> FromFieldsAndRankOp(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, DecodeFields(test.args.at("fields")));
  const Json& rank = test.args.at("rank");
  if (!rank.is_number_integer()) return Malformed(rank, "a rank");
  std::optional<DType> dtype;
  if (const Json* json = FindMember(test.args, "dtype"); json != nullptr && !json->is_null()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(dtype, DecodeDType(*json));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, FromFieldsAndRank(std::move(fields), rank.get<int>(), dtype));
  return Value(structs);
}

absl::StatusOr<Result> FromShape(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape shape, DecodeRaggedShape(test.args.at("shape")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, StructsOfShape(shape));
  return Value(structs);
}

absl::StatusOr<Result> FieldNames(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, DecodeStructs(test.input));
  return Json(structs.field_names());
}

absl::StatusOr<Result> NumRows(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  return value.rank() == 0 ? Json() : Json(value.nrows());
}

absl::StatusOr<Result> StaticShape(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  Json dims = Json::array();
  const Shape shape = value.shape();
  for (const int64_t dim : shape.dims()) dims.push_back(dim == kUnknownDimension ? Json() : Json(dim));
  return dims;
}

// Values that have no pairs of elements are just not equal.
absl::StatusOr<Result> CompareOp(const Case& test, bool equal) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value other, DecodeValue(test.args.at("other")));
  const std::optional<Value> result = ElementsEqual(value, other);
  if (!result) return Json(!equal);
  if (equal) return *result;
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value differ, LogicalNot(*result));
  return differ;
}

// tf.map_fn of a function that returns a field of its row gives the field.
absl::StatusOr<Result> MapFnField(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, DecodeStructs(test.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, structs.field_value(test.args.at("field").get<std::string>()));
  return field;
}

}  // namespace

void RegisterConstructOps(Registry& registry) {
  registry["from_pyval"] = Input;
  registry["ragged"] = Input;
  registry["from_fields"] = FromFieldsOp;
  registry["from_fields_and_rank"] = FromFieldsAndRankOp;
  registry["from_shape"] = FromShape;
  registry["field_names"] = FieldNames;
  registry["nrows"] = NumRows;
  registry["static_shape"] = StaticShape;
  registry["equals"] = [](const Case& test) { return CompareOp(test, true); };
  registry["not_equals"] = [](const Case& test) { return CompareOp(test, false); };
  registry["map_fn_field"] = MapFnField;
}

}  // namespace structtensor::vectors
