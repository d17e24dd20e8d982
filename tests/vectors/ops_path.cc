// Updates and the operations on paths.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/with_only.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/struct_ops/without.h"

namespace structtensor::vectors {
namespace {

absl::StatusOr<StructuredTensor> PathInput(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  if (value.structured() == nullptr) return absl::InvalidArgumentError("the value is no structured tensor");
  return *value.structured();
}

absl::StatusOr<std::string> Text(const Json& json) {
  if (!json.is_string()) return Malformed(json, "the name of a field");
  return json.get<std::string>();
}

// A list or tuple of names; where TensorFlow allows it, also a name on its own.
absl::StatusOr<Path> DecodePath(const Json& json, bool name_allowed) {
  if (json.is_string() && name_allowed) return Path({Path::Step::Field(json.get<std::string>())});
  const Json* tuple = FindMember(json, "$tuple");
  const Json& names = tuple != nullptr ? *tuple : json;
  if (!names.is_array()) return Malformed(json, "a path, which is a list of names");
  std::vector<Path::Step> steps;
  for (const Json& name : names) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::string text, Text(name));
    steps.push_back(Path::Step::Field(std::move(text)));
  }
  return Path(std::move(steps));
}

// Functions of values: $fn.

// With each flat tensor replaced. Structs have no elements for functions to work on.
absl::StatusOr<Value> MapFlatValues(const Value& value, const std::function<absl::StatusOr<Tensor>(const Tensor&)>& function) {
  if (const Tensor* tensor = value.tensor()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor mapped, function(*tensor));
    return Value(std::move(mapped));
  }
  const RaggedTensor* ragged = value.ragged();
  if (ragged == nullptr) return absl::InvalidArgumentError("the function works on tensors and ragged tensors only");
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor mapped, function(ragged->flat_values()));
  return Value(RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), std::move(mapped)));
}

// function(element) of each number, as R if that is given, else in its own type.
template <typename R, typename Function>
absl::StatusOr<Tensor> MapNumbers(const Tensor& tensor, Function function) {
  const auto map = [&]<typename T>() {
    using Out = std::conditional_t<std::is_void_v<R>, T, R>;
    std::vector<Out> out;
    for (const T element : tensor.values<T>()) out.push_back(static_cast<Out>(function(element)));
    return Tensor::FromBuffer(Buffer<Out>::FromVector(std::move(out)), tensor.shape());
  };
  switch (tensor.dtype()) {
    case DType::kInt32:
      return map.template operator()<int32_t>();
    case DType::kInt64:
      return map.template operator()<int64_t>();
    case DType::kUint32:
      return map.template operator()<uint32_t>();
    case DType::kUint64:
      return map.template operator()<uint64_t>();
    case DType::kFloat:
      return map.template operator()<float>();
    case DType::kDouble:
      return map.template operator()<double>();
    default:
      return absl::InvalidArgumentError(absl::StrCat("the function works on numbers, not on ", DTypeText(tensor.dtype())));
  }
}

absl::StatusOr<Tensor> StringLengths(const Tensor& tensor) {
  if (!IsStringLike(tensor.dtype())) return absl::InvalidArgumentError("the function works on strings only");
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < tensor.size_elements(); ++i) lengths.push_back(static_cast<int32_t>(tensor.string_at(i).size()));
  return Tensor::FromBuffer(Buffer<int32_t>::FromVector(std::move(lengths)), tensor.shape());
}

// Sums of the rows of `numbers`, [n, ...] flattened, one for each row of the partition.
absl::StatusOr<Tensor> SumRows(const RowPartition& rows, const Tensor& numbers) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor checked, MapNumbers<void>(numbers, [](auto number) { return number; }));
  return VisitStoredType(checked.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
    if constexpr (std::is_arithmetic_v<T>) {
      std::vector<T> sums(static_cast<size_t>(rows.nrows()));
      for (int64_t i = 0; i < rows.nrows(); ++i) {
        for (int64_t j = rows.row(i).begin; j < rows.row(i).end; ++j) {
          sums[static_cast<size_t>(i)] =
              static_cast<T>(sums[static_cast<size_t>(i)] + checked.values<T>()[static_cast<size_t>(j)]);
        }
      }
      return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(sums)), numbers.dtype());
    } else {
      return absl::InvalidArgumentError("the function works on numbers only");
    }
  });
}

absl::StatusOr<Tensor> SumLastAxis(const Tensor& tensor) {
  if (tensor.rank() == 0) return absl::InvalidArgumentError("a scalar has no axis to be summed");
  const int64_t length = tensor.shape()[tensor.rank() - 1];
  const Shape outer = tensor.shape().Outer(tensor.rank() - 1);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition rows, RowPartition::FromUniformRowLength(length, outer.num_elements()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor sums, SumRows(rows, tensor));
  return sums.Reshape(outer);
}

absl::StatusOr<Value> ReduceLast(const Value& value) {
  const RaggedTensor* ragged = value.ragged();
  if (ragged == nullptr || ragged->flat_values().rank() > 1) return MapFlatValues(value, SumLastAxis);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor sums, SumRows(ragged->row_partitions().back(), ragged->flat_values()));
  std::vector<RowPartition> outer(ragged->row_partitions().begin(), ragged->row_partitions().end() - 1);
  if (outer.empty()) return Value(std::move(sums));
  return Value(RaggedTensor::FromRowPartitionsUnchecked(std::move(outer), std::move(sums)));
}

absl::StatusOr<Value> FirstRow(const Value& value) {
  if (value.rank() == 0) return absl::InvalidArgumentError("a scalar has no rows");
  return value.SliceRows(0, std::min<int64_t>(1, value.nrows()));
}

absl::StatusOr<Value> DropNestedX(const Value& value) {
  if (value.structured() == nullptr) return absl::InvalidArgumentError("the function works on structs only");
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor without, Without(*value.structured(), {{"x"}}));
  return Value(std::move(without));
}

absl::StatusOr<Update::Function> DecodeFunction(const Json& json) {
  const std::string name = json.is_string() ? json.get<std::string>() : "";
  const auto numbers = [](auto function) {
    return [function](const Value& value) {
      return MapFlatValues(value, [function](const Tensor& tensor) { return MapNumbers<void>(tensor, function); });
    };
  };
  if (name == "identity") return Update::Function([](const Value& value) -> absl::StatusOr<Value> { return value; });
  if (name == "add1") return Update::Function(numbers([](auto number) { return number + 1; }));
  if (name == "double") return Update::Function(numbers([](auto number) { return number * 2; }));
  if (name == "to_int64") {
    return Update::Function([](const Value& value) {
      return MapFlatValues(
          value, [](const Tensor& tensor) { return MapNumbers<int64_t>(tensor, [](auto number) { return number; }); });
    });
  }
  if (name == "first_row") return Update::Function(FirstRow);
  if (name == "reduce_last") return Update::Function(ReduceLast);
  if (name == "expand_last") return Update::Function([](const Value& value) { return ExpandDims(value, -1); });
  if (name == "strlen") {
    return Update::Function([](const Value& value) { return MapFlatValues(value, StringLengths); });
  }
  if (name == "drop_nested_x") return Update::Function(DropNestedX);
  if (name == "none") {
    return Update::Function(
        [](const Value&) -> absl::StatusOr<Value> { return absl::InvalidArgumentError("the function returned nothing"); });
  }
  return Malformed(json, "the name of a function");
}

// [path, value], where the value may be null, for a deletion, or a function.
absl::StatusOr<Update> DecodeUpdate(const Json& json) {
  if (!json.is_array() || json.size() != 2) return Malformed(json, "an update, which is a path and a value");
  STRUCTTENSOR_ASSIGN_OR_RETURN(Path path, DecodePath(json[0], /*name_allowed=*/true));
  if (json[1].is_null()) return Update::Delete(std::move(path));
  if (const Json* function = FindMember(json[1], "$fn")) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Update::Function decoded, DecodeFunction(*function));
    return Update::Transform(std::move(path), std::move(decoded));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, DecodeValue(json[1]));
  return Update::Set(std::move(path), std::move(value));
}

absl::StatusOr<Result> RunWithUpdates(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, PathInput(one));
  std::vector<Update> updates;
  for (const Json& json : one.args.at("updates")) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Update update, DecodeUpdate(json));
    updates.push_back(std::move(update));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor updated, WithUpdates(structs, updates));
  return Result(Value(std::move(updated)));
}

absl::StatusOr<std::vector<Path>> DecodeNames(const Case& one) {
  std::vector<Path> paths;
  for (const Json& json : one.args.at("names")) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Path path, DecodePath(json, /*name_allowed=*/true));
    paths.push_back(std::move(path));
  }
  return paths;
}

absl::StatusOr<Result> RunWithout(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, PathInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Path> paths, DecodeNames(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor result, Without(structs, paths));
  return Result(Value(std::move(result)));
}

absl::StatusOr<Result> RunWithOnly(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, PathInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Path> paths, DecodeNames(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor result, WithOnly(structs, paths));
  return Result(Value(std::move(result)));
}

absl::StatusOr<Result> RunPromote(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, PathInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path source, DecodePath(one.args.at("source_path"), /*name_allowed=*/false));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string new_name, Text(one.args.at("new_name")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      StructuredTensor result,
      Promote(structs, source, source.Prefix(source.size() < 2 ? 0 : source.size() - 2).Child(new_name)));
  return Result(Value(std::move(result)));
}

absl::StatusOr<Result> RunBroadcast(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, PathInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path source, DecodePath(one.args.at("source_path"), /*name_allowed=*/true));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path target, DecodePath(one.args.at("target_path"), /*name_allowed=*/true));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string new_name, Text(one.args.at("new_name")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor result, Broadcast(structs, source, target.Child(new_name)));
  return Result(Value(std::move(result)));
}

}  // namespace

void RegisterPathOps(Registry& registry) {
  registry["with_updates"] = RunWithUpdates;
  registry["without"] = RunWithout;
  registry["with_only"] = RunWithOnly;
  registry["promote"] = RunPromote;
  registry["broadcast"] = RunBroadcast;
}

}  // namespace structtensor::vectors
