#include "dump.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "spec_text.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"

namespace structtensor::vectors {
namespace {

Json DumpDimension(int64_t dim) { return dim == kUnknownDimension ? Json(nullptr) : Json(dim); }

Json DumpShape(const Shape& shape) {
  Json dims = Json::array();
  for (const int64_t dim : shape.dims()) dims.push_back(DumpDimension(dim));
  return dims;
}

Json DumpElement(const Tensor& tensor, int64_t i) {
  if (!tensor.is_valid(i)) return nullptr;
  if (IsStringLike(tensor.dtype())) return EncodeText(tensor.string_at(i));
  if (tensor.dtype() == DType::kBool) return tensor.values<uint8_t>()[static_cast<size_t>(i)] != 0;
  return VisitStoredType(tensor.dtype(), [&]<typename T>() -> Json {
    const T value = tensor.values<T>()[static_cast<size_t>(i)];
    if constexpr (std::is_integral_v<T>) {
      return value;
    } else {
      return EncodeFloat(static_cast<double>(value));
    }
  });
}

// Elements from *next on, as nested lists of the shape's axes from `axis` on.
Json DumpElements(const Tensor& tensor, int axis, int64_t* next) {
  if (axis == tensor.rank()) return DumpElement(tensor, (*next)++);
  Json rows = Json::array();
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) rows.push_back(DumpElements(tensor, axis + 1, next));
  return rows;
}

Json DumpTensor(const Tensor& tensor) {
  int64_t next = 0;
  return {{"kind", "tensor"},
          {"dtype", DTypeText(tensor.dtype())},
          {"shape", DumpShape(tensor.shape())},
          {"values", DumpElements(tensor, 0, &next)}};
}

Json DumpSplits(const RowPartition& partition) {
  const std::span<const int64_t> splits = partition.row_splits().span();
  return std::vector<int64_t>(splits.begin(), splits.end());
}

Json DumpUniform(const RowPartition& partition) {
  const std::optional<int64_t> length = partition.uniform_row_length();
  return length.has_value() ? Json(*length) : Json(nullptr);
}

// Whether partitions fit into each other and around `nvals` rows.
absl::Status CheckSizes(std::span<const RowPartition> partitions, int64_t nvals, const std::string& path) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    const int64_t inner = i + 1 < partitions.size() ? partitions[i + 1].nrows() : nvals;
    if (partitions[i].nvals() != inner) {
      return absl::InternalError(absl::StrCat(path, ": row partition ", i, " has ", partitions[i].nvals(),
                                              " values, but there are ", inner, " rows inside"));
    }
  }
  return absl::OkStatus();
}

// Whether rows have the length that is said to be known of them.
absl::Status CheckRowLength(const RowPartition& partition, std::optional<int64_t> length, const std::string& path) {
  for (int64_t row = 0; length.has_value() && row < partition.nrows(); ++row) {
    if (partition.row_length(row) != *length) {
      return absl::InternalError(absl::StrCat(path, ": rows are said to have ", *length, " values, but row ", row, " has ",
                                              partition.row_length(row)));
    }
  }
  return absl::OkStatus();
}

// Whether what a shape knows of the partitioned axes is true.
absl::Status CheckShape(const Shape& shape, std::span<const RowPartition> partitions, const std::string& path) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    const int64_t nrows = shape[0], length = shape[static_cast<int>(i) + 1];
    if (i == 0 && nrows != kUnknownDimension && nrows != partitions[0].nrows()) {
      return absl::InternalError(
          absl::StrCat(path, ": the shape says ", nrows, " rows, but there are ", partitions[0].nrows()));
    }
    if (length == kUnknownDimension) continue;
    STRUCTTENSOR_RETURN_IF_ERROR(CheckRowLength(partitions[i], length, path));
  }
  return absl::OkStatus();
}

// Whether what a value says of itself holds for its data: in its partitions, its shape and its spec.
absl::Status CheckKnowledge(const Value& value, std::span<const RowPartition> partitions, int64_t nvals,
                            const std::string& path) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckSizes(partitions, nvals, path));
  for (const RowPartition& partition : partitions) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckRowLength(partition, partition.uniform_row_length(), path));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(CheckShape(value.shape(), partitions, path));
  return CheckShape(value.spec().shape(), partitions, absl::StrCat(path, " (spec)"));
}

absl::StatusOr<Json> DumpRagged(const RaggedTensor& ragged, const std::string& path) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckKnowledge(ragged, ragged.row_partitions(), ragged.flat_values().nrows(), path));
  Json splits = Json::array(), uniform = Json::array();
  DType splits_dtype = DType::kInt64;
  for (const RowPartition& partition : ragged.row_partitions()) {
    splits.push_back(DumpSplits(partition));
    uniform.push_back(DumpUniform(partition));
    splits_dtype = partition.dtype();
  }
  return Json{{"kind", "ragged"},
              {"dtype", DTypeText(ragged.flat_values().dtype())},
              {"shape", DumpShape(ragged.shape())},
              {"flat_values", DumpTensor(ragged.flat_values())},
              {"row_splits", std::move(splits)},
              {"row_splits_dtype", DTypeText(splits_dtype)},
              {"uniform_row_lengths", std::move(uniform)}};
}

absl::StatusOr<Json> DumpValue(const Value& value, const std::string& path);

absl::StatusOr<Json> DumpStruct(const StructuredTensor& structs, const std::string& path) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckKnowledge(structs, structs.row_partitions(), structs.flat_nrows(), path));
  Json partitions = Json::array();
  for (const RowPartition& partition : structs.row_partitions()) {
    partitions.push_back({{"row_splits", DumpSplits(partition)}, {"uniform_row_length", DumpUniform(partition)}});
    if (partition.dtype() != structs.shape_dtype()) {
      return absl::InternalError(absl::StrCat(path, ": a row partition has another dtype than shape_dtype"));
    }
  }
  Json fields = Json::object();
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    const std::string& name = structs.field_names()[i];
    const std::string field_path = absl::StrCat(path, path.empty() ? "" : ".", name);
    if (structs.flat_field(i).rank() == 0 || structs.flat_field(i).nrows() != structs.flat_nrows()) {
      return absl::InternalError(absl::StrCat(field_path, ": a flat field of other rows than its struct"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(fields[name], DumpValue(structs.field_value(i), field_path));
  }
  return Json{{"kind", "structured"},
              {"shape", DumpShape(structs.shape())},
              {"nrows", structs.rank() == 0 ? Json(nullptr) : Json(structs.nrows())},
              {"row_partitions", std::move(partitions)},
              {"shape_dtype", DTypeText(structs.shape_dtype())},
              {"fields", std::move(fields)}};
}

absl::StatusOr<Json> DumpValue(const Value& value, const std::string& path) {
  if (value.tensor() != nullptr) return DumpTensor(*value.tensor());
  if (value.ragged() != nullptr) return DumpRagged(*value.ragged(), path);
  if (value.structured() != nullptr) return DumpStruct(*value.structured(), path);
  return absl::UnimplementedError(absl::StrCat(path, ": values of extension types have no dump"));
}

Json DumpRowPartition(const RowPartition& partition) {
  const RowPartitionSpec spec = partition.spec();
  return {{"kind", "rowpart"},
          {"dtype", DTypeText(partition.dtype())},
          {"nrows", partition.nrows()},
          {"nvals", partition.nvals()},
          {"row_splits", DumpSplits(partition)},
          {"static", {DumpDimension(spec.nrows), DumpDimension(spec.nvals), DumpDimension(spec.uniform_row_length)}},
          {"uniform_row_length", DumpUniform(partition)}};
}

Json DumpRaggedShape(const DynamicRaggedShape& shape) {
  Json lengths = Json::array(), partitions = Json::array();
  for (const DynamicRaggedShape::Length& length : shape.lengths()) {
    lengths.push_back(std::visit([](const auto& sizes) { return Json(sizes); }, length));
  }
  for (const RowPartition& partition : shape.row_partitions()) partitions.push_back(DumpSplits(partition));
  return {{"kind", "shape"},
          {"dtype", DTypeText(shape.dtype())},
          {"inner_shape", DumpShape(shape.inner_shape())},
          {"num_row_partitions", shape.num_row_partitions()},
          {"repr", shape.DebugString()},
          {"row_partitions", std::move(partitions)},
          {"static_lengths", std::move(lengths)},
          {"static_shape", DumpShape(shape.static_shape())}};
}

}  // namespace

absl::StatusOr<Json> Dump(const Result& result) {
  struct Visitor {
    absl::StatusOr<Json> operator()(const Value& value) const { return DumpValue(value, ""); }
    absl::StatusOr<Json> operator()(const std::vector<Value>& values) const {
      Json items = Json::array();
      for (const Value& value : values) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(Json item, DumpValue(value, absl::StrCat("[", items.size(), "]")));
        items.push_back(std::move(item));
      }
      return Json{{"kind", "list"}, {"items", std::move(items)}};
    }
    absl::StatusOr<Json> operator()(const std::vector<RowPartition>& partitions) const {
      Json items = Json::array();
      for (const RowPartition& partition : partitions) items.push_back(DumpRowPartition(partition));
      return Json{{"kind", "list"}, {"items", std::move(items)}};
    }
    absl::StatusOr<Json> operator()(const RowPartition& partition) const {
      STRUCTTENSOR_RETURN_IF_ERROR(CheckRowLength(partition, partition.uniform_row_length(), "row partition"));
      return DumpRowPartition(partition);
    }
    absl::StatusOr<Json> operator()(const DynamicRaggedShape& shape) const { return DumpRaggedShape(shape); }
    absl::StatusOr<Json> operator()(const TypeSpec& spec) const {
      return Json{{"kind", "spec"}, {"value", TensorFlowText(spec)}};
    }
    absl::StatusOr<Json> operator()(const SpecText& spec) const { return Json{{"kind", "spec"}, {"value", spec.text}}; }
    absl::StatusOr<Json> operator()(const SparseResult& sparse) const {
      return Json{{"kind", "sparse"},
                  {"indices", DumpTensor(sparse.indices)["values"]},
                  {"values", DumpTensor(sparse.values)},
                  {"dense_shape", DumpTensor(sparse.dense_shape)["values"]}};
    }
    absl::StatusOr<Json> operator()(const Json& value) const { return Json{{"kind", "py"}, {"value", value}}; }
  };
  return std::visit(Visitor(), result);
}

}  // namespace structtensor::vectors
