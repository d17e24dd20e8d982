#include "columns.h"

#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::tensorflow {
namespace {

class Flattener {
 public:
  explicit Flattener(bool absent_is_default) : absent_is_default_(absent_is_default) {}

  absl::Status Structs(const StructuredTensor& structs, const std::string& path) {
    for (const RowPartition& partition : structs.row_partitions()) Splits(partition, path);
    for (int64_t row = 0; !absent_is_default_ && structs.nullable() && row < structs.flat_nrows(); ++row) {
      if (!structs.validity().is_valid(row)) return Absent(path);
    }
    for (size_t i = 0; i < structs.num_fields(); ++i) {
      const std::string& name = structs.field_names()[i];
      STRUCTTENSOR_RETURN_IF_ERROR(Field(structs.flat_field(i), path.empty() ? name : absl::StrCat(path, ".", name)));
    }
    return absl::OkStatus();
  }

  std::vector<Column> Take() { return std::move(columns_); }

 private:
  absl::Status Field(const Value& value, const std::string& path) {
    if (const StructuredTensor* structs = value.structured()) return Structs(*structs, path);
    if (const RaggedTensor* ragged = value.ragged()) {
      for (const RowPartition& partition : ragged->row_partitions()) Splits(partition, path);
      return Elements(ragged->flat_values(), path);
    }
    if (value.tensor() == nullptr) return absl::UnimplementedError(absl::StrCat(path, ": an extension type"));
    return Elements(*value.tensor(), path);
  }

  absl::Status Elements(const Tensor& tensor, const std::string& path) {
    bool has_absent = false;
    for (int64_t i = 0; tensor.nullable() && i < tensor.size_elements(); ++i) has_absent = has_absent || !tensor.is_valid(i);
    if (!has_absent) {
      columns_.push_back({path, tensor});
      return absl::OkStatus();
    }
    if (!absent_is_default_ || !IsStoredAs<int64_t>(tensor.dtype())) return Absent(path);
    const std::span<const int64_t> times = tensor.values<int64_t>();
    std::vector<int64_t> filled(times.begin(), times.end());
    for (size_t i = 0; i < filled.size(); ++i) {
      if (!tensor.is_valid(static_cast<int64_t>(i))) filled[i] = 0;
    }
    columns_.push_back({path, Tensor::FromVector(std::move(filled))});
    return absl::OkStatus();
  }

  void Splits(const RowPartition& partition, const std::string& path) { columns_.push_back({path, partition}); }

  static absl::Status Absent(const std::string& path) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": a time is out of range for its unit, so a tensor cannot hold it; decode with timestamps=\"us\", or "
                     "with well_known_types=\"structs\""));
  }

  const bool absent_is_default_;
  std::vector<Column> columns_;
};

}  // namespace

DType Column::dtype() const {
  const auto* const elements = std::get_if<Tensor>(&values);
  return elements == nullptr ? DType::kInt64 : elements->dtype();
}

std::string Column::name() const {
  return std::holds_alternative<RowPartition>(values) ? absl::StrCat(path, "/row_splits") : path;
}

absl::StatusOr<std::vector<Column>> ColumnsOf(const StructuredTensor& rows, bool absent_is_default) {
  Flattener flattener(absent_is_default);
  STRUCTTENSOR_RETURN_IF_ERROR(flattener.Structs(rows, ""));
  return flattener.Take();
}

TF_DataType TensorFlowDType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return TF_BOOL;
    case DType::kInt32:
      return TF_INT32;
    case DType::kUint32:
      return TF_UINT32;
    case DType::kUint64:
      return TF_UINT64;
    case DType::kFloat:
      return TF_FLOAT;
    case DType::kDouble:
      return TF_DOUBLE;
    case DType::kString:
    case DType::kBytes:
      return TF_STRING;
    default:
      return TF_INT64;  // also times; messages have no other numbers
  }
}

}  // namespace structtensor::tensorflow
