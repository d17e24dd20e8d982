// Values written as JSON, and results read back as JSON.
#ifndef STRUCTTENSOR_TESTS_TENSOR_OPS_OPS_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_OPS_OPS_TESTUTIL_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/nested_value.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

inline NestedValue Nested(const nlohmann::ordered_json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    NestedValue::List list;
    for (const auto& item : json) list.push_back(Nested(item));
    return list;
  }
  NestedValue::Dict dict;
  for (const auto& [name, item] : json.items()) dict.emplace_back(name, Nested(item));
  return dict;
}

// As Constant(), but all lists in lists are ragged.
inline Value Make(const std::string& json) {
  return Constant(Nested(nlohmann::ordered_json::parse(json)), {.dense_axes = false}).value();
}
// Dense lists of numbers, strings or booleans.
inline Tensor MakeTensor(const std::string& json) {
  return TensorConstant(Nested(nlohmann::ordered_json::parse(json))).value();
}

inline RowPartition Splits(std::vector<int64_t> row_splits, RowPartition::Optional optional = RowPartition::Optional::kNo) {
  return RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(row_splits)), optional).value();
}
inline RowPartition Uniform(int64_t length, int64_t nrows) { return RowPartition::FromUniformRowLength(length, nrows).value(); }

inline Validity Bits(const std::vector<bool>& present) {
  std::vector<uint8_t> bytes(present.size() / 8 + 1);
  for (size_t i = 0; i < present.size(); ++i) {
    if (present[i]) bytes[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bytes)));
}

// The result as JSON, or its error as text.
inline std::string Json(const absl::StatusOr<Value>& value) { return value.ok() ? ToJson(*value) : value.status().ToString(); }
inline std::string Json(const absl::StatusOr<Tensor>& value) { return value.ok() ? ToJson(*value) : value.status().ToString(); }
inline std::string Json(const absl::StatusOr<RaggedTensor>& value) {
  return value.ok() ? ToJson(*value) : value.status().ToString();
}
inline std::string Json(const absl::StatusOr<std::vector<Value>>& values) {
  if (!values.ok()) return values.status().ToString();
  std::string text;
  for (const Value& value : *values) text += (text.empty() ? "" : " ") + ToJson(value);
  return text;
}

inline std::string ShapeOf(const absl::StatusOr<Value>& value) {
  return value.ok() ? value->shape().DebugString() : value.status().ToString();
}

// Structs with an int64 field x, a ragged one of strings, and another struct; three rows.
inline Value Docs() {
  return Make(R"([{"x":1,"y":["a"],"z":{"w":0.5}},{"x":2,"y":[],"z":{"w":1.5}},{"x":3,"y":["b","cd"],"z":{"w":2.5}}])");
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_OPS_OPS_TESTUTIL_H_
