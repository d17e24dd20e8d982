// The reading half of serialize.h.
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/shared/field_reader.h"
#include "structtensor/tensor/extension_types/internal/serialized_form.h"
#include "structtensor/tensor/extension_types/serialize.h"
#include "structtensor/tensor/type_spec/make_spec.h"

namespace structtensor {
namespace {

// Bytes are checked before they are used, so that no memory is allocated for more than was read.

// What all readers of one spec share.
struct Source {
  const char* begin;
  const TypeRegistry& registry;

  absl::Status Error(const char* at, std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("serialized spec, byte ", at - begin, ": ", std::string(what)));
  }
  absl::Status At(const char* at, const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("serialized spec, byte ", at - begin, ": ", status.message()));
  }
};

// A field of a message, and where it is.
struct SpecField {
  const Source& source;
  wire_internal::Field field;
  const char* position;

  bool Is(uint32_t number, wire_internal::WireType type) const { return field.number == number && field.type == type; }
  uint64_t number_value() const { return field.bits; }
  std::string_view bytes() const { return field.bytes; }

  // For a message that may come only once: an error if it has come already, as `seen` says.
  absl::Status Once(bool seen) const {
    return seen ? source.Error(position, "a second message where one is allowed") : absl::OkStatus();
  }
};

// Calls visit(field), which returns a status, for each field of the message.
template <typename Visit>
absl::Status ForEachField(const Source& source, std::string_view bytes, const Visit& visit) {
  SpecField field{source, {}, nullptr};
  for (wire_internal::FieldReader reader(bytes); !reader.AtEnd();) {
    field.position = bytes.data() + reader.offset();
    if (!reader.Next(&field.field)) {
      return source.Error(field.position, reader.error() == wire_internal::DecodeError::kMalformedTag
                                              ? "malformed tag"
                                              : "a field that is malformed or runs past the end of its message");
    }
    STRUCTTENSOR_RETURN_IF_ERROR(visit(field));
  }
  return absl::OkStatus();
}

absl::StatusOr<DType> ReadDType(const Source& source, const char* at, uint64_t number) {
  if (number == 0 || number > std::size(extension_types_internal::kSerializedDTypes))
    return source.Error(at, absl::StrCat("no known dtype: ", number));
  return extension_types_internal::kSerializedDTypes[number - 1];
}

absl::StatusOr<Shape> ReadShape(const Source& source, std::string_view bytes) {
  bool unknown_rank = false;
  std::vector<int64_t> dims;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kVarint)) unknown_rank = field.number_value() != 0;
    if (field.Is(2, wire_internal::kVarint)) dims.push_back(wire_internal::ZigZag64(field.number_value()));
    if (field.Is(2, wire_internal::kLen)) {
      for (std::string_view run = field.bytes(); !run.empty();) {
        uint64_t dim = 0;
        if (!wire_internal::TakePacked(wire_internal::kVarint, &run, &dim))
          return source.Error(run.data(), "malformed dimension");
        dims.push_back(wire_internal::ZigZag64(dim));
      }
    }
    return absl::OkStatus();
  }));
  if (!unknown_rank) return Shape(dims);
  if (!dims.empty()) return source.Error(bytes.data(), "a shape of unknown rank that has dimensions");
  return Shape::UnknownRank();
}

absl::StatusOr<TensorSpec> ReadTensor(const Source& source, std::string_view bytes) {
  std::optional<Shape> shape;
  uint64_t dtype_number = 0;
  bool nullable = false;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kLen)) {
      STRUCTTENSOR_RETURN_IF_ERROR(field.Once(shape.has_value()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(shape, ReadShape(source, field.bytes()));
    }
    if (field.Is(2, wire_internal::kVarint)) dtype_number = field.number_value();
    if (field.Is(3, wire_internal::kVarint)) nullable = field.number_value() != 0;
    return absl::OkStatus();
  }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, ReadDType(source, bytes.data(), dtype_number));
  absl::StatusOr<TensorSpec> spec = MakeTensorSpec(shape.value_or(Shape()), dtype, nullable);
  return spec.ok() ? spec : source.At(bytes.data(), spec.status());
}

absl::StatusOr<RowPartitionSpec> ReadPartition(const Source& source, std::string_view bytes) {
  RowPartitionSpec spec;
  uint64_t dtype_number = 0;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    uint32_t number = 1;
    for (int64_t* size : {&spec.nrows, &spec.nvals, &spec.uniform_row_length}) {
      if (field.Is(number++, wire_internal::kVarint)) {
        *size = static_cast<int64_t>(field.number_value());
        if (*size < 0) return source.Error(field.position, "a negative size");
      }
    }
    if (field.Is(4, wire_internal::kVarint)) spec.optional = field.number_value() != 0;
    if (field.Is(5, wire_internal::kVarint)) dtype_number = field.number_value();
    return absl::OkStatus();
  }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(spec.dtype, ReadDType(source, bytes.data(), dtype_number));
  // This only checks the sizes. Sizes that follow from them were not written, and so are not added here.
  const absl::StatusOr<RowPartitionSpec> checked = MakeRowPartitionSpec(spec);
  if (!checked.ok()) return source.At(bytes.data(), checked.status());
  return spec;
}

bool Contradict(int64_t a, int64_t b) { return a != kUnknownDimension && b != kUnknownDimension && a != b; }

// Whether the values of each partition are the rows of the next one, and the values of the last one are `flat_nrows` rows.
bool PartitionsFit(const std::vector<RowPartitionSpec>& partitions, int64_t flat_nrows, DType dtype) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    const int64_t inner = i + 1 < partitions.size() ? partitions[i + 1].nrows : flat_nrows;
    if (Contradict(partitions[i].nvals, inner) || partitions[i].dtype != dtype) return false;
  }
  return true;
}

absl::StatusOr<RaggedTensorSpec> ReadRagged(const Source& source, std::string_view bytes) {
  std::vector<RowPartitionSpec> partitions;
  std::optional<TensorSpec> flat;
  uint64_t dtype_number = 0;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kLen)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec partition, ReadPartition(source, field.bytes()));
      partitions.push_back(partition);
    }
    if (field.Is(2, wire_internal::kLen)) {
      STRUCTTENSOR_RETURN_IF_ERROR(field.Once(flat.has_value()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(flat, ReadTensor(source, field.bytes()));
    }
    if (field.Is(3, wire_internal::kVarint)) dtype_number = field.number_value();
    return absl::OkStatus();
  }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, ReadDType(source, bytes.data(), dtype_number));
  if (!flat) return source.Error(bytes.data(), "a ragged spec without flat values");
  const Shape& shape = flat->shape();
  const int ragged_rank = static_cast<int>(partitions.size());
  const bool has_axis = !shape.rank_known() || partitions.empty() || shape.rank() > 0;
  const int64_t flat_nrows = shape.rank_known() && shape.rank() > 0 ? shape[0] : kUnknownDimension;
  if (!has_axis || !PartitionsFit(partitions, flat_nrows, dtype)) {
    return source.Error(bytes.data(), "a ragged spec whose partitions and flat values do not fit each other");
  }
  if (shape.rank_known() && ragged_rank > 0) return RaggedTensorSpec(std::move(partitions), *std::move(flat));
  absl::StatusOr<RaggedTensorSpec> spec = MakeRaggedTensorSpec(shape, flat->dtype(), ragged_rank, flat->nullable(), dtype);
  return spec.ok() ? spec : source.At(bytes.data(), spec.status());
}

absl::StatusOr<TypeSpec> ReadSpec(const Source& source, std::string_view bytes, int depth);

absl::StatusOr<FieldSpec> ReadField(const Source& source, std::string_view bytes, int depth) {
  std::string name;
  std::optional<TypeSpec> spec;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kLen)) {
      // IsUtf8() needs the slack that is after the field.
      if (!wire_internal::IsUtf8(reinterpret_cast<const uint8_t*>(field.bytes().data()), field.bytes().size()))
        return source.Error(field.position, "a name that is not UTF-8");
      name = std::string(field.bytes());
    }
    if (field.Is(2, wire_internal::kLen)) {
      STRUCTTENSOR_RETURN_IF_ERROR(field.Once(spec.has_value()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(spec, ReadSpec(source, field.bytes(), depth + 1));
    }
    return absl::OkStatus();
  }));
  if (name.empty() || !spec) return source.Error(bytes.data(), "a field without a name or a spec");
  return FieldSpec{std::move(name), *std::move(spec)};
}

// Checks what the constructor requires, and what readers of the fields require.
absl::Status CheckStructs(const Source& source, const char* at, const Shape& shape, const std::vector<FieldSpec>& fields,
                          const std::vector<RowPartitionSpec>& partitions, DType shape_dtype) {
  const size_t num_partitions = shape.rank_known() && shape.rank() > 1 ? static_cast<size_t>(shape.rank()) - 1 : 0;
  if (partitions.size() != num_partitions) return source.Error(at, "a structured spec with too many or few row partitions");
  const absl::StatusOr<TensorSpec> checked = MakeTensorSpec(shape, DType::kBool);
  if (!checked.ok()) return source.At(at, checked.status());
  int64_t flat_nrows = kUnknownDimension;
  if (shape.rank_known()) flat_nrows = shape.rank() == 0 ? 1 : shape[0];
  if (num_partitions > 0) {
    bool fits = PartitionsFit(partitions, kUnknownDimension, shape_dtype) && !Contradict(shape[0], partitions[0].nrows);
    for (size_t i = 0; i < num_partitions; ++i) {
      fits = fits && !Contradict(shape[static_cast<int>(i) + 1], partitions[i].uniform_row_length);
    }
    if (!fits) return source.Error(at, "a structured spec whose shape and row partitions do not fit each other");
    flat_nrows = partitions.back().nvals;
  }
  absl::flat_hash_set<std::string_view> seen;
  for (const FieldSpec& field : fields) {
    const Shape field_shape = field.spec.shape();
    const bool any_rank = !shape.rank_known();
    const bool has_rows = field_shape.rank_known() && field_shape.rank() > 0 && !Contradict(field_shape[0], flat_nrows);
    if (field.spec.row_partition() != nullptr || !(any_rank || has_rows) || !seen.insert(field.name).second) {
      return source.Error(at, absl::StrCat("field ", field.name, " comes twice, or does not have the rows of its structs"));
    }
  }
  if (shape_dtype != DType::kInt32 && shape_dtype != DType::kInt64)
    return source.Error(at, "a shape_dtype that is not int32 or int64");
  return absl::OkStatus();
}

absl::StatusOr<StructuredTensorSpec> ReadStructs(const Source& source, std::string_view bytes, int depth) {
  std::optional<Shape> shape;
  uint64_t kind = 0;
  bool nullable = false;
  std::vector<RowPartitionSpec> partitions;
  uint64_t dtype_number = 0;
  std::vector<FieldSpec> fields;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kLen)) {
      STRUCTTENSOR_RETURN_IF_ERROR(field.Once(shape.has_value()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(shape, ReadShape(source, field.bytes()));
    }
    if (field.Is(2, wire_internal::kVarint)) kind = field.number_value();
    if (field.Is(3, wire_internal::kVarint)) nullable = field.number_value() != 0;
    if (field.Is(4, wire_internal::kLen)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec partition, ReadPartition(source, field.bytes()));
      partitions.push_back(partition);
    }
    if (field.Is(5, wire_internal::kVarint)) dtype_number = field.number_value();
    if (field.Is(6, wire_internal::kLen)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(FieldSpec one, ReadField(source, field.bytes(), depth));
      fields.push_back(std::move(one));
    }
    return absl::OkStatus();
  }));
  if (kind > 1) return source.Error(bytes.data(), absl::StrCat("no known kind of structs: ", kind));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType shape_dtype, ReadDType(source, bytes.data(), dtype_number));
  const Shape known_shape = shape.value_or(Shape());
  STRUCTTENSOR_RETURN_IF_ERROR(CheckStructs(source, bytes.data(), known_shape, fields, partitions, shape_dtype));
  return StructuredTensorSpec(known_shape, std::move(fields), kind == 0 ? StructKind::kStruct : StructKind::kMapEntry, nullable,
                              std::move(partitions), shape_dtype);
}

absl::StatusOr<Nest<StaticState>> ReadState(const Source& source, std::string_view bytes, int depth);

absl::StatusOr<std::vector<Nest<StaticState>>> ReadItems(const Source& source, std::string_view bytes, int depth) {
  std::vector<Nest<StaticState>> items;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (!field.Is(1, wire_internal::kLen)) return absl::OkStatus();
    STRUCTTENSOR_ASSIGN_OR_RETURN(Nest<StaticState> item, ReadState(source, field.bytes(), depth + 1));
    items.push_back(std::move(item));
    return absl::OkStatus();
  }));
  return items;
}

absl::StatusOr<Nest<StaticState>> ReadDict(const Source& source, std::string_view bytes, int depth) {
  Nest<StaticState>::NamedItems items;
  absl::flat_hash_set<std::string> seen;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (!field.Is(1, wire_internal::kLen)) return absl::OkStatus();
    std::string name;
    std::optional<Nest<StaticState>> item;
    STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, field.bytes(), [&](const SpecField& part) -> absl::Status {
      if (part.Is(1, wire_internal::kLen)) name = std::string(part.bytes());
      if (part.Is(2, wire_internal::kLen)) {
        STRUCTTENSOR_RETURN_IF_ERROR(part.Once(item.has_value()));
        STRUCTTENSOR_ASSIGN_OR_RETURN(item, ReadState(source, part.bytes(), depth + 1));
      }
      return absl::OkStatus();
    }));
    if (!seen.insert(name).second)
      return source.Error(field.position, absl::StrCat("the name '", name, "' comes twice in a dict"));
    items.emplace_back(std::move(name), item ? *std::move(item) : Nest<StaticState>());
    return absl::OkStatus();
  }));
  return Nest<StaticState>::Dict(std::move(items));
}

// Reads one field of a StaticState.
absl::StatusOr<Nest<StaticState>> ReadStateKind(const Source& source, const SpecField& field, int depth) {
  if (field.Is(1, wire_internal::kVarint)) return Nest<StaticState>(StaticState(field.number_value() != 0));
  if (field.Is(2, wire_internal::kVarint)) return Nest<StaticState>(StaticState(wire_internal::ZigZag64(field.number_value())));
  if (field.Is(3, wire_internal::kI64)) return Nest<StaticState>(StaticState(std::bit_cast<double>(field.number_value())));
  if (field.Is(4, wire_internal::kLen)) return Nest<StaticState>(StaticState(std::string(field.bytes())));
  if (field.Is(5, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Shape shape, ReadShape(source, field.bytes()));
    return Nest<StaticState>(StaticState(shape));
  }
  if (field.Is(6, wire_internal::kVarint)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, ReadDType(source, field.position, field.number_value()));
    return Nest<StaticState>(StaticState(dtype));
  }
  if (field.Is(7, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, ReadSpec(source, field.bytes(), depth + 1));
    return Nest<StaticState>(StaticState(std::move(spec)));
  }
  if (field.Is(8, wire_internal::kLen) || field.Is(9, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Nest<StaticState>> items, ReadItems(source, field.bytes(), depth));
    return field.Is(8, wire_internal::kLen) ? Nest<StaticState>::List(std::move(items))
                                            : Nest<StaticState>::Tuple(std::move(items));
  }
  if (field.Is(10, wire_internal::kLen)) return ReadDict(source, field.bytes(), depth);
  return Nest<StaticState>();  // unknown
}

absl::StatusOr<Nest<StaticState>> ReadState(const Source& source, std::string_view bytes, int depth) {
  if (depth > kMaxSpecDepth) return source.At(bytes.data(), extension_types_internal::CheckSpecDepth(depth));
  Nest<StaticState> state;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Nest<StaticState> kind, ReadStateKind(source, field, depth));
    if (kind.kind() == NestKind::kNone) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(field.Once(state.kind() != NestKind::kNone));
    state = std::move(kind);
    return absl::OkStatus();
  }));
  return state;
}

absl::StatusOr<TypeSpec> ReadExtension(const Source& source, std::string_view bytes, int depth) {
  std::string type_name;
  std::optional<Nest<StaticState>> state;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    if (field.Is(1, wire_internal::kLen)) type_name = std::string(field.bytes());
    if (field.Is(2, wire_internal::kLen)) {
      STRUCTTENSOR_RETURN_IF_ERROR(field.Once(state.has_value()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(state, ReadState(source, field.bytes(), depth + 1));
    }
    return absl::OkStatus();
  }));
  auto spec = source.registry.Deserialize(type_name, state.value_or(Nest<StaticState>()));
  if (!spec.ok()) return source.At(bytes.data(), spec.status());
  return TypeSpec(*std::move(spec));
}

// Reads one field of a TypeSpec. Returns nullopt if the field is unknown.
absl::StatusOr<std::optional<TypeSpec>> ReadSpecKind(const Source& source, const SpecField& field, int depth) {
  if (field.Is(1, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TensorSpec spec, ReadTensor(source, field.bytes()));
    return TypeSpec(std::move(spec));
  }
  if (field.Is(2, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RaggedTensorSpec spec, ReadRagged(source, field.bytes()));
    return TypeSpec(std::move(spec));
  }
  if (field.Is(3, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensorSpec spec, ReadStructs(source, field.bytes(), depth));
    return TypeSpec(std::move(spec));
  }
  if (field.Is(4, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartitionSpec spec, ReadPartition(source, field.bytes()));
    return TypeSpec(spec);
  }
  if (field.Is(5, wire_internal::kLen)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(TypeSpec spec, ReadExtension(source, field.bytes(), depth));
    return spec;
  }
  return std::nullopt;
}

absl::StatusOr<TypeSpec> ReadSpec(const Source& source, std::string_view bytes, int depth) {
  if (depth > kMaxSpecDepth) return source.At(bytes.data(), extension_types_internal::CheckSpecDepth(depth));
  std::optional<TypeSpec> spec;
  STRUCTTENSOR_RETURN_IF_ERROR(ForEachField(source, bytes, [&](const SpecField& field) -> absl::Status {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<TypeSpec> kind, ReadSpecKind(source, field, depth));
    if (!kind) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(field.Once(spec.has_value()));
    spec = std::move(kind);
    return absl::OkStatus();
  }));
  if (!spec) return source.Error(bytes.data(), "the kind of this spec is not known; a newer version may have written it");
  return *std::move(spec);
}

}  // namespace

absl::StatusOr<TypeSpec> ParseTypeSpec(std::string_view bytes, const TypeRegistry& registry) {
  if (bytes.size() > wire_internal::kMaxLengthBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a serialized spec of ", bytes.size(), " bytes; messages have less than 2 GiB"));
  }
  std::string padded(bytes);
  padded.append(wire_internal::kReadableSlackBytes, '\0');  // as FieldReader requires
  return ReadSpec(Source{padded.data(), registry}, std::string_view(padded).substr(0, bytes.size()), 1);
}

}  // namespace structtensor
