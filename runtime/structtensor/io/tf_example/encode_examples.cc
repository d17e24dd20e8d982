#include "structtensor/io/tf_example/encode_examples.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/wire/shared/append.h"
#include "structtensor/io/tf_example/internal/feature_columns.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using tf_example_internal::FeatureKind;

// A field as lists of values. Row i has the values [row_splits[i], row_splits[i + 1]).
struct ListField {
  std::string name;
  FeatureKind kind;
  Tensor values;
  std::vector<int64_t> row_splits;
  bool one_value;  // each row has one value, so an absent value is a feature that is left out
};

absl::Status WrongField(std::string_view name, std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(name), ": ", ToAbsl(text)));
}

absl::StatusOr<FeatureKind> KindOfField(std::string_view name, DType dtype) {
  if (IsStringLike(dtype)) return FeatureKind::kBytes;
  if (IsFloating(dtype)) return FeatureKind::kFloat;
  if (IsInteger(dtype) || dtype == DType::kBool) return FeatureKind::kInt64;
  return WrongField(name,
                    absl::StrCat("a tf.Example has no ", std::string(DTypeName(dtype)), "; cast it to int64, or leave it out"));
}

absl::StatusOr<ListField> ListsOf(std::string_view name, const Value& value, int64_t nrows) {
  const Tensor* values = value.tensor();
  std::vector<int64_t> row_splits;
  bool one_value = false;
  Tensor flat = Tensor::Scalar(int64_t{0});
  if (values != nullptr) {
    flat = *values;
    const int64_t row_elements = nrows == 0 ? 0 : flat.size_elements() / nrows;
    for (int64_t row = 0; row <= nrows; ++row) row_splits.push_back(row * row_elements);
    one_value = flat.rank() == 1;
  } else if (const RaggedTensor* ragged = value.ragged()) {
    if (ragged->ragged_rank() != 1)
      return WrongField(name, "it is nested deeper than lists; a tf.Example has no lists of lists");
    flat = ragged->flat_values();
    const int64_t outer = flat.nrows();
    const int64_t row_elements = outer == 0 ? 0 : flat.size_elements() / outer;
    for (const int64_t split : ragged->row_splits().span()) row_splits.push_back(split * row_elements);
  } else {
    return WrongField(name, "it has structs; a tf.Example has values and lists of them only, which promote() brings up");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const FeatureKind kind, KindOfField(name, flat.dtype()));
  return ListField{.name = std::string(name),
                   .kind = kind,
                   .values = flat.Reshape(Shape({flat.size_elements()})),
                   .row_splits = std::move(row_splits),
                   .one_value = one_value};
}

int64_t SignedAt(const Tensor& values, size_t i, bool* fits) {
  *fits = true;
  switch (values.dtype()) {
    case DType::kBool:
      return values.values<uint8_t>()[i];
    case DType::kInt32:
      return values.values<int32_t>()[i];
    case DType::kUint32:
      return values.values<uint32_t>()[i];
    case DType::kUint64: {
      const uint64_t value = values.values<uint64_t>()[i];
      *fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      return static_cast<int64_t>(value);
    }
    default:
      return values.values<int64_t>()[i];
  }
}

float FloatAt(const Tensor& values, size_t i, bool* fits) {
  *fits = true;
  switch (values.dtype()) {
    case DType::kFloat:
      return values.values<float>()[i];
    case DType::kFloat16:
      return static_cast<float>(values.values<Float16>()[i]);
    case DType::kBfloat16:
      return static_cast<float>(values.values<BFloat16>()[i]);
    default: {
      const double value = values.values<double>()[i];
      const auto result = static_cast<float>(value);
      *fits = !std::isinf(result) || std::isinf(value);
      return result;
    }
  }
}

void AppendLength(uint32_t number, const std::string& content, std::string& out) {
  wire_internal::AppendTag(number, plan::kLen, out);
  wire_internal::AppendVarint(content.size(), out);
  out += content;
}

// Appends the values of a row to `list`, the content of a BytesList, FloatList or Int64List.
absl::Status AppendValues(const ListField& field, int64_t row, std::string& list) {
  std::string packed;
  const auto begin = field.row_splits[static_cast<size_t>(row)], end = field.row_splits[static_cast<size_t>(row) + 1];
  for (int64_t i = begin; i < end; ++i) {
    if (!field.values.is_valid(i)) {
      return absl::InvalidArgumentError(absl::StrCat("row ", row, ": field ", field.name, ": element ", i - begin,
                                                     " is absent; lists of a tf.Example have all elements"));
    }
    bool fits = true;
    if (field.kind == FeatureKind::kBytes) {
      wire_internal::AppendBytes(1, field.values.string_at(i), list);
    } else if (field.kind == FeatureKind::kInt64) {
      wire_internal::AppendVarint(static_cast<uint64_t>(SignedAt(field.values, static_cast<size_t>(i), &fits)), packed);
    } else {
      const auto bits = std::bit_cast<uint32_t>(FloatAt(field.values, static_cast<size_t>(i), &fits));
      for (int shift = 0; shift < 32; shift += 8) packed += static_cast<char>(bits >> shift);
    }
    if (!fits) {
      return absl::OutOfRangeError(absl::StrCat("row ", row, ": field ", field.name, ": element ", i - begin,
                                                " is too large for ",
                                                field.kind == FeatureKind::kInt64 ? "an int64" : "a float"));
    }
  }
  if (!packed.empty()) AppendLength(1, packed, list);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> EncodeExamples(const StructuredTensor& rows) {
  if (rows.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tf.Example is a row of a structured tensor of rank 1, not ", rows.rank()));
  }
  const int64_t nrows = rows.nrows();
  if (rows.nullable()) {
    for (int64_t row = 0; row < nrows; ++row) {
      if (!rows.validity().is_valid(row)) return absl::InvalidArgumentError(absl::StrCat("row ", row, " is absent"));
    }
  }
  std::vector<ListField> fields;
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(ListField field, ListsOf(rows.field_names()[i], rows.field_value(i), nrows));
    fields.push_back(std::move(field));
  }
  std::ranges::sort(fields, {}, &ListField::name);
  std::vector<std::string> serialized;
  serialized.reserve(static_cast<size_t>(nrows));
  std::string features, entry, feature, list;
  for (int64_t row = 0; row < nrows; ++row) {
    features.clear();
    for (const ListField& field : fields) {
      if (field.one_value && !field.values.is_valid(field.row_splits[static_cast<size_t>(row)])) continue;
      list.clear();
      STRUCTTENSOR_RETURN_IF_ERROR(AppendValues(field, row, list));
      feature.clear();
      AppendLength(static_cast<uint32_t>(field.kind), list, feature);
      entry.clear();
      AppendLength(1, field.name, entry);
      AppendLength(2, feature, entry);
      AppendLength(1, entry, features);
    }
    std::string& example = serialized.emplace_back();
    AppendLength(1, features, example);
  }
  return serialized;
}

}  // namespace structtensor
