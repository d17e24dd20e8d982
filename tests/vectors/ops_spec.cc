// Specs, nests, row partitions, extension types, batching.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "dump.h"
#include "op.h"
#include "spec_text.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/extension_types/boxed.h"
#include "structtensor/tensor/extension_types/components.h"
#include "structtensor/tensor/extension_types/serialize.h"
#include "structtensor/tensor/type_spec/make_spec.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::vectors {
namespace {

// --- Arguments.

absl::StatusOr<const Json*> Member(const Json& json, const char* name) {
  const Json* member = FindMember(json, name);
  if (member == nullptr) return Malformed(json, absl::StrCat("an argument `", name, "`"));
  return member;
}

absl::StatusOr<std::optional<int64_t>> OptionalInt(const Json& json, const char* name) {
  const Json* member = FindMember(json, name);
  if (member == nullptr || member->is_null()) return std::nullopt;
  if (!member->is_number_integer()) return Malformed(*member, absl::StrCat("an integer as ", name));
  return member->get<int64_t>();
}

absl::StatusOr<DType> DTypeOr(const Json& json, const char* name, DType otherwise) {
  const Json* member = FindMember(json, name);
  if (member == nullptr || member->is_null()) return otherwise;
  return DecodeDType(*member);
}

absl::StatusOr<Buffer<int64_t>> Ints(const Json& json, const char* name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* member, Member(json, name));
  if (!member->is_array()) return Malformed(*member, absl::StrCat("a list of integers as ", name));
  std::vector<int64_t> ints;
  for (const Json& item : *member) {
    if (!item.is_number_integer()) return Malformed(item, "an integer");
    ints.push_back(item.get<int64_t>());
  }
  return Buffer<int64_t>::FromVector(std::move(ints));
}

RowPartition::Validate ValidateLevel(const Json& json) {
  const Json* validate = FindMember(json, "validate");
  return validate != nullptr && *validate == false ? RowPartition::Validate::kNone : RowPartition::Validate::kFull;
}

// With the checks of specs that come from outside.
absl::StatusOr<TypeSpec> MakeSpec(const Json& json);

absl::StatusOr<TypeSpec> MakeRowPartition(const Json& json) {
  RowPartitionSpec sizes;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, OptionalInt(json, "nrows"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nvals, OptionalInt(json, "nvals"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> length, OptionalInt(json, "uniform_row_length"));
  sizes.nrows = nrows.value_or(kUnknownDimension);
  sizes.nvals = nvals.value_or(kUnknownDimension);
  sizes.uniform_row_length = length.value_or(kUnknownDimension);
  STRUCTTENSOR_ASSIGN_OR_RETURN(sizes.dtype, DTypeOr(json, "dtype", DType::kInt64));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec spec, MakeRowPartitionSpec(sizes));
  return TypeSpec(spec);
}

absl::StatusOr<TypeSpec> MakeStructs(const Json& json, const Shape& shape) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* members, Member(json, "fields"));
  std::vector<FieldSpec> fields;
  for (const auto& [name, field] : members->items()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, MakeSpec(field));
    fields.push_back({name, std::move(spec)});
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensorSpec spec, MakeStructuredTensorSpec(shape, fields));
  return TypeSpec(std::move(spec));
}

absl::StatusOr<TypeSpec> MakeSpec(const Json& json) {
  if (const Json* content = FindMember(json, "$spec"); content != nullptr) return MakeSpec(*content);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* kind, Member(json, "kind"));
  if (*kind == "of") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(json.at("value")));
    return value.spec();
  }
  if (*kind == "rowpart") return MakeRowPartition(json);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* dims, Member(json, "shape"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Shape shape, DecodeShape(*dims));
  if (*kind == "structured") return MakeStructs(json, shape);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DecodeDType(json.at("dtype")));
  if (*kind == "tensor") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TensorSpec spec, MakeTensorSpec(shape, dtype));
    return TypeSpec(std::move(spec));
  }
  if (*kind != "ragged") return Malformed(json, "a spec of a known kind");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> ragged_rank, OptionalInt(json, "ragged_rank"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType splits_dtype, DTypeOr(json, "row_splits_dtype", DType::kInt64));
  // Without a ragged rank, all axes that can be ragged are.
  const int all_axes = shape.rank_known() ? shape.rank() - 1 : 1;
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      RaggedTensorSpec spec,
      MakeRaggedTensorSpec(shape, dtype, static_cast<int>(ragged_rank.value_or(all_axes)), /*nullable=*/false, splits_dtype));
  return TypeSpec(std::move(spec));
}

absl::StatusOr<TypeSpec> SpecOfInput(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  return value.spec();
}

// --- Specs.

absl::StatusOr<Result> SpecNew(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* json, Member(one.args, "spec"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, MakeSpec(*json));
  return SpecText{TensorFlowText(spec, ListedPartitions::kUnlessDense)};
}

absl::StatusOr<Result> SpecOf(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, SpecOfInput(one));
  return spec;
}

absl::StatusOr<Result> SpecCompare(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec a, MakeSpec(one.args.at("a")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec b, MakeSpec(one.args.at("b")));
  const std::optional<TypeSpec> supertype = a.MostSpecificCompatibleType(b);
  return Json{{"compatible", a.IsCompatibleWith(b)},
              {"eq", a == b},
              {"subtype", a.IsSubtypeOf(b)},
              {"supertype", supertype ? Json(TensorFlowText(*supertype, ListedPartitions::kUnlessDense)) : Json("None")}};
}

absl::StatusOr<Result> SpecCompatibleValue(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, MakeSpec(one.args.at("spec")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec found, SpecOfInput(one));
  return Json(spec.IsCompatibleWith(found));
}

absl::StatusOr<Result> SpecBatch(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, SpecOfInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> count, OptionalInt(one.args, "n"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec stacked, Stacked(spec, count.value_or(kUnknownDimension)));
  return stacked;
}

absl::StatusOr<Result> SpecUnbatch(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, SpecOfInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec unstacked, Unstacked(spec));
  return unstacked;
}

absl::StatusOr<TypeSpec> RoundTrip(const TypeSpec& spec) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string bytes, SerializeTypeSpec(spec));
  return ParseTypeSpec(bytes);
}

absl::StatusOr<Result> SpecPickle(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, SpecOfInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec read, RoundTrip(spec));
  return Json(read == spec);
}

// What was written and read again, in TensorFlow's form.
absl::StatusOr<Result> SpecProto(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, SpecOfInput(one));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec read, RoundTrip(spec));
  if (read.structured() == nullptr) return Malformed(one.input, "structs");
  return Json(TensorFlowProtoText(*read.structured()));
}

// --- Values taken apart and put together.

absl::StatusOr<Result> FlattenOp(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  std::vector<Value> tensors;
  for (const Tensor& tensor : FlattenComposites(Nest<Value>(value))) tensors.emplace_back(tensor);
  return tensors;
}

absl::StatusOr<Result> TfFunctionIdentity(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Value> packed,
                                PackCompositesAs(value.spec(), FlattenComposites(Nest<Value>(value))));
  return packed.leaf();
}

absl::StatusOr<Result> PickleRoundtrip(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec spec, RoundTrip(value.spec()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Value> packed, PackCompositesAs(spec, FlattenComposites(Nest<Value>(value))));
  return packed.leaf();
}

absl::StatusOr<Result> RowPartitions(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  if (value.structured() == nullptr) return Malformed(one.input, "structs, which have row partitions");
  return value.structured()->row_partitions();
}

absl::StatusOr<Result> UnbatchDataset(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec row_spec, Unstacked(value.spec()));
  std::vector<Value> rows;
  for (int64_t i = 0; i < value.nrows(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BoxedTensor boxed, BoxedTensor::Make({}, {value.Row(i)}));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value row, FromBoxed(row_spec, boxed));
    rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<Result> BatchDataset(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(one.input));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec row_spec, Unstacked(value.spec()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> size, OptionalInt(one.args, "n"));
  if (!size || *size < 1) return Malformed(one.args, "a batch size");
  std::vector<Value> batches;
  for (int64_t first = 0; first < value.nrows(); first += *size) {
    std::vector<Value> rows;
    for (int64_t i = first; i < std::min(first + *size, value.nrows()); ++i) rows.push_back(value.Row(i));
    const auto nrows = static_cast<int64_t>(rows.size());
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BoxedTensor boxed, BoxedTensor::Make({nrows}, std::move(rows)));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const TypeSpec batch_spec, Stacked(row_spec, nrows));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value unboxed, FromBoxed(batch_spec, boxed));
    batches.push_back(std::move(unboxed));
  }
  return batches;
}

// --- Row partitions.

absl::StatusOr<RowPartition> PartitionOfKind(const Json& json, const std::string& kind) {
  const RowPartition::Validate validate = ValidateLevel(json);
  if (kind == "uniform_row_length") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> length, OptionalInt(json, "uniform_row_length"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, OptionalInt(json, "nrows"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nvals, OptionalInt(json, "nvals"));
    if (!length) return Malformed(json, "a uniform_row_length");
    return RowPartition::FromUniformRowLength(*length, nrows, nvals);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<int64_t> ints, Ints(json, kind.c_str()));
  if (kind == "row_splits") return RowPartition::FromRowSplits(std::move(ints), RowPartition::Optional::kNo, validate);
  if (kind == "row_lengths") return RowPartition::FromRowLengths(std::move(ints), RowPartition::Optional::kNo, validate);
  if (kind == "row_limits") return RowPartition::FromRowLimits(ints, validate);
  if (kind == "value_rowids") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, OptionalInt(json, "nrows"));
    return RowPartition::FromValueRowids(std::move(ints), nrows, validate);
  }
  if (kind != "row_starts") return Malformed(json, "a row partition of a known kind");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nvals, OptionalInt(json, "nvals"));
  if (!nvals) return Malformed(json, "nvals");
  return RowPartition::FromRowStarts(ints, *nvals, validate);
}

absl::StatusOr<RowPartition> MakePartition(const Json& json) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Json* kind, Member(json, "kind"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(json, "dtype", DType::kInt64));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, PartitionOfKind(json, kind->get<std::string>()));
  return partition.Cast(dtype);
}

absl::StatusOr<Result> Rp(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, MakePartition(one.args.at("rp")));
  return partition;
}

Json ToJson(const Buffer<int64_t>& buffer) { return std::vector<int64_t>(buffer.span().begin(), buffer.span().end()); }

absl::StatusOr<Result> RpAccessors(const Case& one) {
  const Json& json = one.args.at("rp");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, MakePartition(json));
  RowPartitionSpec spec = partition.spec();
  // TensorFlow reads the number of values off these encodings only when asked, so that its spec does not have it.
  const bool nvals_is_data = json["kind"] == "row_splits" || json["kind"] == "row_lengths" || json["kind"] == "row_limits";
  if (nvals_is_data && spec.nrows != 0) spec.nvals = kUnknownDimension;
  return Json{{"is_uniform", partition.is_uniform()},
              {"nrows", partition.nrows()},
              {"nvals", partition.nvals()},
              {"offsets_in_rows", ToJson(partition.offsets_in_rows())},
              {"row_lengths", ToJson(partition.row_lengths())},
              {"row_limits", ToJson(partition.row_limits())},
              {"row_splits", ToJson(partition.row_splits())},
              {"row_starts", ToJson(partition.row_starts())},
              {"spec", TensorFlowText(spec)},
              {"value_rowids", ToJson(partition.value_rowids())}};
}

absl::StatusOr<Result> RpMerge(const Case& one) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition a, MakePartition(one.args.at("a")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition b, MakePartition(one.args.at("b")));
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition merged, RowPartition::Merge(a, b, ValidateLevel(one.args)));
  return merged;
}

// --- Nests.

Nest<Json> DecodeNest(const Json& json) {
  const Json* tuple = FindMember(json, "$tuple");
  if (json.is_array() || tuple != nullptr) {
    std::vector<Nest<Json>> items;
    for (const Json& item : tuple == nullptr ? json : *tuple) items.push_back(DecodeNest(item));
    return tuple == nullptr ? Nest<Json>::List(std::move(items)) : Nest<Json>::Tuple(std::move(items));
  }
  const bool is_dict = json.is_object() && (json.empty() || !json.items().begin().key().starts_with('$'));
  if (!is_dict) return Nest<Json>(json);
  Nest<Json>::NamedItems items;
  for (const auto& [name, item] : json.items()) items.emplace_back(name, DecodeNest(item));
  return Nest<Json>::Dict(std::move(items));
}

Json EncodeNest(const Nest<Json>& nest) {
  if (nest.is_leaf()) return nest.leaf();
  Json json = nest.kind() == NestKind::kDict ? Json::object() : Json::array();
  for (size_t i = 0; i < nest.items().size(); ++i) {
    if (nest.kind() == NestKind::kDict) {
      json[nest.names()[i]] = EncodeNest(nest.items()[i]);
    } else {
      json.push_back(EncodeNest(nest.items()[i]));
    }
  }
  return json;
}

Json Sum(const Json& a, const Json& b) {
  if (a.is_number_integer() && b.is_number_integer()) return a.get<int64_t>() + b.get<int64_t>();
  return a.get<double>() + b.get<double>();
}

absl::StatusOr<Result> NestOp(const Case& one) {
  const std::string function = one.args.at("fn").get<std::string>();
  std::vector<Nest<Json>> nests;
  for (const Json& arg : one.args.at("args")) nests.push_back(DecodeNest(arg));
  if (function == "flatten") return Json(Flatten(nests.at(0)));
  if (function == "is_nested") return Json(nests.at(0).is_nested());
  if (function == "same") {
    STRUCTTENSOR_RETURN_IF_ERROR(AssertSameStructure(nests.at(0), nests.at(1)));
    return Json(true);
  }
  if (function == "pack") {
    std::vector<Json> leaves;
    for (const Nest<Json>& item : nests.at(1).items()) leaves.push_back(EncodeNest(item));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Json> packed, PackSequenceAs(nests.at(0), leaves));
    return EncodeNest(packed);
  }
  if (function == "map_sum") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Nest<Json> sums, MapStructure(Sum, nests.at(0), nests.at(1)));
    return EncodeNest(sums);
  }
  return Malformed(one.args, "a function of nests");
}

}  // namespace

void RegisterSpecOps(Registry& registry) {
  registry["spec_new"] = SpecNew;
  registry["spec_of"] = SpecOf;
  registry["spec_compare"] = SpecCompare;
  registry["spec_compatible_value"] = SpecCompatibleValue;
  registry["spec_batch"] = SpecBatch;
  registry["spec_unbatch"] = SpecUnbatch;
  registry["spec_pickle"] = SpecPickle;
  registry["spec_proto"] = SpecProto;
  registry["flatten"] = FlattenOp;
  registry["tf_function_identity"] = TfFunctionIdentity;
  registry["pickle_roundtrip"] = PickleRoundtrip;
  registry["row_partitions"] = RowPartitions;
  registry["unbatch_dataset"] = UnbatchDataset;
  registry["batch_dataset"] = BatchDataset;
  registry["rp"] = Rp;
  registry["rp_accessors"] = RpAccessors;
  registry["rp_merge"] = RpMerge;
  registry["nest"] = NestOp;
  registry["ext_convert"] = nullptr;  // converts by type annotations of Python
}

}  // namespace structtensor::vectors
