#include "codec.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/from_fields.h"

namespace structtensor::vectors {
namespace {

constexpr DType kAllDTypes[] = {DType::kBool,  DType::kInt32,  DType::kInt64,  DType::kUint32,  DType::kUint64,
                                DType::kFloat, DType::kDouble, DType::kString, DType::kFloat16, DType::kBfloat16};

// TensorFlow's default dtypes.
constexpr DType kIntDType = DType::kInt32;
constexpr DType kFloatDType = DType::kFloat;

std::string ToHex(std::string_view bytes) { return absl::BytesToHexString(ToAbsl(bytes)); }

absl::StatusOr<double> DecodeFloat(const Json& content) {
  if (content == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (content == "inf") return std::numeric_limits<double>::infinity();
  if (content == "-inf") return -std::numeric_limits<double>::infinity();
  return Malformed(content, "nan, inf or -inf");
}

absl::StatusOr<NestedValue> DecodeNestedList(const Json& items) {
  NestedValue::List list;
  list.reserve(items.size());
  for (const Json& item : items) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NestedValue value, DecodeNested(item));
    list.push_back(std::move(value));
  }
  return NestedValue(std::move(list));
}

absl::StatusOr<Value> DecodeStruct(const Json& json) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const NestedValue nested, DecodeNested(json.at("$st")));
  ConstantOptions options{.int_dtype = kIntDType, .float_dtype = kFloatDType, .dense_axes = false, .spec = std::nullopt};
  if (const Json* spec = FindMember(json, "typespec"); spec != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.spec, DecodeSpec(*spec));
  }
  return Constant(nested, options);
}

absl::StatusOr<Value> DecodeTensor(const Json& nested_json, const Json& json) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const NestedValue nested, DecodeNested(nested_json));
  TensorConstantOptions options{
      .int_dtype = kIntDType, .float_dtype = kFloatDType, .dtype = std::nullopt, .shape = std::nullopt};
  if (const Json* dtype = FindMember(json, "dtype"); dtype != nullptr && !dtype->is_null()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.dtype, DecodeDType(*dtype));
  }
  if (const Json* shape = FindMember(json, "shape"); shape != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.shape, DecodeShape(*shape));
  }
  return TensorConstant(nested, options);
}

absl::StatusOr<Value> DecodeRagged(const Json& json) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const NestedValue nested, DecodeNested(json.at("$ragged")));
  RaggedConstantOptions options;
  options.int_dtype = kIntDType;
  options.float_dtype = kFloatDType;
  if (const Json* dtype = FindMember(json, "dtype"); dtype != nullptr && !dtype->is_null()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.dtype, DecodeDType(*dtype));
  }
  if (const Json* rank = FindMember(json, "ragged_rank"); rank != nullptr && !rank->is_null()) {
    options.ragged_rank = rank->get<int>();
  }
  if (const Json* shape = FindMember(json, "inner_shape"); shape != nullptr && !shape->is_null()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.inner_shape, DecodeShape(*shape));
  }
  if (const Json* dtype = FindMember(json, "row_splits_dtype"); dtype != nullptr && !dtype->is_null()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.row_splits_dtype, DecodeDType(*dtype));
  }
  return RaggedConstant(nested, options);
}

}  // namespace

absl::Status Malformed(const Json& json, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", ToAbsl(expected), ", found ", json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

const Json* FindMember(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

std::string DTypeText(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return "float32";
    case DType::kDouble:
      return "float64";
    case DType::kBytes:
      return "string";
    default:
      return std::string(DTypeName(dtype));
  }
}

absl::StatusOr<DType> DecodeDType(const Json& json) {
  for (const DType dtype : kAllDTypes) {
    if (json == DTypeText(dtype)) return dtype;
  }
  return Malformed(json, "a dtype");
}

absl::StatusOr<Shape> DecodeShape(const Json& json) {
  if (const Json* content = FindMember(json, "$shape"); content != nullptr) return DecodeShape(*content);
  if (json.is_null()) return Shape::UnknownRank();
  if (!json.is_array()) return Malformed(json, "a shape");
  std::vector<int64_t> dims;
  for (const Json& dim : json) {
    if (!dim.is_null() && !dim.is_number_integer()) return Malformed(json, "a shape");
    dims.push_back(dim.is_null() ? kUnknownDimension : dim.get<int64_t>());
  }
  return Shape(dims);
}

Json EncodeFloat(double value) {
  if (std::isnan(value)) return {{"$float", "nan"}};
  if (std::isinf(value)) return {{"$float", value > 0 ? "inf" : "-inf"}};
  return value;
}

Json EncodeText(std::string_view text) {
  if (wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(text.data()), text.size())) return std::string(text);
  return {{"$bytes", ToHex(text)}};
}

absl::StatusOr<NestedValue> DecodeNested(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return NestedValue();
    case Json::value_t::boolean:
      return NestedValue(json.get<bool>());
    case Json::value_t::number_integer:
      return NestedValue(json.get<int64_t>());
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return NestedValue(json.get<int64_t>());
      return NestedValue(json.get<uint64_t>());
    case Json::value_t::number_float:
      return NestedValue(json.get<double>());
    case Json::value_t::string:
      return NestedValue(json.get<std::string>());
    case Json::value_t::array:
      return DecodeNestedList(json);
    default:
      break;
  }
  if (const Json* content = FindMember(json, "$tuple"); content != nullptr) return DecodeNestedList(*content);
  if (const Json* content = FindMember(json, "$int"); content != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the integer ", content->get<std::string>(), " does not fit in 64 bits"));
  }
  if (const Json* content = FindMember(json, "$npint"); content != nullptr) return DecodeNested(*content);
  if (const Json* content = FindMember(json, "$float"); content != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const double value, DecodeFloat(*content));
    return NestedValue(value);
  }
  if (const Json* content = FindMember(json, "$bytes"); content != nullptr) {
    return NestedValue(NestedValue::Bytes{std::string(absl::HexStringToBytes(content->get<std::string>()))});
  }
  NestedValue::Dict dict;
  for (const auto& [name, member] : json.items()) {
    if (name.starts_with('$')) return Malformed(json, "a Python value");
    STRUCTTENSOR_ASSIGN_OR_RETURN(NestedValue value, DecodeNested(member));
    dict.emplace_back(name, std::move(value));
  }
  return NestedValue(std::move(dict));
}

Json EncodeNested(const NestedValue& nested) {
  if (const auto* value = nested.get_if<bool>()) return *value;
  if (const auto* value = nested.get_if<int64_t>()) return *value;
  if (const auto* value = nested.get_if<uint64_t>()) return *value;
  if (const auto* value = nested.get_if<double>()) return EncodeFloat(*value);
  if (const auto* value = nested.get_if<std::string>()) return EncodeText(*value);
  if (const auto* value = nested.get_if<NestedValue::Bytes>()) return EncodeText(value->value);
  if (const NestedValue::List* list = nested.list()) {
    Json items = Json::array();
    for (const NestedValue& item : *list) items.push_back(EncodeNested(item));
    return items;
  }
  if (const NestedValue::Dict* dict = nested.dict()) {
    Json members = Json::object();
    for (const auto& [name, value] : *dict) members[name] = EncodeNested(value);
    return members;
  }
  return nullptr;
}

absl::StatusOr<std::vector<Field>> DecodeFields(const Json& json) {
  if (!json.is_object()) return Malformed(json, "fields");
  std::vector<Field> fields;
  for (const auto& [name, member] : json.items()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, DecodeValue(member));
    fields.push_back({name, std::move(value)});
  }
  return fields;
}

absl::StatusOr<Value> DecodeFromFields(const Json& json) {
  const Json* fields_json = FindMember(json, "fields");
  if (fields_json == nullptr) return Malformed(json, "`fields`");
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, DecodeFields(*fields_json));
  FromFieldsOptions options;
  if (const Json* shape = FindMember(json, "shape"); shape != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(options.shape, DecodeShape(*shape));
  }
  if (const Json* nrows = FindMember(json, "nrows"); nrows != nullptr && !nrows->is_null())
    options.nrows = nrows->get<int64_t>();
  if (const Json* partitions = FindMember(json, "row_partitions"); partitions != nullptr && !partitions->is_null()) {
    options.row_partitions.emplace();
    for (const Json& partition : *partitions) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition decoded, DecodeRowPartition(partition));
      options.row_partitions->push_back(std::move(decoded));
    }
  }
  return FromFields(std::move(fields), options);
}

absl::StatusOr<Value> DecodeValue(const Json& json) {
  if (FindMember(json, "$st") != nullptr) return DecodeStruct(json);
  if (const Json* content = FindMember(json, "$stf"); content != nullptr) return DecodeFromFields(*content);
  if (const Json* content = FindMember(json, "$tensor"); content != nullptr) return DecodeTensor(*content, json);
  if (FindMember(json, "$ragged") != nullptr) return DecodeRagged(json);
  return DecodeTensor(json, Json());
}

}  // namespace structtensor::vectors
