#include "structtensor/app/sinks/internal/npz_sink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/app/sinks/internal/spill_file.h"
#include "structtensor/app/sinks/internal/zip_writer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::sinks_internal {
namespace {

using type_spec_internal::FactsOf;

constexpr std::string_view kBools = FactsOf(DType::kBool).numpy;
constexpr std::string_view kInt64s = FactsOf(DType::kInt64).numpy;
constexpr std::string_view kBytes = "|u1";

template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// One array of the file.
struct NpyArray {
  std::string name;
  std::string type;         // NumPy's name of it
  std::string inner_shape;  // "3, 2" of [nrows, 3, 2]
  int64_t nrows = 0;
  int64_t last = 0;  // of row splits and offsets: where the next rows begin
  SpilledBytes bytes = {};

  // The bytes before the elements (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
  std::string Header() const {
    constexpr size_t kAlignment = 64;
    std::string header("\x93NUMPY\x01\x00", 8);
    std::string text =
        absl::StrCat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", nrows, ", ", inner_shape, "), }");
    text.append(kAlignment - (header.size() + 2 + text.size() + 1) % kAlignment, ' ');
    text += '\n';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
  }
};

// The arrays for the parts of a field, as indices.
struct NpzColumn {
  std::optional<size_t> is_valid;
  std::vector<size_t> row_splits;
  std::optional<size_t> values;  // for numbers; strings have the next two
  std::optional<size_t> offsets;
  std::optional<size_t> bytes;
  std::vector<NpzColumn> fields;  // for a struct
};

class NpzSink : public Sink {
 public:
  NpzSink(int fd, std::string scratch_folder) : zip_(fd), file_(std::move(scratch_folder)) {}

  absl::Status Open(const StructuredTensorSpec& schema) {
    if (schema.rank() != 1 || schema.nullable()) {
      return absl::InvalidArgumentError(
          absl::StrCat("found rows of ", TypeSpec(schema).DebugString(), "; expected rank 1, and that none is absent"));
    }
    if (schema.flat_fields().empty()) {
      return absl::InvalidArgumentError(
          "the message has no fields, and npz cannot store rows without columns; write an Arrow file instead");
    }
    return AddFields(schema, "", root_);
  }

  absl::Status Write(const StructuredTensor& batch) override { return AppendFields(batch, root_); }
  absl::Status Flush() override { return absl::OkStatus(); }  // arrays must be complete before they can be written
  int64_t buffered_bytes() const override { return 0; }
  int64_t retained_bytes() const override {
    int64_t sum = 0;
    for (const NpyArray& array : arrays_) sum += array.bytes.memory_bytes();
    return sum;
  }

  absl::Status Finish() override {
    for (const NpyArray& array : arrays_) {
      const std::string header = array.Header();
      const uint32_t crc32 = Crc32OfBoth(Crc32(header), array.bytes.crc32(), array.bytes.size_bytes());
      STRUCTTENSOR_RETURN_IF_ERROR(
          zip_.BeginMember(array.name + ".npy", crc32, static_cast<int64_t>(header.size()) + array.bytes.size_bytes()));
      STRUCTTENSOR_RETURN_IF_ERROR(zip_.Write(header));
      STRUCTTENSOR_RETURN_IF_ERROR(
          array.bytes.ForEachPiece(file_, [this](std::string_view piece) { return zip_.Write(piece); }));
    }
    return zip_.Finish();
  }

 private:
  static absl::Status Error(const std::string& path, std::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", ToAbsl(problem)));
  }

  absl::StatusOr<size_t> AddArray(std::string name, std::string_view type, std::string inner_shape = "") {
    if (name.size() + std::string_view(".npy").size() > ZipWriter::kMaxNameBytes)
      return Error(name, "the name is too long for a zip file");
    if (!names_.insert(name).second)
      return Error(name, "two arrays would have this name; choose another for one of the columns");
    arrays_.push_back({.name = std::move(name), .type = std::string(type), .inner_shape = std::move(inner_shape)});
    return arrays_.size() - 1;
  }

  // Adds an array for row splits, or for offsets of strings. It begins with 0.
  absl::StatusOr<size_t> AddSplits(std::string name) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t i, AddArray(std::move(name), kInt64s));
    constexpr int64_t kZero[] = {0};
    STRUCTTENSOR_RETURN_IF_ERROR(AppendElements(std::span<const int64_t>(kZero), i));
    return i;
  }

  absl::Status AddFields(const StructuredTensorSpec& structs, const std::string& path, NpzColumn& column) {
    for (const FieldSpec& field : structs.flat_fields()) {
      std::string path_of_field = path;
      AppendField(field.name, path_of_field);
      STRUCTTENSOR_RETURN_IF_ERROR(AddField(field.spec, path_of_field, column.fields.emplace_back()));
    }
    return absl::OkStatus();
  }

  absl::Status AddField(const TypeSpec& spec, const std::string& path, NpzColumn& column) {
    if (const TensorSpec* tensor = spec.tensor()) return AddTensor(*tensor, path, column);
    if (const RaggedTensorSpec* ragged = spec.ragged()) {
      STRUCTTENSOR_RETURN_IF_ERROR(AddRowSplits(ragged->row_partitions().size(), path, column));
      return AddTensor(ragged->flat_values(), path, column);
    }
    if (const StructuredTensorSpec* structs = spec.structured()) {
      STRUCTTENSOR_RETURN_IF_ERROR(AddRowSplits(structs->row_partitions().size(), path, column));
      STRUCTTENSOR_RETURN_IF_ERROR(AddValidity(structs->nullable(), path, column));
      return AddFields(*structs, path, column);
    }
    return Error(path, absl::StrCat("npz has no arrays for ", spec.DebugString()));
  }

  absl::Status AddRowSplits(size_t count, const std::string& path, NpzColumn& column) {
    for (size_t i = 0; i < count; ++i) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t array,
                                    AddSplits(count == 1 ? path + "/row_splits" : absl::StrCat(path, "/row_splits_", i)));
      column.row_splits.push_back(array);
    }
    return absl::OkStatus();
  }

  absl::Status AddValidity(bool nullable, const std::string& path, NpzColumn& column) {
    if (!nullable) return absl::OkStatus();
    STRUCTTENSOR_ASSIGN_OR_RETURN(column.is_valid, AddArray(path + "/is_valid", kBools));
    return absl::OkStatus();
  }

  absl::Status AddTensor(const TensorSpec& spec, const std::string& path, NpzColumn& column) {
    STRUCTTENSOR_RETURN_IF_ERROR(AddValidity(spec.nullable(), path, column));
    if (IsStringLike(spec.dtype())) {
      if (spec.shape().rank() != 1) return Error(path, "npz has no arrays for strings with more than one dense axis");
      STRUCTTENSOR_ASSIGN_OR_RETURN(column.offsets, AddSplits(path + "/offsets"));
      STRUCTTENSOR_ASSIGN_OR_RETURN(column.bytes, AddArray(path + "/bytes", kBytes));
      return absl::OkStatus();
    }
    const std::string type(FactsOf(spec.dtype()).numpy);
    if (type.empty()) {
      return Error(path,
                   absl::StrCat("NumPy has no type for ", ToAbsl(DTypeName(spec.dtype())), "; convert the field to float"));
    }
    std::string inner_shape;
    for (int axis = 1; axis < spec.shape().rank(); ++axis) {
      if (spec.shape()[axis] == kUnknownDimension) return Error(path, absl::StrCat("axis ", axis, " has no known size"));
      absl::StrAppend(&inner_shape, axis > 1 ? ", " : "", spec.shape()[axis]);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(column.values, AddArray(path, type, std::move(inner_shape)));
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status AppendElements(std::span<const T> elements, size_t array) {
    arrays_[array].nrows += static_cast<int64_t>(elements.size());
    return arrays_[array].bytes.Append(BytesOf(elements), file_);
  }

  // Appends the ends of rows. The first row begins where the last one ended. `splits` may begin with any number.
  template <typename T>
  absl::Status AppendSplits(std::span<const T> splits, size_t array) {
    std::vector<int64_t> ends(splits.size() - 1);
    const int64_t shift = arrays_[array].last - static_cast<int64_t>(splits.front());
    for (size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<int64_t>(splits[i + 1]) + shift;
    arrays_[array].last = static_cast<int64_t>(splits.back()) + shift;
    return AppendElements(std::span<const int64_t>(ends), array);
  }

  absl::Status AppendValidity(const Validity& validity, int64_t size_elements, const NpzColumn& column) {
    if (!column.is_valid.has_value() && !validity.has_bits()) return absl::OkStatus();
    std::vector<uint8_t> bools(static_cast<size_t>(size_elements));
    for (int64_t i = 0; i < size_elements; ++i) bools[static_cast<size_t>(i)] = validity.is_valid(i) ? 1 : 0;
    if (column.is_valid.has_value()) return AppendElements(std::span<const uint8_t>(bools), *column.is_valid);
    return std::find(bools.begin(), bools.end(), 0) == bools.end() ? absl::OkStatus() : OtherSchema();
  }

  absl::Status AppendFields(const StructuredTensor& structs, const NpzColumn& column) {
    if (structs.num_fields() != column.fields.size()) return OtherSchema();
    for (size_t i = 0; i < column.fields.size(); ++i) {
      STRUCTTENSOR_RETURN_IF_ERROR(AppendValue(structs.flat_field(i), column.fields[i]));
    }
    return absl::OkStatus();
  }

  absl::Status AppendValue(const Value& value, const NpzColumn& column) {
    if (value.tensor() != nullptr && column.row_splits.empty()) return AppendTensor(*value.tensor(), column);
    if (value.ragged() != nullptr) {
      STRUCTTENSOR_RETURN_IF_ERROR(AppendRowSplits(value.ragged()->row_partitions(), column));
      return AppendTensor(value.ragged()->flat_values(), column);
    }
    if (value.structured() != nullptr) {
      STRUCTTENSOR_RETURN_IF_ERROR(AppendRowSplits(value.structured()->row_partitions(), column));
      STRUCTTENSOR_RETURN_IF_ERROR(AppendValidity(value.structured()->validity(), value.structured()->flat_nrows(), column));
      return AppendFields(*value.structured(), column);
    }
    return OtherSchema();
  }

  absl::Status AppendRowSplits(std::span<const RowPartition> partitions, const NpzColumn& column) {
    if (partitions.size() != column.row_splits.size()) return OtherSchema();
    for (size_t i = 0; i < partitions.size(); ++i) {
      STRUCTTENSOR_RETURN_IF_ERROR(AppendSplits(partitions[i].unshifted_row_splits(), column.row_splits[i]));
    }
    return absl::OkStatus();
  }

  absl::Status AppendTensor(const Tensor& tensor, const NpzColumn& column) {
    STRUCTTENSOR_RETURN_IF_ERROR(AppendValidity(tensor.validity(), tensor.size_elements(), column));
    if (IsStringLike(tensor.dtype())) {
      if (!column.offsets.has_value() || tensor.rank() != 1) return OtherSchema();
      if (tensor.size_elements() == 0) return absl::OkStatus();
      const std::span<const int32_t> offsets = tensor.string_offsets().span();
      const std::string_view bytes(tensor.string_bytes().data(), tensor.string_bytes().size_elements());
      const auto begin = static_cast<size_t>(offsets.front());
      STRUCTTENSOR_RETURN_IF_ERROR(AppendSplits(offsets, *column.offsets));
      const std::string_view used = bytes.substr(begin, static_cast<size_t>(offsets.back()) - begin);
      return AppendElements(std::span<const char>(used), *column.bytes);
    }
    if (!column.values.has_value() || FactsOf(tensor.dtype()).numpy != arrays_[*column.values].type) return OtherSchema();
    return VisitStoredType(tensor.dtype(), [&]<typename T>() {
      NpyArray& array = arrays_[*column.values];
      array.nrows += tensor.nrows();
      return array.bytes.Append(BytesOf(tensor.values<T>()), file_);
    });
  }

  static absl::Status OtherSchema() {
    return absl::InvalidArgumentError("the batch is not of the schema that the file was opened with");
  }

  ZipWriter zip_;
  SpillFile file_;
  std::vector<NpyArray> arrays_;  // in the order of the file
  std::set<std::string> names_;   // of arrays_
  NpzColumn root_;                // only its fields count
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> MakeNpzSink(const SinkOptions& options, int fd, const StructuredTensorSpec& schema) {
  auto sink = std::make_unique<NpzSink>(fd, options.scratch_folder);
  STRUCTTENSOR_RETURN_IF_ERROR(sink->Open(schema));
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace structtensor::sinks_internal
