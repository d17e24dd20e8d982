#include "structtensor/bridges/arrow/import.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/bridges/arrow/internal/layout.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/dtype.h"

namespace structtensor {
namespace {

using arrow_internal::ElementFormat;
using arrow_internal::FieldPath;

// Deeper ones would exhaust the stack.
constexpr int kMaxNesting = 200;

// The dtype that is exported as `format`; kBfloat16, which none is, for any other. Time zones do not matter: a timestamp is a
// point in time, in whatever zone it is shown.
DType DTypeOfFormat(std::string_view format) {
  if (format.starts_with("ts")) {
    const size_t colon = format.find(':');
    // Without a zone it is local time of nobody knows where; it is taken for UTC, as Arrow's own casts do.
    const std::string in_utc = absl::StrCat(ToAbsl(format.substr(0, colon)), ":UTC");
    for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
      const DType dtype = static_cast<DType>(i);
      if (IsTimestamp(dtype) && in_utc == ElementFormat(dtype)) return dtype;
    }
    return DType::kBfloat16;
  }
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const char* const own = ElementFormat(static_cast<DType>(i));
    if (own != nullptr && format == own) return static_cast<DType>(i);
  }
  return DType::kBfloat16;
}

class Importer {
 public:
  explicit Importer(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}

  absl::StatusOr<StructuredTensor> Batch(const ArrowSchema& schema, const ArrowArray& array) {
    if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
      return path_.InvalidArgument(
          absl::StrCat("expected a record batch, a struct \"+s\"; found the type ", FormatText(schema)));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Any(schema, array, 0, array.length));
    return *value.structured();
  }

  absl::StatusOr<Value> Array(const ArrowSchema& schema, const ArrowArray& array) {
    return Any(schema, array, 0, array.length);
  }

 private:
  static std::string FormatText(const ArrowSchema& schema) {
    return absl::StrCat("\"", schema.format == nullptr ? "" : schema.format, "\"");
  }

  // The name that people know, and the format.
  static std::string TypeText(const ArrowSchema& schema) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"n", "null"},    {"vu", "string_view"}, {"vz", "binary_view"},    {"tdD", "date32"},    {"tdm", "date64"},
        {"tt", "time"},   {"ti", "interval"},    {"d:", "decimal"},        {"+vl", "list_view"}, {"+vL", "large_list_view"},
        {"+ud", "union"}, {"+us", "union"},      {"+r", "run_end_encoded"}};
    for (const auto& [begin, name] : kNames) {
      if (std::string_view(schema.format).starts_with(begin)) return absl::StrCat(ToAbsl(name), " (", FormatText(schema), ")");
    }
    return FormatText(schema);
  }

  template <typename T>
  Buffer<T> Share(const void* data, int64_t size) const {
    return Buffer<T>(owner_, static_cast<const T*>(data), static_cast<size_t>(size));
  }

  // Elements [begin, begin + size) of `array`, counted behind its own offset, as a value of rank 1 or more.
  absl::StatusOr<Value> Any(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t size) {
    if (++nesting_ > kMaxNesting) {
      return path_.InvalidArgument(absl::StrCat("lists and structs are nested deeper than ", kMaxNesting, " levels"));
    }
    absl::StatusOr<Value> value = Dispatch(schema, array, begin, size);
    --nesting_;
    return value;
  }

  absl::StatusOr<Value> Dispatch(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t size) {
    if (schema.format == nullptr) return path_.InvalidArgument("the type has no format");
    int64_t end = 0;
    if (array.length < 0 || array.offset < 0 || begin > array.length || size > array.length - begin ||
        __builtin_add_overflow(array.offset, array.length, &end)) {
      return path_.InvalidArgument(
          absl::StrCat("the array has ", array.length, " elements; at least ", begin + size, " are needed"));
    }
    if (array.n_children != schema.n_children) {
      return path_.InvalidArgument(
          absl::StrCat("the array has ", array.n_children, " children, its type ", FormatText(schema), " ", schema.n_children));
    }
    for (int64_t i = 0; i < schema.n_children; ++i) {
      if (schema.children == nullptr || array.children == nullptr || schema.children[i] == nullptr ||
          array.children[i] == nullptr) {
        return path_.InvalidArgument(absl::StrCat("child ", i, " of the array or of its type is missing"));
      }
    }
    if (array.n_buffers > 0 && array.buffers == nullptr) return path_.InvalidArgument("the array has no buffers");
    if (schema.dictionary != nullptr) return Dictionary(schema, array, begin, size);
    const std::string_view format = schema.format;
    const int64_t first = array.offset + begin;
    if (format == "+s") return Struct(schema, array, first, size);
    if (format == "+l" || format == "+L" || format == "+m") return List(schema, array, first, size);
    if (format.starts_with("+w:")) return FixedSizeList(schema, array, first, size);
    return Scalars(schema, array, first, size);
  }

  absl::Status CheckBuffers(const ArrowSchema& schema, const ArrowArray& array, int64_t count) const {
    if (array.n_buffers != count) {
      return path_.InvalidArgument(
          absl::StrCat("an array of type ", FormatText(schema), " has ", count, " buffers; found ", array.n_buffers));
    }
    return absl::OkStatus();
  }

  // --- Validity

  static const uint8_t* NullBits(const ArrowArray& array) {
    if (array.n_buffers == 0 || array.null_count == 0) return nullptr;
    return static_cast<const uint8_t*>(array.buffers[0]);
  }
  static bool IsValid(const ArrowArray& array, int64_t i) {
    const uint8_t* const bits = NullBits(array);
    return bits == nullptr || (bits[i >> 3] >> (i & 7) & 1) != 0;
  }

  Validity ValidityOf(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) const {
    const uint8_t* const bits = NullBits(array);
    if (bits != nullptr) return Validity(Share<uint8_t>(bits, (first + size + 7) / 8), first);
    if ((schema.flags & ARROW_FLAG_NULLABLE) == 0) return Validity();
    return Validity(Buffer<uint8_t>::FromVector(std::vector<uint8_t>(static_cast<size_t>(size) / 8 + 1, 0xff)));
  }

  // --- Scalars

  template <typename From, typename To>
  static Tensor Widened(const void* data, int64_t first, int64_t size, Validity validity) {
    const From* const from = static_cast<const From*>(data) + first;
    return Tensor::FromBuffer(Buffer<To>::FromVector(std::vector<To>(from, from + size)), DTypeOf<To>::value,
                              std::move(validity));
  }

  absl::StatusOr<Value> Scalars(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    const std::string_view format = schema.format;
    if (format == "u" || format == "z") return Strings<int32_t>(schema, array, first, size);
    if (format == "U" || format == "Z") return Strings<int64_t>(schema, array, first, size);
    if (format.starts_with("w:")) return FixedSizeBinary(schema, array, first, size);
    const DType dtype = DTypeOfFormat(format);
    const bool small = format == "c" || format == "s" || format == "C" || format == "S";
    if (dtype == DType::kBfloat16 && !small) {
      return path_.InvalidArgument(absl::StrCat("a column of the Arrow type ", TypeText(schema),
                                                " cannot be read; cast it to a number, string, binary, list, map or struct"));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    const void* const data = array.buffers[1];
    if (data == nullptr && size > 0) return path_.InvalidArgument("the array has no values");
    Validity validity = ValidityOf(schema, array, first, size);
    if (size == 0) {
      return Value(
          VisitStoredType(small ? (format == "c" || format == "s" ? DType::kInt32 : DType::kUint32) : dtype, [&]<typename T>() {
            return Tensor::FromBuffer(Buffer<T>::FromVector({}), small ? DTypeOf<T>::value : dtype, std::move(validity));
          }));
    }
    if (format == "c") return Value(Widened<int8_t, int32_t>(data, first, size, std::move(validity)));
    if (format == "s") return Value(Widened<int16_t, int32_t>(data, first, size, std::move(validity)));
    if (format == "C") return Value(Widened<uint8_t, uint32_t>(data, first, size, std::move(validity)));
    if (format == "S") return Value(Widened<uint16_t, uint32_t>(data, first, size, std::move(validity)));
    if (dtype == DType::kBool) {
      std::vector<uint8_t> values(static_cast<size_t>(size));
      const uint8_t* const bits = static_cast<const uint8_t*>(data);
      for (int64_t i = 0; i < size; ++i) values[static_cast<size_t>(i)] = bits[(first + i) >> 3] >> ((first + i) & 7) & 1;
      return Value(Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(values)), dtype, std::move(validity)));
    }
    return Value(VisitStoredType(dtype, [&]<typename T>() {
      return Tensor::FromBuffer(Share<T>(static_cast<const T*>(data) + first, size), dtype, std::move(validity));
    }));
  }

  template <typename Offset>
  absl::StatusOr<Value> Strings(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 3));
    const DType dtype = (schema.format[0] | 0x20) == 'u' ? DType::kString : DType::kBytes;
    Validity validity = ValidityOf(schema, array, first, size);
    const Offset* const offsets = static_cast<const Offset*>(array.buffers[1]);
    if (size == 0 || offsets == nullptr) {
      if (size != 0) return path_.InvalidArgument("the array has no offsets");
      return Value(
          Tensor::FromStrings(Buffer<int32_t>::FromVector({0}), Buffer<char>::FromVector({}), dtype, std::move(validity)));
    }
    // All of them, not only those that are taken: whoever has checked the last one against the bytes has then checked each.
    STRUCTTENSOR_RETURN_IF_ERROR(CheckOffsets(offsets + array.offset, array.length, std::numeric_limits<int64_t>::max()));
    const int64_t end = offsets[first + size];
    const char* const bytes = static_cast<const char*>(array.buffers[2]);
    if (bytes == nullptr && end != 0) return path_.InvalidArgument("the array has no bytes");
    if constexpr (sizeof(Offset) == 4) {
      return Value(
          Tensor::FromStrings(Share<int32_t>(offsets + first, size + 1), Share<char>(bytes, end), dtype, std::move(validity)));
    } else {
      const int64_t begin = offsets[first];
      if (end - begin > std::numeric_limits<int32_t>::max()) {
        return path_.OutOfRange(
            absl::StrCat(end - begin, " bytes of strings exceed the 2 GiB of a column; read fewer rows at a time"));
      }
      std::vector<int32_t> small(static_cast<size_t>(size) + 1);
      for (int64_t i = 0; i <= size; ++i) small[static_cast<size_t>(i)] = static_cast<int32_t>(offsets[first + i] - begin);
      return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(small)),
                                       Share<char>(bytes == nullptr ? nullptr : bytes + begin, end - begin), dtype,
                                       std::move(validity)));
    }
  }

  absl::StatusOr<Value> FixedSizeBinary(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t width, LengthIn(schema, 2));
    if (size > 0 && width > 0 && (array.buffers[1] == nullptr || width > std::numeric_limits<int32_t>::max() / size)) {
      return path_.OutOfRange(
          absl::StrCat(size, " values of ", width, " bytes exceed the 2 GiB of a column, or are not there"));
    }
    std::vector<int32_t> offsets(static_cast<size_t>(size) + 1);
    for (int64_t i = 0; i <= size; ++i) offsets[static_cast<size_t>(i)] = static_cast<int32_t>(i * width);
    const char* const bytes = static_cast<const char*>(array.buffers[1]);
    return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                     Share<char>(bytes == nullptr ? nullptr : bytes + first * width, size * width),
                                     DType::kBytes, ValidityOf(schema, array, first, size)));
  }

  // The number in "w:N" and "+w:N", behind `prefix` characters.
  absl::StatusOr<int64_t> LengthIn(const ArrowSchema& schema, size_t prefix) const {
    int64_t length = -1;
    if (!absl::SimpleAtoi(schema.format + prefix, &length) || length < 0) {
      return path_.InvalidArgument(absl::StrCat("the type ", FormatText(schema), " has no length"));
    }
    return length;
  }

  template <typename Offset>
  absl::Status CheckOffsets(const Offset* offsets, int64_t size, int64_t limit) const {
    bool ascending = offsets[0] >= 0;
    for (int64_t i = 0; i < size; ++i) ascending &= offsets[i] <= offsets[i + 1];
    if (ascending && int64_t{offsets[size]} <= limit) return absl::OkStatus();
    return path_.InvalidArgument("the offsets of the array decrease, or exceed what it has");
  }

  // --- Structs and lists

  absl::StatusOr<Value> Struct(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size,
                               StructKind kind = StructKind::kStruct) {
    std::vector<Field> fields;
    std::vector<std::string_view> names;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& child = *schema.children[i];
      std::string name = child.name == nullptr ? "" : child.name;
      const FieldPath::Step step(path_, child.name == nullptr ? "" : child.name);
      if (name.empty()) return path_.InvalidArgument("a field of a struct has no name");
      if (child.format != nullptr && std::string_view(child.format) == "n") continue;  // nothing is known of it
      names.push_back(child.name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Any(child, *array.children[i], first, size));
      fields.push_back({std::move(name), std::move(value)});
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
      return path_.InvalidArgument(absl::StrCat("there are two fields named ", ToAbsl(*twice)));
    }
    return Value(StructuredTensor::Create({}, size, std::move(fields), kind, ValidityOf(schema, array, first, size)));
  }

  absl::StatusOr<Value> List(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    if (schema.n_children != 1) return path_.InvalidArgument("a list has one child, its elements");
    const ArrowSchema& item = *schema.children[0];
    const ArrowArray& items = *array.children[0];
    std::vector<int64_t> splits(static_cast<size_t>(size) + 1);
    int64_t begin = 0;
    bool shared = false;
    const auto read = [&](const auto* offsets) -> absl::Status {
      if (offsets == nullptr) return size == 0 ? absl::OkStatus() : path_.InvalidArgument("the array has no offsets");
      STRUCTTENSOR_RETURN_IF_ERROR(CheckOffsets(offsets + first, size, items.length));
      begin = offsets[first];
      for (int64_t i = 0; i <= size; ++i) splits[static_cast<size_t>(i)] = offsets[first + i] - begin;
      if constexpr (sizeof(*offsets) == 8) shared = begin == 0;
      return absl::OkStatus();
    };
    const bool is_large = schema.format[1] == 'L';
    STRUCTTENSOR_RETURN_IF_ERROR(is_large ? read(static_cast<const int64_t*>(array.buffers[1]))
                                          : read(static_cast<const int32_t*>(array.buffers[1])));
    if (NullBits(array) != nullptr) {
      for (int64_t i = 0; i < size; ++i) {
        const auto at = static_cast<size_t>(i);
        if (!IsValid(array, first + i) && splits[at] != splits[at + 1]) {
          return path_.InvalidArgument("a list that is null has elements; leave them out before exporting the array");
        }
      }
    }
    const int64_t nvals = splits.back();
    const RowPartition partition = RowPartition::FromRowSplitsUnchecked(
        shared ? Share<int64_t>(static_cast<const int64_t*>(array.buffers[1]) + first, size + 1)
               : Buffer<int64_t>::FromVector(std::move(splits)));
    if (schema.format[1] == 'm') {
      if (item.format == nullptr || std::string_view(item.format) != "+s" || item.n_children != 2) {
        return path_.InvalidArgument("a map has entries of a key and a value");
      }
      return MapEntries(partition, item, items, begin, nvals);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value elements, Any(item, items, begin, nvals));
    return WithOuterPartition(partition, elements);
  }

  // Whatever the producer calls them, they are key and value.
  absl::StatusOr<Value> MapEntries(const RowPartition& partition, const ArrowSchema& entry, const ArrowArray& entries,
                                   int64_t begin, int64_t size) {
    if (entries.n_children != 2 || entries.children == nullptr || entries.children[0] == nullptr ||
        entries.children[1] == nullptr || entry.children == nullptr || entry.children[0] == nullptr ||
        entry.children[1] == nullptr || begin + size > entries.length || entries.offset < 0) {
      return path_.InvalidArgument("the entries of a map are missing, or fewer than its offsets say");
    }
    std::vector<Field> fields;
    for (int i = 0; i < 2; ++i) {
      const char* const name = i == 0 ? "key" : "value";
      const FieldPath::Step step(path_, name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Any(*entry.children[i], *entries.children[i], entries.offset + begin, size));
      fields.push_back({name, std::move(value)});
    }
    return Value(StructuredTensor::Create({partition}, size, std::move(fields), StructKind::kMapEntry));
  }

  absl::StatusOr<Value> FixedSizeList(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t length, LengthIn(schema, 3));
    if (schema.n_children != 1) return path_.InvalidArgument("a list has one child, its elements");
    int64_t begin = 0;
    int64_t nvals = 0;
    if (__builtin_mul_overflow(first, length, &begin) || __builtin_mul_overflow(size, length, &nvals) ||
        nvals > array.children[0]->length - begin) {
      return path_.InvalidArgument("the array has fewer elements than its fixed-size lists need");
    }
    if (NullBits(array) != nullptr) {
      for (int64_t i = 0; i < size; ++i) {
        if (!IsValid(array, first + i)) {
          return path_.InvalidArgument("a fixed-size list is null, which no row of a dense tensor can be; cast it to a list");
        }
      }
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value elements, Any(*schema.children[0], *array.children[0], begin, nvals));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromUniformRowLength(length, size));
    return WithOuterPartition(partition, elements);
  }

  // --- Dictionaries

  absl::StatusOr<int64_t> IndexAt(std::string_view format, const void* data, int64_t i) const {
    const auto at = [&]<typename T>() { return static_cast<int64_t>(static_cast<const T*>(data)[i]); };
    if (format == "c") return at.operator()<int8_t>();
    if (format == "C") return at.operator()<uint8_t>();
    if (format == "s") return at.operator()<int16_t>();
    if (format == "S") return at.operator()<uint16_t>();
    if (format == "i") return at.operator()<int32_t>();
    if (format == "I") return at.operator()<uint32_t>();
    if (format == "l") return at.operator()<int64_t>();
    if (format == "L") return at.operator()<uint64_t>();
    return path_.InvalidArgument(
        absl::StrCat("the indices of a dictionary are integers; found the type \"", ToAbsl(format), "\""));
  }

  absl::StatusOr<Value> Dictionary(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    if (array.dictionary == nullptr) return path_.InvalidArgument("the array of a dictionary type has no dictionary");
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value dictionary,
                                  Any(*schema.dictionary, *array.dictionary, 0, array.dictionary->length));
    const Tensor* const values = dictionary.tensor();
    if (values == nullptr || values->rank() != 1) {
      return path_.InvalidArgument("the values of a dictionary are lists or structs; cast the column to its plain type");
    }
    const int64_t first = array.offset + begin;
    if (size > 0 && array.buffers[1] == nullptr) return path_.InvalidArgument("the array has no values");
    const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0 || NullBits(array) != nullptr || values->nullable();
    std::vector<int64_t> indices(static_cast<size_t>(size), 0);
    std::vector<uint8_t> bits(nullable ? static_cast<size_t>(size) / 8 + 1 : 0, 0);
    for (int64_t i = 0; i < size; ++i) {
      if (!IsValid(array, first + i)) {
        indices[static_cast<size_t>(i)] = -1;
        continue;
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t index, IndexAt(schema.format, array.buffers[1], first + i));
      if (index < 0 || index >= values->nrows()) {
        return path_.InvalidArgument(
            absl::StrCat("element ", i, " is value ", index, " of a dictionary of ", values->nrows(), " values"));
      }
      indices[static_cast<size_t>(i)] = index;
      if (nullable && values->is_valid(index)) bits[static_cast<size_t>(i) / 8] |= static_cast<uint8_t>(1u << (i % 8));
    }
    Validity validity = nullable ? Validity(Buffer<uint8_t>::FromVector(std::move(bits))) : Validity();
    if (IsStringLike(values->dtype())) return TakeStrings(*values, indices, std::move(validity));
    return Value(VisitStoredType(values->dtype(), [&]<typename T>() {
      std::vector<T> taken(indices.size());
      for (size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] >= 0) taken[i] = values->values<T>()[static_cast<size_t>(indices[i])];
      }
      return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(taken)), values->dtype(), std::move(validity));
    }));
  }

  absl::StatusOr<Value> TakeStrings(const Tensor& values, std::span<const int64_t> indices, Validity validity) const {
    int64_t size_bytes = 0;
    std::vector<int32_t> offsets = {0};
    offsets.reserve(indices.size() + 1);
    for (const int64_t index : indices) {
      if (index >= 0) size_bytes += static_cast<int64_t>(values.string_at(index).size());
      if (size_bytes > std::numeric_limits<int32_t>::max()) {
        return path_.OutOfRange("the strings of a dictionary column exceed the 2 GiB of a column; read fewer rows at a time");
      }
      offsets.push_back(static_cast<int32_t>(size_bytes));
    }
    std::vector<char> bytes(static_cast<size_t>(size_bytes));
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0) continue;
      const std::string_view text = values.string_at(indices[i]);
      if (!text.empty()) std::memcpy(bytes.data() + offsets[i], text.data(), text.size());
    }
    return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                     Buffer<char>::FromVector(std::move(bytes)), values.dtype(), std::move(validity)));
  }

  const std::shared_ptr<const void> owner_;
  FieldPath path_;
  int nesting_ = 0;
};

// Takes over `array`, and returns what `import` makes of the schema, the array and who keeps the array alive.
template <typename Result, typename Import>
absl::StatusOr<Result> TakeOver(const ArrowSchema& schema, ArrowArray* array, const Import& import) {
  if (array->release == nullptr)
    return absl::InvalidArgumentError("the Arrow array is empty: it has been released or moved away");
  // Shared by all buffers; the last of them releases the array.
  const std::shared_ptr<ArrowArray> owner(new ArrowArray(*array), [](ArrowArray* moved) {
    if (moved->release != nullptr) moved->release(moved);
    delete moved;
  });
  array->release = nullptr;
  if (schema.release == nullptr)
    return absl::InvalidArgumentError("the Arrow schema is empty: it has been released or moved away");
  return import(owner);
}

}  // namespace

absl::StatusOr<StructuredTensor> ImportBatch(const ArrowSchema& schema, ArrowArray* array) {
  return TakeOver<StructuredTensor>(
      schema, array, [&schema](const std::shared_ptr<ArrowArray>& owner) { return Importer(owner).Batch(schema, *owner); });
}

absl::StatusOr<Value> ImportValue(const ArrowSchema& schema, ArrowArray* array) {
  return TakeOver<Value>(schema, array,
                         [&schema](const std::shared_ptr<ArrowArray>& owner) { return Importer(owner).Array(schema, *owner); });
}

}  // namespace structtensor
