#include "structtensor/tensor/extension_types/serialize.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/wire/abi/kinds.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/core/wire/shared/append.h"
#include "structtensor/tensor/extension_types/internal/serialized_form.h"

namespace structtensor {

absl::Status extension_types_internal::CheckSpecDepth(int depth) {
  if (depth <= kMaxSpecDepth) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the spec is more than ", kMaxSpecDepth, " levels deep; files hold specs down to that depth"));
}

namespace {

using wire_internal::AppendBytes;
using wire_internal::AppendTag;
using wire_internal::AppendVarint;

uint64_t DTypeNumber(DType dtype) {
  uint64_t number = 1;
  for (const DType candidate : extension_types_internal::kSerializedDTypes) {
    if (candidate == dtype) return number;
    ++number;
  }
  return 0;
}

// Fields with the default value of proto3 are left out, as libprotobuf does.

void AppendNumber(uint32_t number, uint64_t value, std::string& out) {
  if (value == 0) return;
  AppendTag(number, wire_internal::kVarint, out);
  AppendVarint(value, out);
}

absl::Status AppendName(uint32_t number, const std::string& name, std::string& out) {
  if (!wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(name.data()), name.size())) {
    return absl::InvalidArgumentError("a name in the spec is not UTF-8; names in files are text");
  }
  if (!name.empty()) AppendBytes(number, name, out);
  return absl::OkStatus();
}

std::string Message(const Shape& shape) {
  std::string out;
  AppendNumber(1, shape.rank_known() ? 0 : 1, out);
  std::string dims;
  for (const int64_t dim : shape.dims()) AppendVarint(wire_internal::Sint64::ToWire(dim), dims);
  if (!dims.empty()) AppendBytes(2, dims, out);
  return out;
}

std::string Message(const TensorSpec& spec) {
  std::string out;
  AppendBytes(1, Message(spec.shape()), out);
  AppendNumber(2, DTypeNumber(spec.dtype()), out);
  AppendNumber(3, spec.nullable() ? 1 : 0, out);
  return out;
}

std::string Message(const RowPartitionSpec& spec) {
  std::string out;
  uint32_t number = 1;
  for (const int64_t size : {spec.nrows, spec.nvals, spec.uniform_row_length}) {
    if (size != kUnknownDimension) {
      AppendTag(number, wire_internal::kVarint, out);
      AppendVarint(static_cast<uint64_t>(size), out);
    }
    ++number;
  }
  AppendNumber(4, spec.optional ? 1 : 0, out);
  AppendNumber(5, DTypeNumber(spec.dtype), out);
  return out;
}

std::string Message(const RaggedTensorSpec& spec) {
  std::string out;
  for (const RowPartitionSpec& partition : spec.row_partitions()) AppendBytes(1, Message(partition), out);
  AppendBytes(2, Message(spec.flat_values()), out);
  AppendNumber(3, DTypeNumber(spec.row_splits_dtype()), out);
  return out;
}

absl::StatusOr<std::string> Message(const TypeSpec& spec, int depth);

absl::StatusOr<std::string> Message(const StructuredTensorSpec& spec, int depth) {
  std::string out;
  AppendBytes(1, Message(spec.shape()), out);
  AppendNumber(2, spec.kind() == StructKind::kMapEntry ? 1 : 0, out);
  AppendNumber(3, spec.nullable() ? 1 : 0, out);
  for (const RowPartitionSpec& partition : spec.row_partitions()) AppendBytes(4, Message(partition), out);
  AppendNumber(5, DTypeNumber(spec.shape_dtype()), out);
  for (const FieldSpec& field : spec.flat_fields()) {
    std::string message;
    STRUCTTENSOR_RETURN_IF_ERROR(AppendName(1, field.name, message));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string field_spec, Message(field.spec, depth + 1));
    AppendBytes(2, field_spec, message);
    AppendBytes(6, message, out);
  }
  return out;
}

absl::StatusOr<std::string> Message(const Nest<StaticState>& state, int depth);

absl::StatusOr<std::string> Message(const StaticState& leaf, int depth) {
  std::string out;
  if (const bool* value = leaf.get_if<bool>()) {
    AppendTag(1, wire_internal::kVarint, out);
    AppendVarint(*value ? 1 : 0, out);
  } else if (const int64_t* number = leaf.get_if<int64_t>()) {
    AppendTag(2, wire_internal::kVarint, out);
    AppendVarint(wire_internal::Sint64::ToWire(*number), out);
  } else if (const double* fraction = leaf.get_if<double>()) {
    AppendTag(3, wire_internal::kI64, out);
    const uint64_t bits = std::bit_cast<uint64_t>(*fraction);
    out.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  } else if (const std::string* text = leaf.get_if<std::string>()) {
    AppendBytes(4, *text, out);
  } else if (const Shape* shape = leaf.get_if<Shape>()) {
    AppendBytes(5, Message(*shape), out);
  } else if (const DType* dtype = leaf.get_if<DType>()) {
    AppendNumber(6, DTypeNumber(*dtype), out);
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string spec, Message(*leaf.get_if<TypeSpec>(), depth + 1));
    AppendBytes(7, spec, out);
  }
  return out;
}

absl::StatusOr<std::string> Message(const Nest<StaticState>& state, int depth) {
  STRUCTTENSOR_RETURN_IF_ERROR(extension_types_internal::CheckSpecDepth(depth));
  std::string out;
  if (state.kind() == NestKind::kNone) return out;
  if (state.is_leaf()) return Message(state.leaf(), depth);
  std::string items;
  for (size_t i = 0; i < state.items().size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string item, Message(state.items()[i], depth + 1));
    if (state.kind() != NestKind::kDict) {
      AppendBytes(1, item, items);
      continue;
    }
    std::string named;
    if (!state.names()[i].empty()) AppendBytes(1, state.names()[i], named);
    AppendBytes(2, item, named);
    AppendBytes(1, named, items);
  }
  AppendBytes(state.kind() == NestKind::kList ? 8 : state.kind() == NestKind::kTuple ? 9 : 10, items, out);
  return out;
}

absl::StatusOr<std::string> Message(const ExtensionTypeSpec& spec, int depth) {
  std::string out;
  STRUCTTENSOR_RETURN_IF_ERROR(AppendName(1, std::string(spec.type_name()), out));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string state, Message(spec.Serialize(), depth + 1));
  AppendBytes(2, state, out);
  return out;
}

absl::StatusOr<std::string> Message(const TypeSpec& spec, int depth) {
  STRUCTTENSOR_RETURN_IF_ERROR(extension_types_internal::CheckSpecDepth(depth));
  std::string out;
  if (spec.tensor() != nullptr) {
    AppendBytes(1, Message(*spec.tensor()), out);
  } else if (spec.ragged() != nullptr) {
    AppendBytes(2, Message(*spec.ragged()), out);
  } else if (spec.structured() != nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string message, Message(*spec.structured(), depth));
    AppendBytes(3, message, out);
  } else if (spec.row_partition() != nullptr) {
    AppendBytes(4, Message(*spec.row_partition()), out);
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string message, Message(*spec.extension(), depth));
    AppendBytes(5, message, out);
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> SerializeTypeSpec(const TypeSpec& spec) { return Message(spec, 1); }

}  // namespace structtensor
