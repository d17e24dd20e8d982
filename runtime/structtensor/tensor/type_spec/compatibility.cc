// Whether two specs have values in common, which of them is wider, and the narrowest spec that holds both.
//
// All three questions walk two specs in step. They differ only in how they compare two sizes. So there is one walk, Merge, with
// a rule. Merge returns the merged spec; the questions look at whether there is one.
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "structtensor/core/base/shared/shared_parts.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor {
namespace {

enum class Rule {
  kCompatible,  // sizes agree, or one is unknown
  kSubtype,     // the second's sizes are unknown or those of the first
  kCommon,      // sizes that differ become unknown
};

bool SizesPass(int64_t a, int64_t b, Rule rule) {
  if (a == b || rule == Rule::kCommon || b == kUnknownDimension) return true;
  return rule == Rule::kCompatible && a == kUnknownDimension;
}

int64_t Common(int64_t a, int64_t b) { return a == b ? a : kUnknownDimension; }

bool ShapesPass(const Shape& a, const Shape& b, Rule rule) {
  switch (rule) {
    case Rule::kCompatible:
      return a.IsCompatibleWith(b);
    case Rule::kSubtype:
      return a.IsSubtypeOf(b);
    case Rule::kCommon:
      return true;
  }
  return false;
}

// A type that may have absent elements, or optional rows, is wider than a type that may not.
bool FlagsPass(bool a, bool b, Rule rule) { return rule != Rule::kSubtype || !a || b; }

std::optional<TensorSpec> Merge(const TensorSpec& a, const TensorSpec& b, Rule rule) {
  if (a.dtype() != b.dtype() || !ShapesPass(a.shape(), b.shape(), rule) || !FlagsPass(a.nullable(), b.nullable(), rule)) {
    return std::nullopt;
  }
  return TensorSpec(a.shape().MostSpecificCompatible(b.shape()), a.dtype(), a.nullable() || b.nullable());
}

std::optional<RowPartitionSpec> Merge(const RowPartitionSpec& a, const RowPartitionSpec& b, Rule rule) {
  if (a.dtype != b.dtype || !SizesPass(a.nrows, b.nrows, rule) || !SizesPass(a.nvals, b.nvals, rule) ||
      !SizesPass(a.uniform_row_length, b.uniform_row_length, rule) || !FlagsPass(b.optional, a.optional, rule)) {
    return std::nullopt;
  }
  return RowPartitionSpec{.nrows = Common(a.nrows, b.nrows),
                          .nvals = Common(a.nvals, b.nvals),
                          .uniform_row_length = Common(a.uniform_row_length, b.uniform_row_length),
                          .optional = a.optional && b.optional,
                          .dtype = a.dtype};
}

// Requires: equally many partitions.
std::optional<std::vector<RowPartitionSpec>> Merge(const std::vector<RowPartitionSpec>& a,
                                                   const std::vector<RowPartitionSpec>& b, Rule rule) {
  std::vector<RowPartitionSpec> merged;
  merged.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    std::optional<RowPartitionSpec> partition = Merge(a[i], b[i], rule);
    if (!partition) return std::nullopt;
    merged.push_back(*partition);
  }
  return merged;
}

std::optional<TypeSpec> Merge(const RaggedTensorSpec& a, const RaggedTensorSpec& b, Rule rule) {
  if (a.dtype() != b.dtype() || a.ragged_rank() != b.ragged_rank() || a.row_splits_dtype() != b.row_splits_dtype() ||
      !ShapesPass(a.shape(), b.shape(), rule) || !FlagsPass(a.nullable(), b.nullable(), rule)) {
    return std::nullopt;
  }
  std::optional<std::vector<RowPartitionSpec>> partitions = Merge(a.row_partitions(), b.row_partitions(), rule);
  std::optional<TensorSpec> flat_values = Merge(a.flat_values(), b.flat_values(), rule);
  if (!partitions || !flat_values) return std::nullopt;
  if (partitions->empty() || !flat_values->shape().rank_known()) {
    return RaggedTensorSpec(a.shape().MostSpecificCompatible(b.shape()), a.dtype(), a.ragged_rank(), flat_values->nullable(),
                            a.row_splits_dtype());
  }
  return RaggedTensorSpec(*std::move(partitions), *std::move(flat_values));
}

// How many of the innermost axes are dense. Dense fields stay dense under these partitions, and become ragged outside them.
size_t CountDenseInnerAxes(const std::vector<RowPartitionSpec>& partitions) {
  size_t count = 0;
  for (auto partition = partitions.rbegin(); partition != partitions.rend(); ++partition, ++count) {
    if (partition->uniform_row_length == kUnknownDimension || partition->optional) break;
  }
  return count;
}

std::optional<TypeSpec> Merge(const TypeSpec& a, const TypeSpec& b, Rule rule);

enum class FieldForm {
  kFlat,    // as structs keep them
  kOneRow,  // as scalar structs keep them: in several ways for equal rows
  kWhole,   // as a reader sees them
};

std::optional<TypeSpec> MergeField(const StructuredTensorSpec& a, size_t a_index, const StructuredTensorSpec& b, size_t b_index,
                                   FieldForm form, Rule rule) {
  if (form != FieldForm::kWhole) {
    std::optional<TypeSpec> flat = Merge(a.flat_fields()[a_index].spec, b.flat_fields()[b_index].spec, rule);
    if (flat || form == FieldForm::kFlat) return flat;
  }
  std::optional<TypeSpec> whole = Merge(a.field_spec(a_index), b.field_spec(b_index), rule);
  if (!whole || form == FieldForm::kWhole) return whole;
  absl::StatusOr<TypeSpec> row = Stacked(*whole, 1);
  return row.ok() ? std::optional<TypeSpec>(*std::move(row)) : std::nullopt;
}

// The merged fields, in the order of `a`; nullopt if a field is missing in `b`, or has nothing in common with the field in `b`.
std::optional<std::vector<FieldSpec>> MergeFields(const StructuredTensorSpec& a, const StructuredTensorSpec& b, FieldForm form,
                                                  Rule rule) {
  std::vector<FieldSpec> merged;
  merged.reserve(a.flat_fields().size());
  for (size_t i = 0; i < a.flat_fields().size(); ++i) {
    const std::string& name = a.flat_fields()[i].name;
    const FieldSpec* other = b.FindFlatField(name);
    if (other == nullptr) return std::nullopt;
    std::optional<TypeSpec> spec = MergeField(a, i, b, static_cast<size_t>(other - b.flat_fields().data()), form, rule);
    if (!spec) return std::nullopt;
    merged.push_back({name, *std::move(spec)});
  }
  return merged;
}

std::optional<TypeSpec> Merge(const StructuredTensorSpec& a, const StructuredTensorSpec& b, Rule rule) {
  if (a.kind() != b.kind() || a.shape_dtype() != b.shape_dtype() || a.flat_fields().size() != b.flat_fields().size() ||
      !ShapesPass(a.shape(), b.shape(), rule) || !FlagsPass(a.nullable(), b.nullable(), rule)) {
    return std::nullopt;
  }
  const bool nullable = a.nullable() || b.nullable();
  const bool ranks_agree = a.shape().rank_known() && b.shape().rank_known() && a.rank() == b.rank();
  if (ranks_agree && a.rank() >= 1) {
    // Equally deep partitions are compared once for all fields, and the fields are compared as they are kept.
    if (CountDenseInnerAxes(a.row_partitions()) != CountDenseInnerAxes(b.row_partitions())) return std::nullopt;
    std::optional<std::vector<RowPartitionSpec>> partitions = Merge(a.row_partitions(), b.row_partitions(), rule);
    if (!partitions) return std::nullopt;
    std::optional<std::vector<FieldSpec>> fields = MergeFields(a, b, FieldForm::kFlat, rule);
    if (!fields) return std::nullopt;
    return StructuredTensorSpec(a.shape().MostSpecificCompatible(b.shape()), *std::move(fields), a.kind(), nullable,
                                *std::move(partitions), a.shape_dtype());
  }
  // Structs of another rank are the same type only if all outer axes are dense, so that fields differ in their shapes only.
  if (CountDenseInnerAxes(a.row_partitions()) != a.row_partitions().size() ||
      CountDenseInnerAxes(b.row_partitions()) != b.row_partitions().size()) {
    return std::nullopt;
  }
  std::optional<std::vector<FieldSpec>> fields = MergeFields(a, b, ranks_agree ? FieldForm::kOneRow : FieldForm::kWhole, rule);
  if (!fields) return std::nullopt;
  return StructuredTensorSpec(a.shape().MostSpecificCompatible(b.shape()), *std::move(fields), a.kind(), nullable, {},
                              a.shape_dtype());
}

std::optional<TypeSpec> Merge(const ExtensionTypeSpec& a, const ExtensionTypeSpec& b, Rule rule) {
  thread_local std::array<base_internal::SharedParts<std::optional<TypeSpec>, 2>, 3> known;  // one for each rule
  return known[static_cast<size_t>(rule)].ResultOf(
      {a.weak_from_this().lock(), b.weak_from_this().lock()}, [&]() -> std::optional<TypeSpec> {
        std::shared_ptr<const ExtensionTypeSpec> merged = a.MostSpecificCompatibleType(b);
        if (merged == nullptr) return std::nullopt;
        if (rule == Rule::kCompatible && !a.IsCompatibleWith(b)) return std::nullopt;
        if (rule == Rule::kSubtype && !a.IsSubtypeOf(b)) return std::nullopt;
        return TypeSpec(std::move(merged));
      });
}

// The spec as a tensor, if it may be one: a tensor, or a ragged tensor that has no partitions before it is stacked.
std::optional<TensorSpec> AsTensor(const TypeSpec& spec) {
  if (spec.tensor() != nullptr) return *spec.tensor();
  const RaggedTensorSpec* ragged = spec.ragged();
  if (ragged == nullptr || ragged->ragged_rank() != 0) return std::nullopt;
  return TensorSpec(ragged->shape(), ragged->dtype(), ragged->nullable());
}

std::optional<TypeSpec> Merge(const TypeSpec& a, const TypeSpec& b, Rule rule) {
  if (a.tensor() != nullptr && b.tensor() != nullptr) {
    std::optional<TensorSpec> merged = Merge(*a.tensor(), *b.tensor(), rule);
    return merged ? std::optional<TypeSpec>(*std::move(merged)) : std::nullopt;
  }
  if (a.ragged() != nullptr && b.ragged() != nullptr) return Merge(*a.ragged(), *b.ragged(), rule);
  if (a.structured() != nullptr && b.structured() != nullptr) return Merge(*a.structured(), *b.structured(), rule);
  if (a.extension() != nullptr && b.extension() != nullptr) return Merge(*a.extension(), *b.extension(), rule);
  if (a.row_partition() != nullptr && b.row_partition() != nullptr) {
    std::optional<RowPartitionSpec> merged = Merge(*a.row_partition(), *b.row_partition(), rule);
    return merged ? std::optional<TypeSpec>(*merged) : std::nullopt;
  }
  if (rule != Rule::kCompatible) return std::nullopt;
  const std::optional<TensorSpec> a_tensor = AsTensor(a);
  const std::optional<TensorSpec> b_tensor = AsTensor(b);
  if (!a_tensor || !b_tensor) return std::nullopt;
  std::optional<TensorSpec> merged = Merge(*a_tensor, *b_tensor, rule);
  return merged ? std::optional<TypeSpec>(*std::move(merged)) : std::nullopt;
}

}  // namespace

bool TypeSpec::IsCompatibleWith(const TypeSpec& other) const { return Merge(*this, other, Rule::kCompatible).has_value(); }

bool TypeSpec::IsSubtypeOf(const TypeSpec& other) const { return Merge(*this, other, Rule::kSubtype).has_value(); }

std::optional<TypeSpec> TypeSpec::MostSpecificCompatibleType(const TypeSpec& other) const {
  return Merge(*this, other, Rule::kCommon);
}

std::string_view TypeSpec::value_type() const {
  if (tensor() != nullptr) return "Tensor";
  if (ragged() != nullptr) return "RaggedTensor";
  if (structured() != nullptr) return "StructuredTensor";
  return row_partition() != nullptr ? "RowPartition" : extension()->type_name();
}

}  // namespace structtensor
