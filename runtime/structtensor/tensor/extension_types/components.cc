#include "structtensor/tensor/extension_types/components.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/extension_types/internal/spec_axes.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/values/shared/absent.h"
#include "structtensor/tensor/values/shared/compose_rows.h"

namespace structtensor {
namespace {

TensorSpec SplitsSpec(const RowPartitionSpec& partition) {
  const int64_t size = partition.nrows == kUnknownDimension ? kUnknownDimension : partition.nrows + 1;
  return TensorSpec(Shape({size}), partition.dtype);
}

Tensor SplitsTensor(const RowPartition& partition) {
  return partition.dtype() == DType::kInt32 ? Tensor::FromBuffer(partition.row_splits32())
                                            : Tensor::FromBuffer(partition.row_splits());
}

Nest<TypeSpec> StructComponentSpecs(const StructuredTensorSpec& structs) {
  const bool ragged_axes = structs.shape().rank_known() && structs.rank() > 1;
  Nest<TypeSpec>::NamedItems fields;
  for (size_t i = 0; i < structs.flat_fields().size(); ++i) {
    const FieldSpec& field = structs.flat_fields()[i];
    fields.emplace_back(field.name, ragged_axes && field.spec.extension() != nullptr ? field.spec : structs.field_spec(i));
  }
  std::vector<Nest<TypeSpec>> splits;
  for (const RowPartitionSpec& partition : structs.row_partitions()) splits.emplace_back(SplitsSpec(partition));
  const int64_t inner_rank = structs.shape().rank_known() && structs.rank() == 0 ? 0 : 1;
  Nest<TypeSpec>::NamedItems items;
  items.emplace_back("fields", Nest<TypeSpec>::Dict(std::move(fields)));
  items.emplace_back("ragged_shape",
                     Nest<TypeSpec>::Dict({{"inner_shape", TypeSpec(TensorSpec(Shape({inner_rank}), DType::kInt64))},
                                           {"row_partitions", Nest<TypeSpec>::Tuple(std::move(splits))}}));
  if (structs.nullable()) {
    items.emplace_back("validity", TypeSpec(TensorSpec(Shape({structs.flat_nrows()}), DType::kBool)));
  }
  return Nest<TypeSpec>::Dict(std::move(items));
}

Tensor ValidityTensor(const StructuredTensor& structs) {
  std::vector<uint8_t> valid;
  valid.reserve(static_cast<size_t>(structs.flat_nrows()));
  for (int64_t i = 0; i < structs.flat_nrows(); ++i) valid.push_back(structs.validity().is_valid(i) ? 1 : 0);
  return Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(valid)));
}

Nest<Value> StructComponents(const StructuredTensor& structs, bool with_validity) {
  Nest<Value>::NamedItems fields;
  fields.reserve(structs.num_fields());
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    const bool flat = structs.rank() > 1 && structs.flat_field(i).extension() != nullptr;
    fields.emplace_back(structs.field_names()[i], flat ? structs.flat_field(i) : structs.stored_field_value(i));
  }
  std::vector<Nest<Value>> splits;
  for (const RowPartition& partition : structs.row_partitions()) splits.emplace_back(SplitsTensor(partition));
  std::vector<int64_t> inner_shape;
  if (structs.rank() > 0) inner_shape.push_back(structs.flat_nrows());
  Nest<Value>::NamedItems items;
  items.emplace_back("fields", Nest<Value>::Dict(std::move(fields)));
  items.emplace_back("ragged_shape", Nest<Value>::Dict({{"inner_shape", Value(Tensor::FromVector(std::move(inner_shape)))},
                                                        {"row_partitions", Nest<Value>::Tuple(std::move(splits))}}));
  if (with_validity) items.emplace_back("validity", Value(ValidityTensor(structs)));
  return Nest<Value>::Dict(std::move(items));
}

Nest<Value> ComponentsOf(const Value& value, bool with_validity) {
  if (value.tensor() != nullptr) return value;
  if (const RaggedTensor* ragged = value.ragged()) {
    std::vector<Nest<Value>> components = {Value(ragged->flat_values())};
    for (const RowPartition& partition : ragged->row_partitions()) components.emplace_back(SplitsTensor(partition));
    return Nest<Value>::Tuple(std::move(components));
  }
  if (const StructuredTensor* structs = value.structured()) return StructComponents(*structs, with_validity);
  return value.extension()->spec()->ToComponents(*value.extension());
}

// "component ['values']"; a value that is its own component has no path.
std::string Component(const std::string& path) { return path.empty() ? "the component" : absl::StrCat("component ", path); }

absl::Status At(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(Component(path), ": ", status.message()));
}

// Checks that the components have the structure of `specs`, and that each component has its spec.
absl::Status CheckComponents(const Nest<TypeSpec>& specs, const Nest<Value>& components) {
  STRUCTTENSOR_RETURN_IF_ERROR(AssertSameStructure(specs, components));
  const auto leaves = FlattenWithPaths(specs);
  const std::vector<Value> values = Flatten(components);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const TypeSpec spec = values[i].spec();
    if (!leaves[i].second.IsCompatibleWith(spec)) {
      return absl::InvalidArgumentError(
          absl::StrCat(Component(leaves[i].first), " is ", spec.DebugString(), "; expected ", leaves[i].second.DebugString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RowPartition> PartitionFromSplits(const Tensor& splits, const RowPartitionSpec& spec) {
  const auto optional = spec.optional ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, splits.dtype() == DType::kInt32
                                                            ? RowPartition::FromRowSplits32(splits.buffer<int32_t>(), optional)
                                                            : RowPartition::FromRowSplits(splits.buffer<int64_t>(), optional));
  if (spec.uniform_row_length == kUnknownDimension) return partition;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition uniform,
                                RowPartition::FromUniformRowLength(spec.uniform_row_length, partition.nrows(), optional));
  return RowPartition::Merge(partition, uniform.WithDtype(partition.dtype()));
}

absl::StatusOr<std::vector<RowPartition>> PartitionsFromSplits(std::span<const Nest<Value>> splits,
                                                               const std::vector<RowPartitionSpec>& specs) {
  std::vector<RowPartition> partitions;
  partitions.reserve(splits.size());
  for (size_t i = 0; i < splits.size(); ++i) {
    absl::StatusOr<RowPartition> partition = PartitionFromSplits(*splits[i].leaf().tensor(), specs[i]);
    if (!partition.ok()) return At(absl::StrCat("row_splits of partition ", i), partition.status());
    if (i > 0 && partition->nrows() != partitions.back().nvals()) {
      return absl::InvalidArgumentError(absl::StrCat("row partition ", i, " has ", partition->nrows(), " rows, but partition ",
                                                     i - 1, " has ", partitions.back().nvals(), " values; both must be equal"));
    }
    partitions.push_back(*std::move(partition));
  }
  return partitions;
}

absl::StatusOr<Value> RaggedFromComponents(const RaggedTensorSpec& spec, const Nest<Value>& components) {
  const Tensor& flat_values = *components.items().front().leaf().tensor();
  if (spec.ragged_rank() == 0) return flat_values;
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                                PartitionsFromSplits(std::span(components.items()).subspan(1), spec.row_partitions()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(RaggedTensor ragged, RaggedTensor::FromRowPartitions(std::move(partitions), flat_values));
  return Value(std::move(ragged));
}

absl::StatusOr<Validity> ValidityFromTensor(const Tensor& valid, int64_t flat_nrows) {
  if (valid.nrows() != flat_nrows) {
    return absl::InvalidArgumentError(
        absl::StrCat("component ['validity'] has ", valid.nrows(), " elements for ", flat_nrows, " structs"));
  }
  const std::span<const uint8_t> values = valid.values<uint8_t>();
  std::vector<uint8_t> bits(values.size() / 8 + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) bits[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
}

// Returns the value without its outer axes. These must be the axes of structs with `partitions`.
absl::StatusOr<Value> WithoutOuterAxes(const Value& value, std::span<const RowPartition> partitions) {
  if (partitions.empty()) return value;
  if (value.rank() <= static_cast<int>(partitions.size())) {
    return absl::InvalidArgumentError(absl::StrCat(value.spec().DebugString(), " cannot be a field of structs of rank ",
                                                   partitions.size() + 1, "; it has too few axes"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack,
                                ops_internal::SplitAtAxis(value, static_cast<int>(partitions.size())));
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (!ops_internal::FirstDifference(stack.partitions[i], partitions[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("axis ", i + 1, " of ", value.spec().DebugString(),
                                                   " differs from that of the structs; fields must share the outer axes"));
  }
  return std::move(stack.inner);
}

absl::StatusOr<Value> StructFromComponents(const StructuredTensorSpec& spec, const Nest<Value>& components) {
  if (!spec.shape().rank_known()) {
    return absl::InvalidArgumentError("a structured spec of unknown rank has no values; make them from the spec of a value");
  }
  const Nest<Value>& ragged_shape = *components.Find("ragged_shape");
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                                PartitionsFromSplits(ragged_shape.Find("row_partitions")->items(), spec.row_partitions()));
  const int64_t flat_nrows = spec.rank() == 0 ? 1 : ragged_shape.Find("inner_shape")->leaf().tensor()->values<int64_t>()[0];
  if (flat_nrows < 0 || (!partitions.empty() && partitions.back().nvals() != flat_nrows)) {
    return absl::InvalidArgumentError(
        absl::StrCat("component ['ragged_shape']['inner_shape'] is ", flat_nrows, "; the number of structs is ",
                     partitions.empty() ? std::string("0 or more") : absl::StrCat(partitions.back().nvals())));
  }
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<Value> flat_fields;
  flat_fields.reserve(spec.flat_fields().size());
  for (const FieldSpec& field : spec.flat_fields()) {
    const Value& value = components.Find("fields")->Find(field.name)->leaf();
    absl::StatusOr<Value> flat = value.extension() != nullptr && spec.rank() > 1 ? value
                                 : spec.rank() == 0                              ? values_internal::AsOneRow(value)
                                                                                 : WithoutOuterAxes(value, partitions);
    if (!flat.ok()) return At(absl::StrCat("['fields']['", field.name, "']"), flat.status());
    if (spec.rank() == 0) flat = extension_types_internal::WithAxesOf(field.spec, *flat);
    if (flat->rank() == 0) {
      return absl::InvalidArgumentError(absl::StrCat("component ['fields']['", field.name, "'] is ", flat->spec().DebugString(),
                                                     ", a value without rows; structs need a row for each"));
    }
    if (flat->nrows() != flat_nrows) {
      return absl::InvalidArgumentError(absl::StrCat("component ['fields']['", field.name, "'] has ", flat->nrows(),
                                                     " rows for ", flat_nrows, " structs; both must be equal"));
    }
    names->push_back(field.name);
    flat_fields.push_back(*std::move(flat));
  }
  Validity validity;
  if (spec.nullable()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(validity, ValidityFromTensor(*components.Find("validity")->leaf().tensor(), flat_nrows));
  }
  const StructuredTensor structs = StructuredTensor::Create(std::move(partitions), flat_nrows, std::move(names),
                                                            std::move(flat_fields), spec.kind(), std::move(validity))
                                       .WithShapeDtype(spec.shape_dtype());
  return spec.rank() == 0 ? structs.Row(0) : structs;
}

// The value of a spec without rows that are hidden by absent structs. Only whole values are looked through: the components of a
// value that contains them have the sizes that its spec says.
Value WithoutHiddenRows(const Value& value) {
  const StructuredTensor* const structs = value.structured();
  return structs == nullptr ? value : Value(values_internal::WithoutHiddenRows(*structs));
}

void AppendTensors(const Value& value, std::vector<Tensor>& tensors) {
  if (value.tensor() != nullptr) {
    tensors.push_back(*value.tensor());
    return;
  }
  for (const Value& component : Flatten(ComponentsOf(value, value.structured() != nullptr && value.structured()->nullable()))) {
    AppendTensors(component, tensors);
  }
}

void AppendTensorSpecs(const TypeSpec& spec, std::vector<TensorSpec>& specs) {
  if (spec.tensor() != nullptr) {
    specs.push_back(*spec.tensor());
    return;
  }
  for (const TypeSpec& component : Flatten(ComponentSpecs(spec))) AppendTensorSpecs(component, specs);
}

absl::StatusOr<Nest<Value>> Pack(const Nest<TypeSpec>& structure, std::span<const Tensor>& tensors);
absl::StatusOr<Value> Compose(const TypeSpec& spec, const Nest<Value>& components);

// Makes a value of as many tensors as the spec has, and takes them from the front of `tensors`.
absl::StatusOr<Value> PackLeaf(const TypeSpec& spec, std::span<const Tensor>& tensors) {
  if (spec.tensor() != nullptr) {
    const Tensor& tensor = tensors.front();
    tensors = tensors.subspan(1);
    if (!spec.IsCompatibleWith(tensor.spec())) {
      return absl::InvalidArgumentError(
          absl::StrCat("the tensor given for ", spec.DebugString(), " is ", TypeSpec(tensor.spec()).DebugString()));
    }
    return Value(tensor);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Value> components, Pack(ComponentSpecs(spec), tensors));
  return Compose(spec, components);
}

absl::StatusOr<Nest<Value>> Pack(const Nest<TypeSpec>& structure, std::span<const Tensor>& tensors) {
  std::vector<Value> leaves;
  for (const auto& [path, spec] : FlattenWithPaths(structure)) {
    absl::StatusOr<Value> leaf = PackLeaf(spec, tensors);
    if (!leaf.ok()) return At(path, leaf.status());
    leaves.push_back(*std::move(leaf));
  }
  return PackSequenceAs(structure, leaves);
}

// FromComponents(), with the rows that absent structs hide.
absl::StatusOr<Value> Compose(const TypeSpec& spec, const Nest<Value>& components) {
  if (const ExtensionTypeSpec* extension = spec.extension()) return FromComponents(*extension, components);
  if (spec.row_partition() != nullptr) {
    return absl::InvalidArgumentError("a row partition is not a value; make it with RowPartition::FromRowSplits");
  }
  STRUCTTENSOR_RETURN_IF_ERROR(CheckComponents(ComponentSpecs(spec), components));
  if (spec.tensor() != nullptr) return components.leaf();
  if (spec.ragged() != nullptr) return RaggedFromComponents(*spec.ragged(), components);
  return StructFromComponents(*spec.structured(), components);
}

}  // namespace

Nest<TypeSpec> ComponentSpecs(const TypeSpec& spec) {
  if (spec.tensor() != nullptr) return spec;
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    std::vector<Nest<TypeSpec>> components = {TypeSpec(ragged->flat_values())};
    for (const RowPartitionSpec& partition : ragged->row_partitions()) components.emplace_back(SplitsSpec(partition));
    return Nest<TypeSpec>::Tuple(std::move(components));
  }
  if (const StructuredTensorSpec* structs = spec.structured()) return StructComponentSpecs(*structs);
  if (spec.row_partition() != nullptr) return TypeSpec(SplitsSpec(*spec.row_partition()));
  return spec.extension()->ComponentSpecs();
}

absl::StatusOr<Nest<Value>> ToComponents(const TypeSpec& spec, const Value& value) {
  const TypeSpec found = value.spec();
  const bool tensor_of_ragged_spec = spec.ragged() != nullptr && value.tensor() != nullptr && spec.IsCompatibleWith(found);
  if (!found.IsSubtypeOf(spec) && !tensor_of_ragged_spec) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a value of ", spec.DebugString(), ", found one of ", found.DebugString()));
  }
  if (tensor_of_ragged_spec) return Nest<Value>::Tuple({value});
  return ComponentsOf(value, spec.structured() != nullptr && spec.structured()->nullable());
}

absl::StatusOr<Value> FromComponents(const TypeSpec& spec, const Nest<Value>& components) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, Compose(spec, components));
  return WithoutHiddenRows(value);
}

std::vector<Tensor> FlattenComposites(const Nest<Value>& nest) {
  std::vector<Tensor> tensors;
  for (const Value& leaf : Flatten(nest)) AppendTensors(leaf, tensors);
  return tensors;
}

std::vector<TensorSpec> FlattenComposites(const Nest<TypeSpec>& nest) {
  std::vector<TensorSpec> specs;
  for (const TypeSpec& leaf : Flatten(nest)) AppendTensorSpecs(leaf, specs);
  return specs;
}

absl::StatusOr<Nest<Value>> PackCompositesAs(const Nest<TypeSpec>& structure, const std::vector<Tensor>& tensors) {
  const size_t expected = FlattenComposites(structure).size();
  if (expected != tensors.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the structure is made of ", expected, " tensors, but ", tensors.size(),
                                                   " are given; each needs exactly one"));
  }
  std::span<const Tensor> rest = tensors;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Value> values, Pack(structure, rest));
  return MapStructure([](const Value& value) { return WithoutHiddenRows(value); }, values);
}

absl::Status AssertSameTypes(const Nest<TypeSpec>& a, const Nest<TypeSpec>& b) {
  STRUCTTENSOR_RETURN_IF_ERROR(AssertSameStructure(a, b));
  const auto leaves = FlattenWithPaths(a);
  const std::vector<TypeSpec> others = Flatten(b);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].second.MostSpecificCompatibleType(others[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the types differ at ", leaves[i].first.empty() ? "the top" : leaves[i].first, ": ",
                     leaves[i].second.DebugString(), " and ", others[i].DebugString(), " have no type in common"));
  }
  return absl::OkStatus();
}

}  // namespace structtensor
