// The static things among the encoded values: row partitions, ragged shapes, specs.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/type_spec/make_spec.h"
#include "structtensor/tensor/values/row_partition.h"

namespace structtensor::vectors {
namespace {

absl::StatusOr<Buffer<int64_t>> DecodeInts(const Json& json, const char* name) {
  const Json* content = FindMember(json, name);
  if (content == nullptr || !content->is_array()) return Malformed(json, absl::StrCat("a list `", name, "`"));
  std::vector<int64_t> ints;
  for (const Json& item : *content) {
    if (!item.is_number_integer()) return Malformed(item, "an integer");
    ints.push_back(item.get<int64_t>());
  }
  return Buffer<int64_t>::FromVector(std::move(ints));
}

absl::StatusOr<std::optional<int64_t>> DecodeOptionalInt(const Json& json, const char* name) {
  const Json* content = FindMember(json, name);
  if (content == nullptr || content->is_null()) return std::nullopt;
  if (!content->is_number_integer()) return Malformed(json, absl::StrCat("an integer `", name, "`"));
  return content->get<int64_t>();
}

absl::StatusOr<bool> DecodeFlag(const Json& json, const char* name, bool otherwise) {
  const Json* content = FindMember(json, name);
  if (content == nullptr) return otherwise;
  if (!content->is_boolean()) return Malformed(json, absl::StrCat("true or false as `", name, "`"));
  return content->get<bool>();
}

absl::StatusOr<DType> DTypeOr(const Json& json, const char* name, DType otherwise) {
  const Json* content = FindMember(json, name);
  return content == nullptr || content->is_null() ? otherwise : DecodeDType(*content);
}

absl::StatusOr<RowPartition> PartitionFromEncoding(const Json& json, const std::string& kind) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const bool full, DecodeFlag(json, "validate", true));
  const auto validate = full ? RowPartition::Validate::kFull : RowPartition::Validate::kNone;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, DecodeOptionalInt(json, "nrows"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nvals, DecodeOptionalInt(json, "nvals"));
  if (kind == "uniform_row_length") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> length, DecodeOptionalInt(json, "uniform_row_length"));
    if (!length.has_value()) return Malformed(json, "a uniform_row_length");
    return RowPartition::FromUniformRowLength(*length, nrows, nvals);
  }
  // Every other encoding is a list of that name.
  STRUCTTENSOR_ASSIGN_OR_RETURN(Buffer<int64_t> ints, DecodeInts(json, kind.c_str()));
  if (kind == "row_splits") return RowPartition::FromRowSplits(std::move(ints), RowPartition::Optional::kNo, validate);
  if (kind == "row_lengths") return RowPartition::FromRowLengths(std::move(ints));
  if (kind == "row_limits") return RowPartition::FromRowLimits(ints, validate);
  if (kind == "value_rowids") return RowPartition::FromValueRowids(std::move(ints), nrows, validate);
  if (kind == "row_starts") {
    if (!nvals.has_value()) return Malformed(json, "nvals beside row_starts");
    return RowPartition::FromRowStarts(ints, *nvals, validate);
  }
  return Malformed(json, "a row partition");
}

absl::StatusOr<TypeSpec> DecodeRowPartitionSpec(const Json& json) {
  RowPartitionSpec sizes;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, DecodeOptionalInt(json, "nrows"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nvals, DecodeOptionalInt(json, "nvals"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> length, DecodeOptionalInt(json, "uniform_row_length"));
  sizes.nrows = nrows.value_or(kUnknownDimension);
  sizes.nvals = nvals.value_or(kUnknownDimension);
  sizes.uniform_row_length = length.value_or(kUnknownDimension);
  STRUCTTENSOR_ASSIGN_OR_RETURN(sizes.dtype, DTypeOr(json, "dtype", DType::kInt64));
  return MakeRowPartitionSpec(sizes);
}

absl::StatusOr<TypeSpec> DecodeStructSpec(const Json& json, const Shape& shape) {
  const Json* fields_json = FindMember(json, "fields");
  if (fields_json == nullptr || !fields_json->is_object()) return Malformed(json, "`fields`");
  std::vector<FieldSpec> fields;
  for (const auto& [name, member] : fields_json->items()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, DecodeSpec(member));
    fields.push_back({name, std::move(spec)});
  }
  return MakeStructuredTensorSpec(shape, fields);
}

}  // namespace

absl::StatusOr<RowPartition> DecodeRowPartition(const Json& json) {
  if (const Json* content = FindMember(json, "$rp"); content != nullptr) return DecodeRowPartition(*content);
  const Json* kind = FindMember(json, "kind");
  if (kind == nullptr || !kind->is_string()) return Malformed(json, "a row partition with a `kind`");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(json, "dtype", DType::kInt64));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, PartitionFromEncoding(json, kind->get<std::string>()));
  return partition.Cast(dtype);
}

absl::StatusOr<DynamicRaggedShape> DecodeRaggedShape(const Json& json) {
  if (const Json* content = FindMember(json, "$drs"); content != nullptr) return DecodeRaggedShape(*content);
  if (!json.is_array()) return Malformed(json, "lengths");
  std::vector<DynamicRaggedShape::Length> lengths;
  for (const Json& length : json) {
    if (length.is_array()) {
      lengths.emplace_back(length.get<std::vector<int64_t>>());
    } else if (length.is_number_integer()) {
      lengths.emplace_back(length.get<int64_t>());
    } else {
      return Malformed(json, "lengths");
    }
  }
  return DynamicRaggedShape::FromLengths(lengths);
}

absl::StatusOr<TypeSpec> DecodeSpec(const Json& json) {
  if (const Json* content = FindMember(json, "$spec"); content != nullptr) return DecodeSpec(*content);
  const Json* kind = FindMember(json, "kind");
  if (kind == nullptr) return Malformed(json, "a spec with a `kind`");
  if (*kind == "of") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(json.at("value")));
    return value.spec();
  }
  if (*kind == "rowpart") return DecodeRowPartitionSpec(json);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Shape shape, DecodeShape(json.at("shape")));
  if (*kind == "structured") return DecodeStructSpec(json, shape);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DecodeDType(json.at("dtype")));
  if (*kind == "tensor") return MakeTensorSpec(std::move(shape), dtype);
  if (*kind == "ragged") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const DType splits_dtype, DTypeOr(json, "row_splits_dtype", DType::kInt64));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> ragged_rank, DecodeOptionalInt(json, "ragged_rank"));
    if (!ragged_rank.has_value()) return Malformed(json, "a ragged_rank");
    return MakeRaggedTensorSpec(shape, dtype, static_cast<int>(*ragged_rank), /*nullable=*/false, splits_dtype);
  }
  return Malformed(json, "a spec");
}

}  // namespace structtensor::vectors
