#include "structtensor/tensor/values/equality.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace structtensor {
namespace {

bool SamePartitionTypes(const std::vector<RowPartition>& a, const std::vector<RowPartition>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].uniform_row_length() != b[i].uniform_row_length() || a[i].is_optional() != b[i].is_optional() ||
        a[i].dtype() != b[i].dtype()) {
      return false;
    }
  }
  return true;
}

bool SameTypeOfTensors(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.rank() != b.rank()) return false;
  return a.rank() == 0 || a.shape().DropOuter(1) == b.shape().DropOuter(1);
}

// Does not compare the number of rows.
bool SameTypeOfRows(const Value& a, const Value& b) {
  if (a.tensor() != nullptr && b.tensor() != nullptr) return SameTypeOfTensors(*a.tensor(), *b.tensor());
  if (a.ragged() != nullptr && b.ragged() != nullptr) {
    return SamePartitionTypes(a.ragged()->row_partitions(), b.ragged()->row_partitions()) &&
           SameTypeOfTensors(a.ragged()->flat_values(), b.ragged()->flat_values());
  }
  if (a.extension() != nullptr && b.extension() != nullptr) return a.extension()->spec()->Equals(*b.extension()->spec());
  const StructuredTensor* a_structs = a.structured();
  const StructuredTensor* b_structs = b.structured();
  if (a_structs == nullptr || b_structs == nullptr) return false;
  if (a_structs->rank() != b_structs->rank() || a_structs->kind() != b_structs->kind() ||
      a_structs->shape_dtype() != b_structs->shape_dtype() || a_structs->num_fields() != b_structs->num_fields() ||
      !SamePartitionTypes(a_structs->row_partitions(), b_structs->row_partitions())) {
    return false;
  }
  const std::vector<std::string>& b_names = b_structs->field_names();
  for (size_t i = 0; i < a_structs->num_fields(); ++i) {
    const size_t j =
        static_cast<size_t>(std::find(b_names.begin(), b_names.end(), a_structs->field_names()[i]) - b_names.begin());
    if (j == b_names.size()) return false;
    // A scalar's flat fields have an axis of one row that is not visible; whether it is known to be uniform does not matter.
    const bool same = a_structs->rank() == 0
                          ? SameTypeOfRows(a_structs->stored_field_value(i), b_structs->stored_field_value(j))
                          : SameTypeOfRows(a_structs->flat_field(i), b_structs->flat_field(j));
    if (!same) return false;
  }
  return true;
}

// result[i]: whether the elements i are equal. Requires: equal dtypes and shapes.
Tensor CompareElements(const Tensor& a, const Tensor& b) {
  std::vector<uint8_t> result(static_cast<size_t>(a.size_elements()));
  const auto compare = [&](const auto& equal_at) {
    for (size_t i = 0; i < result.size(); ++i) {
      const int64_t element = static_cast<int64_t>(i);
      const bool valid = a.is_valid(element);
      const bool same = valid == b.is_valid(element) && (!valid || equal_at(i));
      result[i] = same ? 1 : 0;
    }
  };
  if (IsStringLike(a.dtype())) {
    compare([&](size_t i) { return a.string_at(static_cast<int64_t>(i)) == b.string_at(static_cast<int64_t>(i)); });
  } else {
    VisitStoredType(a.dtype(), [&]<typename T>() {
      const std::span<const T> a_values = a.values<T>();
      const std::span<const T> b_values = b.values<T>();
      compare([&](size_t i) { return a_values[i] == b_values[i]; });
    });
  }
  return Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(result)), a.shape(), DType::kBool);
}

}  // namespace

bool HaveSameType(const Value& a, const Value& b) {
  return a.rank() == b.rank() && (a.rank() == 0 || a.nrows() == b.nrows()) && SameTypeOfRows(a, b);
}

std::optional<Value> ElementsEqual(const Value& a, const Value& b) {
  if (!HaveSameType(a, b)) return std::nullopt;
  if (a.tensor() != nullptr) return CompareElements(*a.tensor(), *b.tensor());
  if (const RaggedTensor* ragged = a.ragged()) {
    if (ragged->row_partitions() != b.ragged()->row_partitions()) return std::nullopt;
    return RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(),
                                                    CompareElements(ragged->flat_values(), b.ragged()->flat_values()));
  }
  return Tensor::Scalar(a == b);
}

}  // namespace structtensor
