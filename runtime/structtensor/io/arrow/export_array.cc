#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/internal/children.h"
#include "structtensor/io/arrow/internal/layout.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using arrow_internal::Children;
using arrow_internal::FieldPath;

// An array with everything that its ArrowArray points at. Every exported array has offset 0: slices have moved pointers
// instead.
struct ArrayParts {
  int64_t length = 0;
  int64_t null_count = 0;
  size_t buffer_count = 0;
  std::array<const void*, 3> buffers = {};
  std::array<std::shared_ptr<const void>, 3> owners;
  Children<ArrowArray> children;
  Children<ArrowArray> dictionary;  // the dictionary's values, or none
};
using OwnedArray = std::unique_ptr<ArrayParts>;

void ReleaseArray(ArrowArray* array) {
  delete static_cast<ArrayParts*>(array->private_data);
  array->release = nullptr;
}

void Publish(OwnedArray parts, ArrowArray* out) {
  *out = {};
  out->length = parts->length;
  out->null_count = parts->null_count;
  out->n_buffers = static_cast<int64_t>(parts->buffer_count);
  out->n_children = parts->children.size();
  out->buffers = parts->buffers.data();
  out->children = parts->children.Pointers();
  if (parts->dictionary.size() > 0) out->dictionary = parts->dictionary.Pointers()[0];
  out->release = ReleaseArray;
  out->private_data = parts.release();
}

OwnedArray MakeArray(int64_t length) {
  auto array = std::make_unique<ArrayParts>();
  array->length = length;
  array->buffer_count = 1;  // validity, none until set
  return array;
}

template <typename T>
void AddBuffer(ArrayParts& array, const Buffer<T>& buffer) {
  // Only validity may be null. Consumers treat other null buffers in different ways, even empty ones.
  alignas(64) static constexpr char kNothing[64] = {};
  array.buffers[array.buffer_count] = buffer.data() != nullptr ? static_cast<const void*>(buffer.data()) : kNothing;
  array.owners[array.buffer_count] = buffer.owner();
  ++array.buffer_count;
}

void AddChild(ArrayParts& parent, OwnedArray child) { Publish(std::move(child), parent.children.Add()); }

size_t BitmapBytes(int64_t size_bits) { return static_cast<size_t>((size_bits + 7) / 8); }

// Returns the bits of elements [0, size_elements), starting with the first bit of the first byte.
Buffer<uint8_t> AlignedBits(const Validity& validity, int64_t size_elements) {
  const size_t first_byte = static_cast<size_t>(validity.bit_offset() / 8);
  const int shift = static_cast<int>(validity.bit_offset() % 8);
  const size_t size_bytes = BitmapBytes(size_elements);
  if (shift == 0) return validity.bits().Slice(first_byte, size_bytes);
  const uint8_t* from = validity.bits().data() + first_byte;
  const size_t from_bytes = BitmapBytes(shift + size_elements);
  std::vector<uint8_t> bits(size_bytes);
  for (size_t i = 0; i < size_bytes; ++i) {
    const int low = from[i] >> shift;
    const int high = i + 1 < from_bytes ? from[i + 1] << (8 - shift) : 0;
    bits[i] = static_cast<uint8_t>(low | high);
  }
  return Buffer<uint8_t>::FromVector(std::move(bits));
}

// Without instructions that not all processors have, std::popcount is a call.
int64_t CountOnes(uint64_t word) {
  word -= word >> 1 & 0x5555'5555'5555'5555;
  word = (word & 0x3333'3333'3333'3333) + (word >> 2 & 0x3333'3333'3333'3333);
  word = (word + (word >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
  return static_cast<int64_t>(word * 0x0101'0101'0101'0101 >> 56);
}

int64_t CountZeros(const Buffer<uint8_t>& bits, int64_t size_bits) {
  const uint8_t* bytes = bits.data();
  const size_t full_bytes = static_cast<size_t>(size_bits / 8);
  int64_t ones = 0;
  size_t i = 0;
  for (; i + 8 <= full_bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    ones += CountOnes(word);
  }
  for (; i < full_bytes; ++i) ones += CountOnes(bytes[i]);
  const int tail_bits = static_cast<int>(size_bits % 8);
  if (tail_bits > 0) ones += CountOnes(bytes[i] & ((uint64_t{1} << tail_bits) - 1));
  return size_bits - ones;
}

// Packs values into bits: bit i is 0 if element i is 0, else 1.
Buffer<uint8_t> PackBits(std::span<const uint8_t> values) {
  std::vector<uint8_t> bits(BitmapBytes(static_cast<int64_t>(values.size())));
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    uint64_t eight;
    std::memcpy(&eight, &values[i], sizeof(eight));
    constexpr uint64_t kLowBits = 0x7f7f'7f7f'7f7f'7f7f;
    const uint64_t ones = (((eight & kLowBits) + kLowBits) | eight) >> 7 & ~kLowBits >> 7;  // 1 in each byte that is not 0
    bits[i / 8] = static_cast<uint8_t>(ones * 0x0102'0408'1020'4080 >> 56);                 // byte i of `ones` becomes bit i
  }
  for (; i < values.size(); ++i) bits[i / 8] |= static_cast<uint8_t>((values[i] != 0) << (i % 8));
  return Buffer<uint8_t>::FromVector(std::move(bits));
}

OwnedArray LargeListOf(const RowPartition& partition, OwnedArray item) {
  OwnedArray list = MakeArray(partition.nrows());
  AddBuffer(*list, partition.row_splits());
  AddChild(*list, std::move(item));
  return list;
}

// Walks down a value and its spec together. Where they differ, the columns would not fit the exported schema.
class ArrayExporter {
 public:
  // Exports the structs themselves, without their partitions.
  absl::StatusOr<OwnedArray> ExportFlatStructs(const StructuredTensor& structs, const StructuredTensorSpec& spec,
                                               std::span<ArrowLayout> layouts) {
    const std::span<const FieldSpec> field_specs = spec.flat_fields();
    if (structs.num_fields() != field_specs.size() || structs.kind() != spec.kind()) return Mismatch(structs.spec(), spec);
    const bool is_map = arrow_internal::IsMap(spec);
    OwnedArray array = MakeArray(structs.flat_nrows());
    STRUCTTENSOR_RETURN_IF_ERROR(SetValidity(*array, structs.validity(), spec.nullable() && !is_map));
    for (size_t i = 0; i < field_specs.size(); ++i) {
      const FieldPath::Step step(path_, field_specs[i].name);
      if (structs.field_names()[i] != field_specs[i].name) {
        return path_.InvalidArgument(
            absl::StrCat("found field ", structs.field_names()[i], " in its place; the batch is not of the exported schema"));
      }
      const bool is_key = is_map && i == 0;
      ArrowLayout* const layout = arrow_internal::LayoutOf(field_specs[i].name, layouts);
      STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedArray child, ExportField(structs.flat_field(i), field_specs[i].spec, is_key, layout));
      AddChild(*array, std::move(child));
    }
    return array;
  }

  // `layout`: the column's, or null.
  absl::StatusOr<OwnedArray> ExportField(const Value& value, const TypeSpec& spec, bool is_key, ArrowLayout* layout) {
    if (value.tensor() != nullptr && spec.tensor() != nullptr) {
      const bool nullable = spec.tensor()->nullable() && !is_key;
      return ExportTensor(*value.tensor(), *spec.tensor(), nullable, layout);
    }
    if (value.ragged() != nullptr && spec.ragged() != nullptr) {
      return ExportRagged(*value.ragged(), *spec.ragged(), layout);
    }
    if (value.structured() != nullptr && spec.structured() != nullptr) {
      return ExportStructs(*value.structured(), *spec.structured(), layout);
    }
    return Mismatch(value.spec(), spec);
  }

 private:
  absl::StatusOr<OwnedArray> ExportTensor(const Tensor& tensor, const TensorSpec& spec, bool nullable, ArrowLayout* layout) {
    const Shape& shape = tensor.shape();
    if (tensor.dtype() != spec.dtype() || shape.rank() != spec.shape().rank()) return Mismatch(tensor.spec(), spec);
    for (int axis = 1; axis < shape.rank(); ++axis) {
      if (shape[axis] != spec.shape()[axis]) return Mismatch(tensor.spec(), spec);
    }
    OwnedArray array = MakeArray(tensor.size_elements());
    if (!arrow_internal::HasFixedSize(spec, layout)) {
      STRUCTTENSOR_RETURN_IF_ERROR(SetValidity(*array, tensor.validity(), nullable));
    }
    if (arrow_internal::HasDictionary(spec, layout)) {
      STRUCTTENSOR_RETURN_IF_ERROR(SetIndices(*array, tensor, *layout));
    } else if (arrow_internal::HasFixedSize(spec, layout)) {
      STRUCTTENSOR_RETURN_IF_ERROR(SetFixedSize(*array, tensor, nullable || layout->empty_is_null, layout->fixed_size_bytes));
    } else if (IsStringLike(tensor.dtype())) {
      AddBuffer(*array, tensor.string_offsets());
      AddBuffer(*array, tensor.string_bytes());
    } else if (tensor.dtype() == DType::kBool) {
      AddBuffer(*array, PackBits(tensor.values<uint8_t>()));
    } else {
      VisitStoredType(tensor.dtype(), [&]<typename T>() { AddBuffer(*array, tensor.buffer<T>()); });
    }
    for (int axis = shape.rank() - 1; axis > 0; --axis) {
      int64_t list_count = 1;
      for (int outer = 0; outer < axis; ++outer) list_count *= shape[outer];
      OwnedArray lists = MakeArray(list_count);
      AddChild(*lists, std::move(array));
      array = std::move(lists);
    }
    return array;
  }

  absl::StatusOr<OwnedArray> ExportRagged(const RaggedTensor& ragged, const RaggedTensorSpec& spec, ArrowLayout* layout) {
    if (ragged.ragged_rank() != spec.ragged_rank()) return Mismatch(ragged.spec(), spec);
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        OwnedArray array, ExportTensor(ragged.flat_values(), spec.flat_values(), spec.flat_values().nullable(), layout));
    return GroupBy(ragged.row_partitions(), spec.row_partitions(), false, std::move(array));
  }

  absl::StatusOr<OwnedArray> ExportStructs(const StructuredTensor& structs, const StructuredTensorSpec& spec,
                                           ArrowLayout* layout) {
    if (structs.rank() != spec.rank()) return Mismatch(structs.spec(), spec);
    STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedArray array, ExportFlatStructs(structs, spec, arrow_internal::FieldsOf(layout)));
    std::span<const RowPartition> partitions = structs.row_partitions();
    if (arrow_internal::IsMap(spec)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(array, MapOf(partitions.back(), std::move(array)));
      partitions = partitions.first(partitions.size() - 1);
    }
    return GroupBy(partitions, std::span(spec.row_partitions()).first(partitions.size()), true, std::move(array));
  }

  // Sets values of one size. They are already adjacent, unless absent values have no bytes.
  absl::Status SetFixedSize(ArrayParts& array, const Tensor& bytes, bool nullable, int32_t size_bytes) const {
    const std::span<const int32_t> offsets = bytes.string_offsets().span();
    const auto count = static_cast<size_t>(bytes.size_elements());
    const Validity& validity = bytes.validity();
    const auto is_valid = [&](size_t i) { return !validity.has_bits() || validity.is_valid(static_cast<int64_t>(i)); };
    bool all_have_it = true;
    for (size_t i = 0; i < count; ++i) {
      const int32_t found_bytes = offsets[i + 1] - offsets[i];
      if (found_bytes == size_bytes) continue;
      if (found_bytes != 0 && is_valid(i)) {
        return path_.InvalidArgument(
            absl::StrCat("found a value of ", found_bytes, " bytes, where each has a fixed size of ", size_bytes));
      }
      all_have_it = false;
    }
    if (all_have_it) {
      STRUCTTENSOR_RETURN_IF_ERROR(SetValidity(array, validity, nullable));
      const size_t first = count == 0 ? 0 : static_cast<size_t>(offsets[0]);
      AddBuffer(array, bytes.string_bytes().Slice(first, count * static_cast<size_t>(size_bytes)));
      return absl::OkStatus();
    }
    constexpr size_t kMaxBytes = size_t{1} << 31;
    if (count > kMaxBytes / static_cast<size_t>(size_bytes)) {
      return path_.ResourceExhausted(absl::StrCat(count, " values of ", size_bytes,
                                                  " bytes, absent ones among them, are more than 2 GiB; take fewer rows at a "
                                                  "time, or take fixed_size out"));
    }
    std::vector<uint8_t> present(count);
    std::vector<char> values(count * static_cast<size_t>(size_bytes));
    for (size_t i = 0; i < count; ++i) {
      const std::string_view value = bytes.string_at(static_cast<int64_t>(i));
      if (value.size() != static_cast<size_t>(size_bytes)) continue;
      present[i] = is_valid(i) ? 1 : 0;
      std::copy(value.begin(), value.end(), values.begin() + static_cast<ptrdiff_t>(i * static_cast<size_t>(size_bytes)));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(SetBits(array, PackBits(present), nullable));
    AddBuffer(array, Buffer<char>::FromVector(std::move(values)));
    return absl::OkStatus();
  }

  // Sets strings as indices into the names of a layout. Adds the names that the layout lacks.
  absl::Status SetIndices(ArrayParts& array, const Tensor& strings, ArrowLayout& layout) const {
    std::unordered_map<std::string_view, int32_t> index_of_name;  // keys are in layout.dictionary_names and `strings`
    for (const std::string& name : layout.dictionary_names) {
      index_of_name.try_emplace(name, static_cast<int32_t>(index_of_name.size()));
    }
    std::vector<int32_t> indices(static_cast<size_t>(strings.size_elements()));
    std::vector<std::string_view> added;
    const std::string_view* last = nullptr;  // neighbours are often equal
    int32_t last_index = 0;
    for (int64_t i = 0; i < strings.size_elements(); ++i) {
      if (!strings.is_valid(i)) continue;
      const std::string_view text = strings.string_at(i);
      if (last == nullptr || *last != text) {
        const auto [found, is_new] = index_of_name.try_emplace(text, static_cast<int32_t>(index_of_name.size()));
        if (is_new) added.push_back(text);
        last = &found->first;
        last_index = found->second;
      }
      indices[static_cast<size_t>(i)] = last_index;
    }
    if (index_of_name.size() > kMaxDictionaryNames) {
      return path_.ResourceExhausted(absl::StrCat("more than ", kMaxDictionaryNames,
                                                  " different values; annotate the enum with enum_as: NAME or NUMBER, which "
                                                  "need no dictionary"));
    }
    layout.dictionary_names.insert(layout.dictionary_names.end(), added.begin(), added.end());
    AddBuffer(array, Buffer<int32_t>::FromVector(std::move(indices)));
    const Tensor names = Tensor::FromVector(layout.dictionary_names);
    OwnedArray values = MakeArray(names.size_elements());
    AddBuffer(*values, names.string_offsets());
    AddBuffer(*values, names.string_bytes());
    Publish(std::move(values), array.dictionary.Add());
    return absl::OkStatus();
  }

  // Partitions come outermost first.
  absl::StatusOr<OwnedArray> GroupBy(std::span<const RowPartition> partitions, std::span<const RowPartitionSpec> specs,
                                     bool of_structs, OwnedArray array) const {
    const size_t fixed_end = arrow_internal::FixedSizeListsEnd(specs, of_structs);
    for (size_t i = partitions.size(); i > 0; --i) {
      const RowPartition& partition = partitions[i - 1];
      if (i > fixed_end || !arrow_internal::IsFixedSizeList(specs[i - 1])) {
        array = LargeListOf(partition, std::move(array));
        continue;
      }
      if (partition.uniform_row_length() != specs[i - 1].uniform_row_length) {
        return path_.InvalidArgument(absl::StrCat("found ", partition.DebugString(), ", expected rows of ",
                                                  specs[i - 1].uniform_row_length,
                                                  " values; the batch is not of the exported schema"));
      }
      OwnedArray lists = MakeArray(partition.nrows());
      AddChild(*lists, std::move(array));
      array = std::move(lists);
    }
    return array;
  }

  absl::StatusOr<OwnedArray> MapOf(const RowPartition& partition, OwnedArray entries) {
    constexpr int64_t kMaxEntries = std::numeric_limits<int32_t>::max();
    if (partition.nvals() > kMaxEntries) {
      return path_.OutOfRange(absl::StrCat("the maps of this batch have ", partition.nvals(),
                                           " entries, and Arrow's maps hold ", kMaxEntries,
                                           " at most; decode smaller batches"));
    }
    const std::span<const int64_t> row_splits = partition.row_splits().span();
    std::vector<int32_t> offsets(row_splits.size());
    std::transform(row_splits.begin(), row_splits.end(), offsets.begin(),
                   [](int64_t split) { return static_cast<int32_t>(split); });
    OwnedArray map = MakeArray(partition.nrows());
    AddBuffer(*map, Buffer<int32_t>::FromVector(std::move(offsets)));
    AddChild(*map, std::move(entries));
    return map;
  }

  absl::Status SetValidity(ArrayParts& array, const Validity& validity, bool nullable) const {
    if (!validity.has_bits() || array.length == 0) return absl::OkStatus();
    return SetBits(array, AlignedBits(validity, array.length), nullable);
  }

  absl::Status SetBits(ArrayParts& array, const Buffer<uint8_t>& bits, bool nullable) const {
    array.null_count = CountZeros(bits, array.length);
    if (array.null_count == 0) return absl::OkStatus();
    if (!nullable) {
      return path_.InvalidArgument(
          absl::StrCat("found ", array.null_count, " absent values of ", array.length, " where the schema allows none"));
    }
    array.buffers[0] = bits.data();
    array.owners[0] = bits.owner();
    return absl::OkStatus();
  }

  absl::Status Mismatch(const TypeSpec& found, const TypeSpec& expected) const {
    return path_.InvalidArgument(absl::StrCat("found ", found.DebugString(), ", expected ", expected.DebugString(),
                                              "; the batch is not of the exported schema"));
  }

  FieldPath path_;
};

}  // namespace

absl::Status ExportBatch(const StructuredTensor& batch, const StructuredTensorSpec& spec, ArrowArray* out,
                         std::span<ArrowLayout> layouts) {
  *out = {};
  if (batch.rank() != 1 || spec.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("cannot export a structured tensor of rank ", batch.rank(), " and spec ",
                                                   TypeSpec(spec).DebugString(), " as a record batch: expected rank 1"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedArray array, ArrayExporter().ExportFlatStructs(batch, spec, layouts));
  Publish(std::move(array), out);
  return absl::OkStatus();
}

absl::Status ExportBatch(const StructuredTensor& batch, ArrowArray* out) { return ExportBatch(batch, batch.spec(), out); }

absl::Status ExportValue(const Value& value, ArrowArray* out) {
  *out = {};
  if (value.rank() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot export ", value.spec().DebugString(),
                                                   " as an Arrow array: it has no rows; expected rank 1 or more"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedArray array, ArrayExporter().ExportField(value, value.spec(), false, nullptr));
  Publish(std::move(array), out);
  return absl::OkStatus();
}

}  // namespace structtensor
