// Specs as text: one line for messages, a tree for people.
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/shared_parts.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor {
namespace {

void AppendDimension(int64_t dim, bool optional, std::string& out) {
  if (optional) {
    out += "0..1";
  } else if (dim == kUnknownDimension) {
    out += "None";
  } else {
    absl::StrAppend(&out, dim);
  }
}

// Appends `shape`. Axis i + 1 is the axis of row_partitions[i], if there is such a partition.
void AppendShape(const Shape& shape, std::span<const RowPartitionSpec> row_partitions, std::string& out) {
  if (!shape.rank_known()) {
    out += "None";
    return;
  }
  out += '[';
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) out += ", ";
    const bool partitioned = axis > 0 && static_cast<size_t>(axis) <= row_partitions.size();
    AppendDimension(shape[axis], partitioned && row_partitions[static_cast<size_t>(axis) - 1].optional, out);
  }
  out += ']';
}

void AppendShape(const TypeSpec& spec, std::string& out) {
  std::span<const RowPartitionSpec> row_partitions;
  if (spec.ragged() != nullptr) row_partitions = spec.ragged()->row_partitions();
  if (spec.structured() != nullptr) row_partitions = spec.structured()->row_partitions();
  AppendShape(spec.shape(), row_partitions, out);
}

// A shared part is written once for each path to it, so a text may be exponentially longer than its spec.
constexpr size_t kMaxExtensionTextBytes = 1'000;

std::string ExtensionText(const ExtensionTypeSpec& spec) {
  thread_local base_internal::SharedParts<std::string, 1> known;
  return known.ResultOf({spec.weak_from_this().lock()}, [&spec] {
    std::string text = spec.DebugString();
    return text.size() <= kMaxExtensionTextBytes ? text : absl::StrCat(ToAbsl(spec.type_name()), "(...)");
  });
}

std::string_view KindName(StructKind kind) { return kind == StructKind::kMapEntry ? "map" : "struct"; }

void AppendLine(const TypeSpec& spec, std::string& out) {
  if (const TensorSpec* tensor = spec.tensor()) {
    out += "TensorSpec(";
    AppendShape(spec, out);
    out += ", ";
    out += DTypeName(tensor->dtype());
    if (tensor->nullable()) out += ", nullable";
  } else if (const RaggedTensorSpec* ragged = spec.ragged()) {
    out += "RaggedTensorSpec(";
    AppendShape(spec, out);
    out += ", ";
    out += DTypeName(ragged->dtype());
    absl::StrAppend(&out, ", ragged_rank=", ragged->ragged_rank());
    if (const DType dtype = ragged->row_splits_dtype(); dtype != DType::kInt64) {
      absl::StrAppend(&out, ", row_splits_dtype=", ToAbsl(DTypeName(dtype)));
    }
    if (ragged->nullable()) out += ", nullable";
  } else if (const StructuredTensorSpec* structs = spec.structured()) {
    out += "StructuredTensorSpec(";
    AppendShape(spec, out);
    out += ", {";
    for (size_t i = 0; i < structs->flat_fields().size(); ++i) {
      if (i > 0) out += ", ";
      absl::StrAppend(&out, "'", absl::Utf8SafeCEscape(ToAbsl(structs->flat_fields()[i].name)), "': ");
      AppendLine(structs->field_spec(i), out);
    }
    out += '}';
    if (structs->kind() == StructKind::kMapEntry) out += ", kind=map_entry";
    if (structs->nullable()) out += ", nullable";
    if (const DType dtype = structs->shape_dtype(); dtype != DType::kInt64) {
      absl::StrAppend(&out, ", shape_dtype=", ToAbsl(DTypeName(dtype)));
    }
  } else if (const ExtensionTypeSpec* extension = spec.extension()) {
    out += ExtensionText(*extension);
    return;
  } else {
    const RowPartitionSpec& partition = *spec.row_partition();
    out += "RowPartitionSpec(nrows=";
    AppendDimension(partition.nrows, false, out);
    out += ", nvals=";
    AppendDimension(partition.nvals, false, out);
    out += ", uniform_row_length=";
    AppendDimension(partition.uniform_row_length, false, out);
    if (partition.optional) out += ", optional";
    if (partition.dtype != DType::kInt64) absl::StrAppend(&out, ", dtype=", ToAbsl(DTypeName(partition.dtype)));
  }
  out += ')';
}

void AppendTree(const TypeSpec& spec, size_t depth, std::string& out) {
  bool nullable = false;
  if (const TensorSpec* tensor = spec.tensor()) {
    out += DTypeName(tensor->dtype());
    nullable = tensor->nullable();
  } else if (const RaggedTensorSpec* ragged = spec.ragged()) {
    out += DTypeName(ragged->dtype());
    nullable = ragged->nullable();
  } else if (const StructuredTensorSpec* structs = spec.structured()) {
    out += KindName(structs->kind());
    nullable = structs->nullable();
  } else if (const ExtensionTypeSpec* extension = spec.extension()) {
    out += extension->type_name();
  } else {
    out += "row partition";
  }
  out += ' ';
  AppendShape(spec, out);
  if (nullable) out += " nullable";
  out += '\n';
  if (spec.structured() == nullptr) return;
  for (size_t i = 0; i < spec.structured()->flat_fields().size(); ++i) {
    out.append(2 * (depth + 1), ' ');
    out += spec.structured()->flat_fields()[i].name;
    out += ": ";
    AppendTree(spec.structured()->field_spec(i), depth + 1, out);
  }
}

}  // namespace

std::string TypeSpec::DebugString() const {
  std::string text;
  AppendLine(*this, text);
  return text;
}

std::string TypeSpec::TreeString() const {
  std::string text;
  AppendTree(*this, 0, text);
  return text;
}

}  // namespace structtensor
