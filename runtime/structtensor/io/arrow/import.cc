#include "structtensor/io/arrow/import.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/arrow/internal/decimal_text.h"
#include "structtensor/io/arrow/internal/layout.h"
#include "structtensor/io/arrow/internal/take_or_absent.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/shared/absent.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using arrow_internal::FieldPath;
using arrow_internal::kAbsent;

// Deeper arrays would exhaust the stack.
constexpr int kMaxNesting = 200;
// Larger numbers cannot be lengths of arrays, and would overflow in multiplications.
constexpr int64_t kMaxLength = int64_t{1} << 48;

// The dtype whose values are stored as those of `format`. Time zones do not matter: a timestamp is a point in time, in
// whatever zone it is shown.
std::optional<DType> DTypeOfFormat(std::string_view format) {
  std::string own(format);
  if (format.starts_with("ts")) {
    // A timestamp without a zone is local time of an unknown place. It is taken as UTC, as in Arrow's own casts.
    own = absl::StrCat(ToAbsl(format.substr(0, format.find(':'))), ":UTC");
  }
  if (format == "tdm") return DType::kTimestampMs;  // midnight of a day
  if (format == "ttu") return DType::kDurationUs;   // since midnight, as all times of day
  if (format == "ttn") return DType::kDurationNs;
  for (const type_spec_internal::DTypeFacts& facts : type_spec_internal::kDTypeFacts) {
    if (facts.arrow != nullptr && own == facts.arrow) return facts.dtype;
  }
  return std::nullopt;
}

class Importer {
 public:
  explicit Importer(std::shared_ptr<const void> owner, int64_t max_dictionary_bytes = std::numeric_limits<int64_t>::max())
      : owner_(std::move(owner)), max_dictionary_bytes_(max_dictionary_bytes) {}

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
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"ti", "interval"}};
    for (const auto& [begin, name] : kNames) {
      if (std::string_view(schema.format).starts_with(begin)) return absl::StrCat(ToAbsl(name), " (", FormatText(schema), ")");
    }
    return FormatText(schema);
  }

  template <typename T>
  Buffer<T> Share(const void* data, int64_t size) const {
    return Buffer<T>(owner_, static_cast<const T*>(data), static_cast<size_t>(size));
  }

  // Returns elements [begin, begin + size) of `array`, counted from its own offset, as a value of rank 1 or more.
  absl::StatusOr<Value> Any(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t size) {
    if (++nesting_ > kMaxNesting) {
      return path_.InvalidArgument(absl::StrCat("lists and structs are nested deeper than ", kMaxNesting, " levels"));
    }
    const Validity around = std::exchange(around_, std::exchange(around_children_, Validity()));
    absl::StatusOr<Value> value = Dispatch(schema, array, begin, size);
    around_ = around;
    --nesting_;
    return value;
  }

  absl::StatusOr<Value> Dispatch(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t size) {
    if (schema.format == nullptr) return path_.InvalidArgument("the type has no format");
    if (array.length < 0 || array.offset < 0 || begin > array.length || size > array.length - begin) {
      return path_.InvalidArgument(
          absl::StrCat("the array has ", array.length, " elements; at least ", begin + size, " are needed"));
    }
    if (array.offset > kMaxLength || array.length > kMaxLength) {
      return path_.InvalidArgument(absl::StrCat("no array has ", array.length, " elements from ", array.offset, " on"));
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
    if (format == "+vl") return ListView<int32_t>(schema, array, first, size);
    if (format == "+vL") return ListView<int64_t>(schema, array, first, size);
    if (format.starts_with("+w:")) return FixedSizeList(schema, array, first, size);
    if (format.starts_with("+ud:") || format.starts_with("+us:")) return Union(schema, array, first, size);
    if (format == "+r") return Runs(schema, array, first, size);
    if (format == "n") return Nothing(size);
    return Scalars(schema, array, first, size);
  }

  absl::Status CheckBuffers(const ArrowSchema& schema, const ArrowArray& array, int64_t count) const {
    if (array.n_buffers != count) {
      return path_.InvalidArgument(
          absl::StrCat("an array of type ", FormatText(schema), " has ", count, " buffers; found ", array.n_buffers));
    }
    return absl::OkStatus();
  }

  // Returns elements [first, first + size) of a buffer. `what` names them in errors.
  template <typename T>
  absl::StatusOr<const T*> Elements(const ArrowArray& array, int64_t buffer, std::string_view what, int64_t first,
                                    int64_t size) const {
    if (size == 0) {
      alignas(64) static constexpr char kNothing[64] = {};
      return static_cast<const T*>(static_cast<const void*>(kNothing));
    }
    const void* const data = array.buffers[buffer];
    if (data == nullptr) return path_.InvalidArgument(absl::StrCat("the array has no ", ToAbsl(what)));
    if (reinterpret_cast<uintptr_t>(data) % alignof(T) != 0) {
      return path_.InvalidArgument(
          absl::StrCat("the ", ToAbsl(what), " of the array are not aligned to ", alignof(T), " bytes; copy the array"));
    }
    return static_cast<const T*>(data) + first;
  }

  absl::StatusOr<Value> AtPath(absl::StatusOr<Value> value) const {
    if (!value.ok()) return path_.Of(value.status());
    return value;
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
    const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
    const uint8_t* const bits = NullBits(array);
    if (bits == nullptr) return nullable ? arrow_internal::AllPresentBits(size) : Validity();
    Validity validity(Share<uint8_t>(bits, (first + size + 7) / 8), first);
    return nullable || IsAbsentAlone(validity, size) ? validity : Validity();
  }

  // Whether some row is absent although its struct is present. Arrow's reader of Parquet makes nulls in fields that are not
  // nullable, where their struct is null.
  bool IsAbsentAlone(const Validity& validity, int64_t size) const {
    for (int64_t i = 0; i < size; ++i) {
      if (!validity.is_valid(i) && around_.is_valid(i)) return true;
    }
    return false;
  }

  // Returns which rows are present together with the structs around them.
  Validity WithAround(const ArrowArray& array, int64_t first, int64_t size) const {
    const uint8_t* const bits = NullBits(array);
    if (bits == nullptr) return around_;
    const Validity own(Share<uint8_t>(bits, (first + size + 7) / 8), first);
    if (!around_.has_bits()) return own;
    std::vector<uint8_t> both(static_cast<size_t>(size) / 8 + 1);
    for (int64_t i = 0; i < size; ++i) {
      if (own.is_valid(i) && around_.is_valid(i)) both[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1 << (i % 8));
    }
    return Validity(Buffer<uint8_t>::FromVector(std::move(both)));
  }

  // --- Scalars

  // Converts numbers of a smaller type and multiplies them by `factor`.
  template <typename From, typename To>
  absl::StatusOr<Value> Widened(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size,
                                DType dtype = DTypeOf<To>::value, To factor = 1) const {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const From* const from, Elements<From>(array, 1, "values", first, size));
    std::vector<To> values(from, from + size);
    for (To& value : values) value *= factor;
    return Value(Tensor::FromBuffer(Buffer<To>::FromVector(std::move(values)), dtype, ValidityOf(schema, array, first, size)));
  }

  absl::StatusOr<Value> Scalars(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    const std::string_view format = schema.format;
    if (format == "u" || format == "z") return Strings<int32_t>(schema, array, first, size);
    if (format == "U" || format == "Z") return Strings<int64_t>(schema, array, first, size);
    if (format == "vu" || format == "vz") return StringViews(schema, array, first, size);
    if (format.starts_with("w:")) return FixedSizeBinary(schema, array, first, size);
    if (format.starts_with("d:")) return Decimals(schema, array, first, size);
    if (format == "c") return Widened<int8_t, int32_t>(schema, array, first, size);
    if (format == "s") return Widened<int16_t, int32_t>(schema, array, first, size);
    if (format == "C") return Widened<uint8_t, uint32_t>(schema, array, first, size);
    if (format == "S") return Widened<uint16_t, uint32_t>(schema, array, first, size);
    constexpr int64_t kSecondsPerDay = 86'400;
    if (format == "tdD") return Widened<int32_t, int64_t>(schema, array, first, size, DType::kTimestampS, kSecondsPerDay);
    if (format == "tts") return Widened<int32_t, int64_t>(schema, array, first, size, DType::kDurationS);
    if (format == "ttm") return Widened<int32_t, int64_t>(schema, array, first, size, DType::kDurationMs);
    const std::optional<DType> known = DTypeOfFormat(format);
    if (!known.has_value()) {
      return path_.InvalidArgument(absl::StrCat("a column of the Arrow type ", TypeText(schema),
                                                " cannot be read; cast it to a number, string, binary, list, map or struct"));
    }
    const DType dtype = *known;
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    if (dtype == DType::kBool) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const uint8_t* const bits, Elements<uint8_t>(array, 1, "values", 0, size));
      std::vector<uint8_t> values(static_cast<size_t>(size));
      for (int64_t i = 0; i < size; ++i) values[static_cast<size_t>(i)] = bits[(first + i) >> 3] >> ((first + i) & 7) & 1;
      return Value(
          Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(values)), dtype, ValidityOf(schema, array, first, size)));
    }
    return VisitStoredType(dtype, [&]<typename T>() -> absl::StatusOr<Value> {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const T* const values, Elements<T>(array, 1, "values", first, size));
      return Value(Tensor::FromBuffer(Share<T>(values, size), dtype, ValidityOf(schema, array, first, size)));
    });
  }

  // Imports a column of the null type that is not a field of a struct: as `size` structs without fields, all of them absent.
  absl::StatusOr<Value> Nothing(int64_t size) const {
    if (absl::Status few = arrow_internal::CheckExpanded(size, 0); !few.ok()) return path_.Of(few);
    std::vector<uint8_t> bits(static_cast<size_t>(size) / 8 + 1, 0);
    return Value(StructuredTensor::Create({}, size, std::vector<Field>(), StructKind::kStruct,
                                          Validity(Buffer<uint8_t>::FromVector(std::move(bits)))));
  }

  template <typename Offset>
  absl::StatusOr<Value> Strings(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 3));
    const DType dtype = (schema.format[0] | 0x20) == 'u' ? DType::kString : DType::kBytes;
    if (size == 0) {
      return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector({0}), Buffer<char>::FromVector({}), dtype,
                                       ValidityOf(schema, array, first, size)));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Offset* const offsets, Elements<Offset>(array, 1, "offsets", 0, size));
    // Only now: an array that claims more elements than there can be has no buffers, and must not get memory.
    Validity validity = ValidityOf(schema, array, first, size);
    // Checks all offsets, not only those that are taken. So comparing the last offset with the number of bytes checks each
    // offset.
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
    if (absl::Status few = arrow_internal::CheckExpanded(size, width > 0 ? size : 0); !few.ok()) return path_.Of(few);
    if (size > 0 && width > 0 && (array.buffers[1] == nullptr || width > std::numeric_limits<int32_t>::max() / size)) {
      return path_.OutOfRange(
          absl::StrCat(size, " values of ", width, " bytes exceed the 2 GiB of a column, or are not there"));
    }
    std::vector<int32_t> offsets(static_cast<size_t>(size) + 1);
    for (int64_t i = 0; i <= size; ++i) offsets[static_cast<size_t>(i)] = static_cast<int32_t>(i * width);
    const char* const bytes = static_cast<const char*>(array.buffers[1]);
    return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                     Share<char>(size == 0 || width == 0 ? nullptr : bytes + first * width, size * width),
                                     DType::kBytes, ValidityOf(schema, array, first, size)));
  }

  // Imports strings that may be anywhere in several buffers. Strings of up to 12 bytes are in the array itself.
  absl::StatusOr<Value> StringViews(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    struct View {
      int32_t length;
      union {
        char bytes[12];
        struct {
          char prefix[4];
          int32_t buffer;
          int32_t begin;
        } out;
      };
    };
    static_assert(sizeof(View) == 16);
    // The buffers are validity, the views, any number of buffers with strings, and the sizes of these.
    const int64_t buffer_count = array.n_buffers - 3;
    if (buffer_count < 0) {
      return path_.InvalidArgument(
          absl::StrCat("an array of type ", FormatText(schema), " has 3 buffers or more; found ", array.n_buffers));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const View* const views, Elements<View>(array, 1, "views", first, size));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t* const sizes,
                                  Elements<int64_t>(array, array.n_buffers - 1, "sizes of buffers", 0, buffer_count));
    std::vector<int32_t> offsets = {0};
    std::vector<char> bytes;
    for (int64_t i = 0; i < size; ++i) {
      if (IsValid(array, first + i)) {
        const View& view = views[i];
        const char* from = view.bytes;
        if (view.length < 0) return path_.InvalidArgument(absl::StrCat("element ", i, " has ", view.length, " bytes"));
        if (view.length > static_cast<int32_t>(sizeof(view.bytes))) {
          const int64_t buffer = view.out.buffer;
          if (buffer < 0 || buffer >= buffer_count || array.buffers[2 + buffer] == nullptr || view.out.begin < 0 ||
              int64_t{view.out.begin} + view.length > sizes[buffer]) {
            return path_.InvalidArgument(absl::StrCat("element ", i, " is outside the buffers of the array: ", view.length,
                                                      " bytes from ", view.out.begin, " of buffer ", buffer, " of ",
                                                      buffer_count));
          }
          from = static_cast<const char*>(array.buffers[2 + buffer]) + view.out.begin;
        }
        if (bytes.size() + static_cast<size_t>(view.length) > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
          return path_.OutOfRange("the strings exceed the 2 GiB of a column; read fewer rows at a time");
        }
        bytes.insert(bytes.end(), from, from + view.length);
      }
      offsets.push_back(static_cast<int32_t>(bytes.size()));
    }
    const DType dtype = schema.format[1] == 'u' ? DType::kString : DType::kBytes;
    return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                     Buffer<char>::FromVector(std::move(bytes)), dtype,
                                     ValidityOf(schema, array, first, size)));
  }

  // Imports decimals as strings, which lose nothing. Formats: "d:precision,scale" with 128 bits, or "d:precision,scale,bits".
  absl::StatusOr<Value> Decimals(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    const std::vector<absl::string_view> parts = absl::StrSplit(schema.format + 2, ',');
    int scale = 0;
    int bits = 128;
    if (parts.size() < 2 || parts.size() > 3 || !absl::SimpleAtoi(parts[1], &scale) ||
        (parts.size() == 3 && !absl::SimpleAtoi(parts[2], &bits)) || scale > arrow_internal::kMaxDecimalScale ||
        scale < -arrow_internal::kMaxDecimalScale || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) {
      return path_.InvalidArgument(absl::StrCat("the type ", FormatText(schema),
                                                " is not a decimal number of 32, 64, 128 or 256 ", "bits with up to ",
                                                arrow_internal::kMaxDecimalScale, " digits"));
    }
    const int64_t width = bits / 8;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const uint8_t* const values, Elements<uint8_t>(array, 1, "values", first * width, size));
    std::vector<int32_t> offsets = {0};
    std::string strings;
    for (int64_t i = 0; i < size; ++i) {
      if (IsValid(array, first + i)) {
        arrow_internal::AppendDecimal(std::span(values + i * width, static_cast<size_t>(width)), scale, strings);
      }
      if (strings.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
        return path_.OutOfRange("the decimals as strings exceed the 2 GiB of a column; read fewer rows at a time");
      }
      offsets.push_back(static_cast<int32_t>(strings.size()));
    }
    return Value(Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                     Buffer<char>::FromVector(std::vector<char>(strings.begin(), strings.end())),
                                     DType::kString, ValidityOf(schema, array, first, size)));
  }

  // The number in "w:N" and "+w:N", after `prefix` characters.
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

  absl::StatusOr<Value> Struct(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    const Validity around = schema.n_children > 0 ? WithAround(array, first, size) : Validity();
    const auto child_at = [&](int64_t i) {
      around_children_ = around;
      return Any(*schema.children[i], *array.children[i], first, size);
    };
    return Fields(schema, size, child_at, [&] { return ValidityOf(schema, array, first, size); });
  }

  // Makes structs of the children of a type. ChildAt: (int64_t) -> absl::StatusOr<Value>, with `size` rows.
  // Present: () -> Validity.
  template <typename ChildAt, typename Present>
  absl::StatusOr<Value> Fields(const ArrowSchema& schema, int64_t size, const ChildAt& child_at, const Present& present) {
    std::vector<Field> fields;
    std::vector<std::string_view> names;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& child = *schema.children[i];
      const std::string_view name = child.name == nullptr ? "" : child.name;
      const FieldPath::Step step(path_, name);
      if (name.empty()) return path_.InvalidArgument("a field of a struct has no name");
      if (child.format != nullptr && std::string_view(child.format) == "n") continue;  // the null type: nothing is known of it
      names.push_back(name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, child_at(i));
      fields.push_back({std::string(name), std::move(value)});
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
      return path_.InvalidArgument(absl::StrCat("there are two fields named ", ToAbsl(*twice)));
    }
    if (fields.empty()) {  // then only the array itself says how many structs there are
      if (absl::Status few = arrow_internal::CheckExpanded(size, 0); !few.ok()) return path_.Of(few);
    }
    return Value(StructuredTensor::Create({}, size, std::move(fields), StructKind::kStruct, present()));
  }

  absl::StatusOr<Value> List(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 2));
    if (schema.n_children != 1) return path_.InvalidArgument("a list has one child, its elements");
    const ArrowSchema& item = *schema.children[0];
    const ArrowArray& items = *array.children[0];
    std::vector<int64_t> splits = {0};
    int64_t begin = 0;
    bool shared = false;
    const auto read = [&](const auto* offsets) {
      splits.resize(static_cast<size_t>(size) + 1);
      begin = offsets[0];
      for (int64_t i = 0; i <= size; ++i) splits[static_cast<size_t>(i)] = offsets[i] - begin;
      shared = sizeof(*offsets) == 8 && begin == 0;
    };
    if (size > 0 && schema.format[1] == 'L') {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t* const offsets, Elements<int64_t>(array, 1, "offsets", first, size));
      STRUCTTENSOR_RETURN_IF_ERROR(CheckOffsets(offsets, size, items.length));
      read(offsets);
    } else if (size > 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int32_t* const offsets, Elements<int32_t>(array, 1, "offsets", first, size));
      STRUCTTENSOR_RETURN_IF_ERROR(CheckOffsets(offsets, size, items.length));
      read(offsets);
    }
    const int64_t nvals = splits.back();
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        const Value elements, schema.format[1] == 'm' ? MapEntries(item, items, begin, nvals) : Any(item, items, begin, nvals));
    // Null lists become empty lists, even if the array has elements for them.
    std::vector<int64_t> lengths;
    if (NullBits(array) != nullptr) {
      for (int64_t i = 0; i < size; ++i) {
        const auto at = static_cast<size_t>(i);
        if (IsValid(array, first + i) || splits[at] == splits[at + 1]) continue;
        if (lengths.empty()) {
          for (size_t row = 0; row + 1 < splits.size(); ++row) lengths.push_back(splits[row + 1] - splits[row]);
        }
        lengths[at] = 0;
      }
    }
    if (!lengths.empty()) {
      return AtPath(arrow_internal::TakeLists(std::span(splits).first(lengths.size()), lengths, elements));
    }
    const RowPartition partition = RowPartition::FromRowSplitsUnchecked(
        shared ? Share<int64_t>(static_cast<const int64_t*>(array.buffers[1]) + first, size + 1)
               : Buffer<int64_t>::FromVector(std::move(splits)));
    return WithOuterPartition(partition, elements);
  }

  // Imports lists that may be anywhere in the elements, in any order.
  template <typename Offset>
  absl::StatusOr<Value> ListView(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 3));
    if (schema.n_children != 1) return path_.InvalidArgument("a list has one child, its elements");
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Offset* const offsets, Elements<Offset>(array, 1, "offsets", first, size));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Offset* const sizes, Elements<Offset>(array, 2, "sizes of lists", first, size));
    const ArrowArray& items = *array.children[0];
    std::vector<int64_t> starts(static_cast<size_t>(size));
    std::vector<int64_t> lengths(static_cast<size_t>(size));
    int64_t begin = items.length;
    int64_t end = 0;
    for (int64_t i = 0; i < size; ++i) {
      if (!IsValid(array, first + i) || sizes[i] == 0) continue;
      if (sizes[i] < 0 || offsets[i] < 0 || sizes[i] > items.length || offsets[i] > items.length - sizes[i]) {
        return path_.InvalidArgument(absl::StrCat("list ", i, " has ", sizes[i], " elements from ", offsets[i],
                                                  " on, and the array has ", items.length));
      }
      starts[static_cast<size_t>(i)] = offsets[i];
      lengths[static_cast<size_t>(i)] = sizes[i];
      begin = std::min<int64_t>(begin, offsets[i]);
      end = std::max<int64_t>(end, int64_t{offsets[i]} + sizes[i]);
    }
    if (end == 0) begin = 0;  // no list has elements
    for (size_t i = 0; i < starts.size(); ++i) starts[i] = lengths[i] == 0 ? 0 : starts[i] - begin;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value elements, Any(*schema.children[0], items, begin, end - begin));
    return AtPath(arrow_internal::TakeLists(starts, lengths, elements));
  }

  // The fields of entries become key and value, whatever the producer calls them.
  absl::StatusOr<Value> MapEntries(const ArrowSchema& entry, const ArrowArray& entries, int64_t begin, int64_t size) {
    if (entry.format == nullptr || std::string_view(entry.format) != "+s" || entry.n_children != 2) {
      return path_.InvalidArgument("a map has entries of a key and a value");
    }
    if (entries.n_children != 2 || entries.children == nullptr || entries.children[0] == nullptr ||
        entries.children[1] == nullptr || entry.children == nullptr || entry.children[0] == nullptr ||
        entry.children[1] == nullptr || begin + size > entries.length || entries.offset < 0 || entries.offset > kMaxLength) {
      return path_.InvalidArgument("the entries of a map are missing, or fewer than its offsets say");
    }
    std::vector<Field> fields;
    for (int i = 0; i < 2; ++i) {
      const char* const name = i == 0 ? "key" : "value";
      const FieldPath::Step step(path_, name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Any(*entry.children[i], *entries.children[i], entries.offset + begin, size));
      fields.push_back({name, std::move(value)});
    }
    const Tensor* const keys = fields[0].value.tensor();
    if (keys == nullptr || keys->rank() != 1) return Value(StructuredTensor::Create({}, size, std::move(fields)));
    for (int64_t i = 0; keys->nullable() && i < size; ++i) {
      if (!keys->validity().is_valid(i)) return path_.InvalidArgument(absl::StrCat("entry ", i, " of the maps has no key"));
    }
    return Value(StructuredTensor::Create({}, size, std::move(fields), StructKind::kMapEntry));
  }

  absl::StatusOr<Value> FixedSizeList(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t length, LengthIn(schema, 3));
    if (schema.n_children != 1) return path_.InvalidArgument("a list has one child, its elements");
    int64_t begin = 0;
    int64_t nvals = 0;
    if (__builtin_mul_overflow(first, length, &begin) || __builtin_mul_overflow(size, length, &nvals) ||
        begin > array.children[0]->length || nvals > array.children[0]->length - begin) {
      return path_.InvalidArgument("the array has fewer elements than its fixed-size lists need");
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value elements, Any(*schema.children[0], *array.children[0], begin, nvals));
    if (length == 0) {  // then only the array itself says how many lists there are
      if (absl::Status few = arrow_internal::CheckExpanded(size, 0); !few.ok()) return path_.Of(few);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, RowPartition::FromUniformRowLength(length, size));
    const Value lists = WithOuterPartition(partition, elements);
    const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0 || ValidityOf(schema, array, first, size).has_bits();
    if (!nullable) return lists;
    // On a uniform axis, each row has all its elements. The elements of a null list are absent.
    std::vector<int64_t> rows(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) rows[static_cast<size_t>(i)] = IsValid(array, first + i) ? i : kAbsent;
    return AtPath(arrow_internal::TakeOrAbsent(lists, rows, true));
  }

  // --- Unions: structs in which one field is set, like the members of a oneof

  absl::StatusOr<Value> Union(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    const bool dense = schema.format[2] == 'd';
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, dense ? 2 : 1));
    constexpr int8_t kNoMember = -1;
    std::array<int16_t, 128> member_of_id;
    member_of_id.fill(kNoMember);
    int64_t member_count = 0;
    for (const absl::string_view text : absl::StrSplit(schema.format + 4, ',', absl::SkipEmpty())) {
      int id = 0;
      if (!absl::SimpleAtoi(text, &id) || id < 0 || id > 127 || member_of_id[static_cast<size_t>(id)] != kNoMember) {
        return path_.InvalidArgument(
            absl::StrCat("the type ", FormatText(schema), " has a member whose number is not one of its own from 0 to 127"));
      }
      member_of_id[static_cast<size_t>(id)] = static_cast<int16_t>(member_count++);
    }
    if (member_count != schema.n_children) {
      return path_.InvalidArgument(absl::StrCat("the type ", FormatText(schema), " has ", member_count, " members and ",
                                                schema.n_children, " children"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int8_t* const ids, Elements<int8_t>(array, 0, "numbers of members", first, size));
    const int32_t* offsets = nullptr;
    if (dense) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(offsets, Elements<int32_t>(array, 1, "offsets", first, size));
    }
    for (int64_t i = 0; i < size; ++i) {
      const int member = ids[i] < 0 ? kNoMember : member_of_id[static_cast<size_t>(ids[i])];
      if (member == kNoMember) {
        return path_.InvalidArgument(
            absl::StrCat("element ", i, " is of member ", ids[i], ", which ", FormatText(schema), " lacks"));
      }
      if (dense && (offsets[i] < 0 || offsets[i] >= array.children[member]->length)) {
        return path_.InvalidArgument(absl::StrCat("element ", i, " is number ", offsets[i], " of the ",
                                                  array.children[member]->length, " that its member has"));
      }
    }
    const auto member_at = [&](int64_t member) -> absl::StatusOr<Value> {
      const ArrowArray& values = *array.children[member];
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value all, dense ? Any(*schema.children[member], values, 0, values.length)
                                                           : Any(*schema.children[member], values, first, size));
      std::vector<int64_t> rows(static_cast<size_t>(size), kAbsent);
      for (int64_t i = 0; i < size; ++i) {
        if (member_of_id[static_cast<size_t>(ids[i])] == member) rows[static_cast<size_t>(i)] = dense ? offsets[i] : i;
      }
      return AtPath(arrow_internal::TakeOrAbsent(all, rows, true));
    };
    return Fields(schema, size, member_at, [] { return Validity(); });
  }

  // --- Runs of one value each

  absl::StatusOr<Value> Runs(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t size) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckBuffers(schema, array, 0));
    if (schema.n_children != 2) return path_.InvalidArgument("run-end encoded data has two children, run ends and values");
    if (absl::Status few = arrow_internal::CheckExpanded(size, 0); !few.ok()) return path_.Of(few);
    const ArrowArray& ends = *array.children[0];
    const std::string_view format = schema.children[0]->format == nullptr ? "" : schema.children[0]->format;
    const ArrowArray& values = *array.children[1];
    if ((format != "s" && format != "i" && format != "l") || ends.n_buffers != 2 || ends.buffers == nullptr ||
        ends.length < 0 || ends.offset < 0 || ends.length > kMaxLength || ends.offset > kMaxLength ||
        values.length < ends.length) {
      return path_.InvalidArgument("the run ends are not integers of 16, 32 or 64 bits, or have fewer values than they need");
    }
    std::vector<int64_t> rows;
    int64_t first_run = 0;
    const auto read = [&](const auto* run_ends) -> absl::Status {
      int64_t before = 0;
      // Runs that do not reach the end of the rows get no memory.
      if (ends.length > 0 && run_ends[ends.length - 1] >= first + size) rows.reserve(static_cast<size_t>(size));
      for (int64_t run = 0; run < ends.length && static_cast<int64_t>(rows.size()) < size; ++run) {
        const int64_t end = run_ends[run];
        if (end <= before) {
          return path_.InvalidArgument(absl::StrCat("run ", run, " ends at ", end, ", which is not after ", before));
        }
        before = end;
        if (end <= first) continue;
        if (rows.empty()) first_run = run;
        rows.resize(static_cast<size_t>(std::min(end - first, size)), run - first_run);
      }
      if (static_cast<int64_t>(rows.size()) == size) return absl::OkStatus();
      return path_.InvalidArgument(absl::StrCat("the runs end at ", before, ", and the array at ", first + size));
    };
    if (format == "s") {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int16_t* const run_ends,
                                    Elements<int16_t>(ends, 1, "run ends", ends.offset, ends.length));
      STRUCTTENSOR_RETURN_IF_ERROR(read(run_ends));
    } else if (format == "i") {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int32_t* const run_ends,
                                    Elements<int32_t>(ends, 1, "run ends", ends.offset, ends.length));
      STRUCTTENSOR_RETURN_IF_ERROR(read(run_ends));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t* const run_ends,
                                    Elements<int64_t>(ends, 1, "run ends", ends.offset, ends.length));
      STRUCTTENSOR_RETURN_IF_ERROR(read(run_ends));
    }
    const int64_t run_count = rows.empty() ? 0 : rows.back() + 1;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken_from, Any(*schema.children[1], values, first_run, run_count));
    return AtPath(arrow_internal::TakeOrAbsent(taken_from, rows, (schema.flags & ARROW_FLAG_NULLABLE) != 0));
  }

  // --- Dictionaries

  absl::StatusOr<int64_t> IndexAt(std::string_view format, const void* data, int64_t i) const {
    const auto at = [&]<typename T>() {
      T index;  // copied, because it may have any alignment
      std::memcpy(&index, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
      return static_cast<int64_t>(index);
    };
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
    // Whether elements may be absent is a matter of the field. Exporters call all values of dictionaries nullable.
    ArrowSchema values_schema = *schema.dictionary;
    values_schema.flags &= ~int64_t{ARROW_FLAG_NULLABLE};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value dictionary, Any(values_schema, *array.dictionary, 0, array.dictionary->length));
    const int64_t first = array.offset + begin;
    if (size > 0 && array.buffers[1] == nullptr) return path_.InvalidArgument("the array has no values");
    std::vector<int64_t> rows(static_cast<size_t>(size), kAbsent);
    for (int64_t i = 0; i < size; ++i) {
      if (!IsValid(array, first + i)) continue;
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t row, IndexAt(schema.format, array.buffers[1], first + i));
      if (row < 0 || row >= dictionary.nrows()) {
        return path_.InvalidArgument(
            absl::StrCat("element ", i, " is value ", row, " of a dictionary of ", dictionary.nrows(), " values"));
      }
      rows[static_cast<size_t>(i)] = row;
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDictionaryBytes(dictionary, rows));
    const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0 || ValidityOf(schema, array, first, size).has_bits();
    return AtPath(arrow_internal::TakeOrAbsent(dictionary, rows, nullable));
  }

  // Whether the strings of these rows, with those of other dictionaries before, stay below the limit.
  absl::Status CheckDictionaryBytes(const Value& dictionary, std::span<const int64_t> rows) {
    const Tensor* const values = dictionary.tensor();
    if (values == nullptr || values->rank() != 1 || !IsStringLike(values->dtype())) return absl::OkStatus();
    for (const int64_t row : rows) {
      if (row != kAbsent) dictionary_bytes_ += static_cast<int64_t>(values->string_at(row).size());
      if (dictionary_bytes_ > max_dictionary_bytes_) {
        return path_.Of(absl::ResourceExhaustedError(
            absl::StrCat("the strings of dictionaries exceed ", max_dictionary_bytes_, " bytes; read fewer rows at a time")));
      }
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<const void> owner_;
  const int64_t max_dictionary_bytes_;
  int64_t dictionary_bytes_ = 0;  // of strings that were taken from dictionaries so far
  FieldPath path_;
  int nesting_ = 0;
  Validity around_;           // validity of the structs whose field is imported, and of the structs around these
  Validity around_children_;  // becomes around_ in the next call of Any()
};

// Takes over `array` and returns import(owner), where `owner` keeps the array alive.
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

absl::StatusOr<StructuredTensor> ImportBatch(const ArrowSchema& schema, ArrowArray* array, int64_t max_dictionary_bytes) {
  return TakeOver<StructuredTensor>(
      schema, array, [&](const std::shared_ptr<ArrowArray>& owner) -> absl::StatusOr<StructuredTensor> {
        STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor batch,
                                      Importer(owner, max_dictionary_bytes).Batch(schema, *owner));
        return values_internal::WithoutHiddenRows(batch);
      });
}

absl::StatusOr<Value> ImportValue(const ArrowSchema& schema, ArrowArray* array) {
  return TakeOver<Value>(schema, array, [&schema](const std::shared_ptr<ArrowArray>& owner) -> absl::StatusOr<Value> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, Importer(owner).Array(schema, *owner));
    return values_internal::WithoutHiddenRows(Validity(), value);
  });
}

}  // namespace structtensor
