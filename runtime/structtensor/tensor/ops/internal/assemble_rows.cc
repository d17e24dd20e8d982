#include "structtensor/tensor/ops/internal/assemble_rows.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/internal/field_path.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/extension_rows.h"
#include "structtensor/tensor/values/shared/compose_rows.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor::ops_internal {
namespace {

absl::Status Mismatch(const FieldPath& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(path.Prefix(), what));
}

// A tensor or ragged tensor, as partitions around a dense array.
struct Parts {
  std::vector<RowPartition> partitions;
  Tensor flat_values;
};

// Requires: value is a tensor or a ragged tensor.
Parts TakeApart(const Value& value) {
  if (const RaggedTensor* ragged = value.ragged()) return {ragged->row_partitions(), ragged->flat_values()};
  return {{}, *value.tensor()};
}

// Turns outer dimensions of the flat values into uniform partitions until there are `count` of them. Requires: count < rank.
void AddPartitions(size_t count, DType row_splits_dtype, Parts& parts) {
  while (parts.partitions.size() < count) {
    const Shape& shape = parts.flat_values.shape();
    const int64_t nrows = shape[0];
    // The flat values have this many rows, so the number fits int64.
    parts.partitions.push_back(RowPartition::FromUniformRowLength(shape[1], nrows)->WithDtype(row_splits_dtype));
    parts.flat_values = parts.flat_values.Reshape(shape.DropOuter(2).Prepend(nrows * shape[1]));
  }
}

// How many inner dimensions all arrays in `parts` have in common, counted from the end of their shapes.
int CommonInnerRank(const std::vector<Parts>& parts) {
  int common = parts.front().flat_values.rank() - 1;
  for (const Parts& other : parts) {
    const Shape& a = parts.front().flat_values.shape();
    const Shape& b = other.flat_values.shape();
    int equal = 0;
    while (equal < a.rank() - 1 && equal < b.rank() - 1 && a[a.rank() - 1 - equal] == b[b.rank() - 1 - equal]) ++equal;
    common = std::min(common, equal);
  }
  return common;
}

// Assembles rows of several values. Walks the fields or arrays of all values in step.
class Assembler {
 public:
  absl::StatusOr<Value> Assemble(const FieldPath& path, std::span<const Value> values,
                                 const values_internal::RowPieces& pieces) const {
    const int rank = values.front().rank();
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i].rank() == rank) continue;
      return Mismatch(path, absl::StrCat("value 0 has ", rank, " axes and value ", i, " has ", values[i].rank(),
                                         "; all must have equally many"));
    }
    const auto is_structured = [](const Value& value) { return value.structured() != nullptr; };
    const auto is_extension = [](const Value& value) { return value.extension() != nullptr; };
    if (std::all_of(values.begin(), values.end(), is_structured)) return AssembleStructs(path, values, pieces);
    if (std::any_of(values.begin(), values.end(), is_structured)) {
      return Mismatch(path, "some of the values are structs and some are not; they have no common type");
    }
    if (std::any_of(values.begin(), values.end(), is_extension)) return AssembleExtensions(path, values, pieces);
    return AssembleArrays(path, values, pieces);
  }

 private:
  // Assembles component by component, with the spec that all values have in common.
  absl::StatusOr<Value> AssembleExtensions(const FieldPath& path, std::span<const Value> values,
                                           const values_internal::RowPieces& pieces) const {
    const auto is_first = [&](const Value& value) { return value.extension() == values.front().extension(); };
    if (std::all_of(values.begin(), values.end(), is_first)) {
      values_internal::RowPieces of_first;
      for (const values_internal::RowPiece& piece : pieces.span()) of_first.Append(piece.begin, piece.end);
      return values_internal::TakePieces(values.front(), of_first);
    }
    std::optional<TypeSpec> spec;
    std::vector<Nest<Value>> structures;
    structures.reserve(values.size());
    for (const Value& value : values) {
      if (value.extension() == nullptr) return Mismatch(path, "only some of the values are of an extension type");
      if (value.extension()->spec()->row_rule() == RowRule::kOwnRows) {
        return absl::UnimplementedError(absl::StrCat(path.Prefix(), "values of type ", value.spec().DebugString(),
                                                     " have rows of their own, which only they can join"));
      }
      const TypeSpec of_rows = WithNrows(value.spec(), pieces.nrows());
      spec = spec ? spec->MostSpecificCompatibleType(of_rows) : of_rows;
      structures.push_back(value.extension()->spec()->ToComponents(*value.extension()));
      const absl::Status same = AssertSameStructure(structures.front(), structures.back());
      if (!spec || !same.ok()) {
        return Mismatch(
            path, absl::StrCat("value 0 is ", values.front().spec().DebugString(), " and value ", structures.size() - 1, " is ",
                               value.spec().DebugString(), "; they have no common type"));
      }
    }
    std::vector<std::vector<Value>> leaves;
    leaves.reserve(structures.size());
    for (const Nest<Value>& structure : structures) leaves.push_back(Flatten(structure));
    std::vector<Value> assembled;
    assembled.reserve(leaves.front().size());
    std::vector<Value> sources;
    for (size_t leaf = 0; leaf < leaves.front().size(); ++leaf) {
      sources.clear();
      for (const std::vector<Value>& of_value : leaves) sources.push_back(of_value[leaf]);
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value component, Assemble(path, sources, pieces));
      assembled.push_back(component);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Value> components, PackSequenceAs(structures.front(), assembled));
    return values_internal::ComposeRows(*spec, components, values.front().rank(), pieces.nrows());
  }

  absl::StatusOr<Value> AssembleArrays(const FieldPath& path, std::span<const Value> values,
                                       const values_internal::RowPieces& pieces) const {
    std::vector<Parts> parts;
    parts.reserve(values.size());
    for (const Value& value : values) parts.push_back(TakeApart(value));
    const DType dtype = parts.front().flat_values.dtype();
    size_t num_partitions = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].flat_values.dtype() != dtype) {
        return Mismatch(path, absl::StrCat("value 0 has dtype ", ToAbsl(DTypeName(dtype)), " and value ", i, " has ",
                                           ToAbsl(DTypeName(parts[i].flat_values.dtype())), "; cast them to one dtype"));
      }
      num_partitions = std::max(num_partitions, parts[i].partitions.size());
    }
    const size_t rank = static_cast<size_t>(values.front().rank());
    const size_t needed = rank - 1 - static_cast<size_t>(CommonInnerRank(parts));
    // Dimensions that differ become ragged.
    num_partitions = std::max(num_partitions, needed);
    const DType row_splits_dtype = SplitsDtype(parts);
    for (Parts& part : parts) AddPartitions(num_partitions, row_splits_dtype, part);

    values_internal::RowPieces values_pieces;
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        std::vector<RowPartition> partitions,
        AssemblePartitions(num_partitions, parts.size(), pieces, values_pieces,
                           [&](size_t i, size_t level) -> const RowPartition& { return parts[i].partitions[level]; }));
    std::vector<Tensor> flat_values;
    flat_values.reserve(parts.size());
    for (Parts& part : parts) flat_values.push_back(std::move(part.flat_values));
    absl::StatusOr<Tensor> flat = values_internal::CopyPieces(flat_values, num_partitions == 0 ? pieces : values_pieces);
    if (!flat.ok()) return absl::Status(flat.status().code(), absl::StrCat(path.Prefix(), flat.status().message()));
    if (partitions.empty()) return *std::move(flat);
    return RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), *std::move(flat));
  }

  // int32 if all partitions have that dtype, and there are some.
  static DType SplitsDtype(const std::vector<Parts>& parts) {
    bool any = false;
    for (const Parts& part : parts) {
      for (const RowPartition& partition : part.partitions) {
        if (partition.dtype() == DType::kInt64) return DType::kInt64;
        any = true;
      }
    }
    return any ? DType::kInt32 : DType::kInt64;
  }

  // Assembles partition by partition. `values` receives the pieces of the values that the innermost partitions group.
  template <typename PartitionOf>
  static absl::StatusOr<std::vector<RowPartition>> AssemblePartitions(size_t num_partitions, size_t num_sources,
                                                                      const values_internal::RowPieces& pieces,
                                                                      values_internal::RowPieces& values,
                                                                      PartitionOf partition_of) {
    std::vector<RowPartition> assembled;
    assembled.reserve(num_partitions);
    std::vector<RowPartition> sources;
    const values_internal::RowPieces* rows = &pieces;
    for (size_t level = 0; level < num_partitions; ++level) {
      sources.clear();
      for (size_t i = 0; i < num_sources; ++i) sources.push_back(partition_of(i, level));
      values_internal::RowPieces next;
      STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, values_internal::CopyPieces(sources, *rows, next));
      assembled.push_back(std::move(partition));
      values = std::move(next);
      rows = &values;
    }
    return assembled;
  }

  absl::Status CheckStructs(const FieldPath& path, const StructuredTensor& first, const StructuredTensor& other,
                            size_t i) const {
    if (first.kind() != other.kind()) {
      return Mismatch(path, absl::StrCat("value 0 and value ", i, " are structs of different kinds, one of them map entries"));
    }
    for (const std::string& name : first.field_names()) {
      if (other.FindFlatField(name) != nullptr) continue;
      return Mismatch(path, absl::StrCat("value ", i, " has no field ", name, ", which value 0 has; ", other.DescribeFields()));
    }
    for (const std::string& name : other.field_names()) {
      if (first.FindFlatField(name) != nullptr) continue;
      return Mismatch(path, absl::StrCat("value 0 has no field ", name, ", which value ", i, " has; ", first.DescribeFields()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Value> AssembleStructs(const FieldPath& path, std::span<const Value> values,
                                        const values_internal::RowPieces& pieces) const {
    const StructuredTensor& first = *values.front().structured();
    for (size_t i = 1; i < values.size(); ++i) {
      STRUCTTENSOR_RETURN_IF_ERROR(CheckStructs(path, first, *values[i].structured(), i));
    }
    values_internal::RowPieces flat_pieces;
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                                  AssemblePartitions(first.row_partitions().size(), values.size(), pieces, flat_pieces,
                                                     [&](size_t i, size_t level) -> const RowPartition& {
                                                       return values[i].structured()->row_partitions()[level];
                                                     }));
    const values_internal::RowPieces& flat_rows = partitions.empty() ? pieces : flat_pieces;

    std::vector<Value> fields;
    fields.reserve(first.num_fields());
    std::vector<Value> sources;
    sources.reserve(values.size());
    for (size_t field = 0; field < first.num_fields(); ++field) {
      const std::string& name = first.field_names()[field];
      sources.clear();
      for (const Value& value : values) {
        const StructuredTensor& structs = *value.structured();
        const bool in_order = field < structs.num_fields() && structs.field_names()[field] == name;
        sources.push_back(in_order ? structs.flat_field(field) : *structs.FindFlatField(name));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value assembled, Assemble(FieldPath(path, name), sources, flat_rows));
      fields.push_back(assembled);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(Validity validity, AssembleValidity(values, flat_rows));
    return first.WithFlatRows(std::move(partitions), flat_rows.nrows(), std::move(fields), std::move(validity));
  }

  static absl::StatusOr<Validity> AssembleValidity(std::span<const Value> values, const values_internal::RowPieces& flat_rows) {
    if (std::none_of(values.begin(), values.end(), [](const Value& value) { return value.structured()->nullable(); })) {
      return Validity();
    }
    std::vector<Validity> validities;
    validities.reserve(values.size());
    for (const Value& value : values) validities.push_back(value.structured()->validity());
    return values_internal::CopyPieces(validities, flat_rows);
  }
};

}  // namespace

absl::StatusOr<Value> AssembleRows(std::span<const Value> values, const values_internal::RowPieces& pieces) {
  if (values.empty()) return absl::InvalidArgumentError("there are no values; at least one is needed to know their type");
  assert(values.front().rank() >= 1);
  return Assembler().Assemble(FieldPath(), values, pieces);
}

}  // namespace structtensor::ops_internal
