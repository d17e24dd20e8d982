// Shapes and broadcasting, elementwise operations, reductions.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "array_api.h"
#include "codec.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/bincount.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/comparison.h"
#include "structtensor/tensor/math/cumsum.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/math/logic.h"
#include "structtensor/tensor/math/one_hot.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/softmax.h"
#include "structtensor/tensor/math/string_ops.h"
#include "structtensor/tensor/math/unary.h"

namespace structtensor::vectors {
namespace {

// json[key], or null if it is missing or null.
const Json* FindArg(const Json& json, const char* key) {
  const Json* found = FindMember(json, key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool BoolArg(const Json& json, const char* key) {
  const Json* found = FindArg(json, key);
  return found != nullptr && found->get<bool>();
}

absl::StatusOr<Result> ValueResult(absl::StatusOr<Value> value) {
  if (!value.ok()) return value.status();
  return Result(*std::move(value));
}

std::optional<int64_t> OptionalInt(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<int64_t>(json.get<int64_t>());
}

absl::StatusOr<Result> ShapeOf(const Case& test) { return DecodeRaggedShape(test.input); }

absl::StatusOr<Result> IndexShape(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape shape, DecodeRaggedShape(test.input));
  const Json& index = test.args.at("i");
  if (const Json* slice = FindMember(index, "$slice"); slice != nullptr) {
    if (!slice->at(2).is_null() && slice->at(2) != 1)
      return absl::OutOfRangeError("axes of a shape are not sliced with a step");
    return shape.Slice(OptionalInt(slice->at(0)), OptionalInt(slice->at(1)));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t size, shape.Dimension(index.get<int64_t>()));
  return Json(size);
}

absl::StatusOr<Result> BroadcastShapesOf(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape a, DecodeRaggedShape(test.args.at("a")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape b, DecodeRaggedShape(test.args.at("b")));
  return BroadcastShapes(a, b);
}

absl::StatusOr<Result> BroadcastValue(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DynamicRaggedShape shape, DecodeRaggedShape(test.args.at("shape")));
  return ValueResult(BroadcastTo(value, shape));
}

using UnaryApi = absl::StatusOr<Value> (*)(const Value&);
using Binary = absl::StatusOr<Value> (*)(const Value&, const Value&);
using Reduction = absl::StatusOr<Value> (*)(const Value&, const ReduceOptions&);

// By TensorFlow's names without `math.`.
const std::map<std::string, UnaryApi>& UnaryApis() {
  static const auto& apis = *new std::map<std::string, UnaryApi>{{"abs", Abs},
                                                                 {"ceil", Ceil},
                                                                 {"exp", Exp},
                                                                 {"floor", Floor},
                                                                 {"is_nan", IsNan},
                                                                 {"log", Log},
                                                                 {"logical_not", LogicalNot},
                                                                 {"negative", Negative},
                                                                 {"round", Round},
                                                                 {"sign", Sign},
                                                                 {"sqrt", Sqrt},
                                                                 {"square", Square},
                                                                 {"strings.as_string", AsString},
                                                                 {"as_string", AsString},
                                                                 {"strings.lower", StringLower},
                                                                 {"strings.upper", StringUpper}};
  return apis;
}

const std::map<std::string, Binary>& BinaryApis() {
  static const auto& apis = *new std::map<std::string, Binary>{{"add", Add},
                                                               {"divide", Divide},
                                                               {"equal", Equal},
                                                               {"floordiv", FloorDivide},
                                                               {"floormod", Mod},
                                                               {"greater", Greater},
                                                               {"greater_equal", GreaterEqual},
                                                               {"less", Less},
                                                               {"less_equal", LessEqual},
                                                               {"logical_and", LogicalAnd},
                                                               {"logical_or", LogicalOr},
                                                               {"logical_xor", LogicalXor},
                                                               {"maximum", Maximum},
                                                               {"minimum", Minimum},
                                                               {"mod", Mod},
                                                               {"multiply", Multiply},
                                                               {"not_equal", NotEqual},
                                                               {"pow", Power},
                                                               {"subtract", Subtract},
                                                               {"truediv", Divide}};
  return apis;
}

const std::map<std::string, Reduction>& Reductions() {
  static const auto& apis = *new std::map<std::string, Reduction>{
      {"reduce_all", ReduceAll},   {"reduce_any", ReduceAny}, {"reduce_max", ReduceMax},
      {"reduce_mean", ReduceMean}, {"reduce_min", ReduceMin}, {"reduce_prod", ReduceProd},
      {"reduce_std", ReduceStd},   {"reduce_sum", ReduceSum}, {"reduce_variance", ReduceVariance}};
  return apis;
}

std::string WithoutMath(const std::string& api) { return std::string(absl::StripPrefix(api, "math.")); }

// A Python number takes the dtype of the other operand, as far as it can have it.
absl::StatusOr<Value> DecodeOperand(const Json& json, std::optional<DType> dtype) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, DecodeValue(json));
  if (!json.is_number_integer() || !dtype.has_value() || IsStringLike(*dtype) || *dtype == DType::kBool) return value;
  return Cast(value, *dtype);
}

std::optional<DType> DTypeOfValue(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->dtype();
  if (value.ragged() != nullptr) return value.ragged()->dtype();
  return std::nullopt;
}

absl::StatusOr<Result> ApplyBinaryApi(const std::string& api, const Json& x_json, const Json& y_json) {
  const auto found = BinaryApis().find(WithoutMath(api));
  if (found == BinaryApis().end()) return absl::UnimplementedError(absl::StrCat("no operation for tf.", api));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value y, DecodeOperand(y_json, std::nullopt));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value x, DecodeOperand(x_json, DTypeOfValue(y)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(y, DecodeOperand(y_json, DTypeOfValue(x)));
  return ValueResult(found->second(x, y));
}

absl::StatusOr<Result> BinaryOf(const Case& test) {
  return ApplyBinaryApi(test.args.at("api").get<std::string>(), test.args.at("x"), test.args.at("y"));
}

absl::StatusOr<Result> Reduce(Reduction reduction, const Value& value, const Json& kwargs) {
  ReduceOptions options{.keep_dims = BoolArg(kwargs, "keepdims")};
  if (const Json* axis = FindArg(kwargs, "axis"); axis != nullptr) {
    options.axes = axis->is_array() ? axis->get<std::vector<int64_t>>() : std::vector<int64_t>{axis->get<int64_t>()};
  }
  return ValueResult(reduction(value, options));
}

absl::StatusOr<Result> DoCumsum(const Value& value, const Json& kwargs) {
  const Json* axis = FindArg(kwargs, "axis");
  return ValueResult(Cumsum(value, axis == nullptr ? 0 : axis->get<int64_t>(),
                            {.exclusive = BoolArg(kwargs, "exclusive"), .reverse = BoolArg(kwargs, "reverse")}));
}

absl::StatusOr<Result> DoBincount(const Value& value, const Json& kwargs) {
  BincountOptions options;
  if (const Json* axis = FindArg(kwargs, "axis"); axis != nullptr) options.by_row = axis->get<int64_t>() != 0;
  if (const Json* length = FindArg(kwargs, "minlength"); length != nullptr) options.min_length = length->get<int64_t>();
  if (const Json* length = FindArg(kwargs, "maxlength"); length != nullptr) options.max_length = length->get<int64_t>();
  options.binary = BoolArg(kwargs, "binary_output");
  if (const Json* dtype = FindArg(kwargs, "dtype"); dtype != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.dtype, DecodeDType(*dtype));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor counts, Bincount(value, options));
  return Result(Value(std::move(counts)));
}

absl::StatusOr<Result> DoClip(const Value& value, const Json& kwargs) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value low, DecodeOperand(kwargs.at("clip_value_min"), DTypeOfValue(value)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value high, DecodeOperand(kwargs.at("clip_value_max"), DTypeOfValue(value)));
  return ValueResult(Clip(value, low, high));
}

absl::StatusOr<Result> DoCast(const Value& value, const Json& kwargs) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DecodeDType(kwargs.at("dtype")));
  return ValueResult(Cast(value, dtype));
}

absl::StatusOr<Result> DoStringLength(const Value& value, const Json& kwargs) {
  const Json* unit = FindArg(kwargs, "unit");
  return ValueResult(StringLength(value, unit != nullptr && *unit == "UTF8_CHAR" ? StringUnit::kUtf8Char : StringUnit::kByte));
}

absl::StatusOr<Result> DoSoftmax(const Value& value, const Json& kwargs) {
  const Json* axis = FindArg(kwargs, "axis");
  return ToResult(Softmax(value, axis == nullptr ? -1 : axis->get<int64_t>()));
}

// A value that tf.one_hot is given: a Python number takes the dtype that is wanted.
absl::Status DecodeOneHotValue(const Json& kwargs, const char* name, std::optional<DType> dtype, std::optional<Tensor>& value) {
  const Json* json = FindArg(kwargs, name);
  if (json == nullptr) return absl::OkStatus();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value decoded, DecodeOperand(*json, dtype));
  if (decoded.tensor() == nullptr) return Malformed(*json, "a scalar");
  value = *decoded.tensor();
  return absl::OkStatus();
}

absl::StatusOr<Result> DoOneHot(const Value& value, const Json& kwargs) {
  OneHotOptions options;
  if (const Json* dtype = FindArg(kwargs, "dtype"); dtype != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.dtype, DecodeDType(*dtype));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(DecodeOneHotValue(kwargs, "on_value", options.dtype, options.on_value));
  STRUCTTENSOR_RETURN_IF_ERROR(DecodeOneHotValue(kwargs, "off_value", options.dtype, options.off_value));
  if (const Json* axis = FindArg(kwargs, "axis"); axis != nullptr) options.axis = axis->get<int64_t>();
  return ToResult(OneHot(value, kwargs.at("depth").get<int64_t>(), options));
}

// It takes a function first; the cases give it a value.
absl::StatusOr<Result> DoMapFlatValues(const Value&, const Json&) {
  return absl::InvalidArgumentError("ragged.map_flat_values: a tensor is no function");
}

using Api = absl::StatusOr<Result> (*)(const Value&, const Json&);

const std::map<std::string, Api>& OtherApis() {
  static const auto& apis = *new std::map<std::string, Api>{{"bincount", DoBincount},
                                                            {"cast", DoCast},
                                                            {"clip_by_value", DoClip},
                                                            {"cumsum", DoCumsum},
                                                            {"nn.softmax", DoSoftmax},
                                                            {"one_hot", DoOneHot},
                                                            {"ragged.map_flat_values", DoMapFlatValues},
                                                            {"softmax", DoSoftmax},
                                                            {"strings.length", DoStringLength}};
  return apis;
}

absl::StatusOr<Result> DoJoin(const Json& input, const Json& kwargs) {
  std::vector<Value> values;
  for (const Json& item : input) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, DecodeValue(item));
    values.push_back(std::move(value));
  }
  const Json* separator = FindArg(kwargs, "separator");
  return ValueResult(JoinStrings(values, separator == nullptr ? "" : separator->get<std::string>()));
}

absl::StatusOr<Result> TfOp(const Case& test) {
  const std::string api = test.args.at("api").get<std::string>();
  const absl::StatusOr<Result> moved = ArrayApi(api, test);
  if (moved.ok() || !absl::IsNotFound(moved.status())) return moved;
  const std::string name = WithoutMath(api);
  const Json nothing = Json::object();
  const Json* found = FindArg(test.args, "kwargs");
  const Json& kwargs = found == nullptr ? nothing : *found;
  if (name == "strings.join") return DoJoin(test.input, kwargs);
  if (BinaryApis().count(name) != 0) return ApplyBinaryApi(api, test.input, kwargs.at("y"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  if (const auto unary = UnaryApis().find(name); unary != UnaryApis().end()) return ValueResult(unary->second(value));
  if (const auto reduction = Reductions().find(name); reduction != Reductions().end()) {
    return Reduce(reduction->second, value, kwargs);
  }
  if (const auto other = OtherApis().find(name); other != OtherApis().end()) return other->second(value, kwargs);
  return absl::UnimplementedError(absl::StrCat("no operation for tf.", api));
}

}  // namespace

void RegisterMathOps(Registry& registry) {
  registry["drs"] = ShapeOf;
  registry["drs_index"] = IndexShape;
  registry["drs_broadcast"] = BroadcastShapesOf;
  registry["broadcast_to"] = BroadcastValue;
  registry["binary"] = BinaryOf;
  registry["tf_op"] = TfOp;
  for (const char* name : {"softmax", "one_hot"}) {
    registry[name] = [](const Case& test) -> absl::StatusOr<Result> {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
      return OtherApis().at(test.op)(value, test.args);
    };
  }
}

}  // namespace structtensor::vectors
