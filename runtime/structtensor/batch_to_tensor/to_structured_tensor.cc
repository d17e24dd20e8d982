#include "structtensor/batch_to_tensor/to_structured_tensor.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/batch_to_tensor/internal/declared_defaults.h"

namespace structtensor {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

DType DTypeOfElement(plan::Element element) {
  switch (element) {
    case plan::Element::kBool:
      return DType::kBool;
    case plan::Element::kInt32:
      return DType::kInt32;
    case plan::Element::kInt64:
      return DType::kInt64;
    case plan::Element::kUint32:
      return DType::kUint32;
    case plan::Element::kUint64:
      return DType::kUint64;
    case plan::Element::kFloat:
      return DType::kFloat;
    case plan::Element::kDouble:
      return DType::kDouble;
    case plan::Element::kString:
      return DType::kString;
    case plan::Element::kBytes:
    case plan::Element::kMessage:
      return DType::kBytes;
  }
  return DType::kBytes;
}

// The message types from the root to the current one.
struct Path {
  const plan::MessagePlan* message;
  const Path* above;
  const plan::FieldPlan* field;  // of `above` that leads here; null for the root

  int CountOf(const plan::MessagePlan* type) const {
    int count = 0;
    for (const Path* path = this; path != nullptr; path = path->above) count += path->message->full_name == type->full_name;
    return count;
  }
  std::string Text(const plan::FieldPlan& last) const {
    std::string text(last.name);
    for (const Path* path = this; path->above != nullptr; path = path->above)
      text = absl::StrCat(ToAbsl(path->field->name), ".", text);
    return text;
  }
};

class BatchConverter {
 public:
  BatchConverter(const DecodedBatch& batch, const TensorOptions& options)
      : options_(options), tree_(batch.tree()), owner_(std::make_shared<const DecodedBatch>(batch)) {}

  absl::StatusOr<StructuredTensor> Run() {
    const NodeView root(tree_);
    const Path path{&root.plan(), nullptr, nullptr};
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(root, path));
    return StructuredTensor::Create({}, root.nrows(), std::move(fields));
  }

 private:
  template <typename T>
  Buffer<T> Share(const void* data, size_t size_elements) const {
    return Buffer<T>(owner_, static_cast<const T*>(data), size_elements);
  }

  absl::StatusOr<std::vector<Field>> Fields(const NodeView& node, const Path& path) {
    std::vector<Field> fields;
    fields.reserve(node.plan().fields.size());
    for (size_t i = 0; i < node.plan().fields.size(); ++i) {
      const plan::FieldPlan& field = node.plan().fields[i];
      if (field.skipped) continue;
      const ColumnView column = node.column(i);
      std::string name(field.name);
      if (!field.is_message()) {
        fields.push_back({std::move(name), Scalar(column)});
      } else if (KeptAsBytes(field, path)) {
        fields.push_back({std::move(name), Opaque(column)});
      } else if (path.CountOf(field.message) == 0 || node.child(i).touched()) {
        const Path below{field.message, &path, &field};
        STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Message(node, i, column, below));
        fields.push_back({std::move(name), std::move(value)});
      }
    }
    if (options_.unknown_fields && !node.plan().map_entry) AddUnknownFields(node, fields);
    return fields;
  }

  void AddUnknownFields(const NodeView& node, std::vector<Field>& fields) const {
    std::string name(kUnknownFields.name);
    while (std::any_of(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; })) name += '_';
    const ColumnView column = node.unknown_fields();
    fields.push_back({std::move(name), Elements(column, DType::kBytes, nullptr, column.offsets, column.nrows)});
  }

  // The same rule as the tree's, which decides it when data first comes.
  bool KeptAsBytes(const plan::FieldPlan& field, const Path& path) const {
    const int depth = tree_.limits().recursion_depth;
    return depth > 0 && path.CountOf(field.message) >= depth;
  }

  // --- Scalars

  // `size` elements of a column; the dtype says what they are.
  Tensor Elements(const ColumnView& column, DType dtype, const void* values, const int32_t* offsets, size_t size,
                  Validity validity = {}) const {
    switch (dtype) {
      case DType::kBool:
        return Tensor::FromBuffer(Share<uint8_t>(values, size), dtype, std::move(validity));
      case DType::kInt32:
        return Tensor::FromBuffer(Share<int32_t>(values, size), dtype, std::move(validity));
      case DType::kInt64:
      case DType::kTimestampNs:
      case DType::kDurationNs:
        return Tensor::FromBuffer(Share<int64_t>(values, size), dtype, std::move(validity));
      case DType::kUint32:
        return Tensor::FromBuffer(Share<uint32_t>(values, size), dtype, std::move(validity));
      case DType::kUint64:
        return Tensor::FromBuffer(Share<uint64_t>(values, size), dtype, std::move(validity));
      case DType::kFloat:
        return Tensor::FromBuffer(Share<float>(values, size), dtype, std::move(validity));
      case DType::kDouble:
        return Tensor::FromBuffer(Share<double>(values, size), dtype, std::move(validity));
      case DType::kFloat16:
      case DType::kBfloat16:
        break;  // protobuf has none
      case DType::kString:
      case DType::kBytes: {
        const auto bytes = static_cast<size_t>(offsets[size]);
        return Tensor::FromStrings(Share<int32_t>(offsets, size + 1), Share<char>(column.bytes, bytes), dtype,
                                   std::move(validity));
      }
    }
    return Tensor::FromBuffer(Share<uint8_t>(values, size), DType::kBool, std::move(validity));
  }

  // Whether a field shows which rows it is absent in; the same for all batches of a schema.
  static bool HasPresence(const plan::FieldPlan& field) {
    return !field.is_repeated() && field.presence == plan::Presence::kExplicit;
  }

  Validity ValidityOf(const ColumnView& column) const {
    const uint8_t* bits = column.validity == nullptr ? tree_.ones() : column.validity;
    return Validity(Share<uint8_t>(bits, (size_t{column.nrows} + 7) / 8));
  }

  RowPartition PartitionOf(const ColumnView& column) const {
    return RowPartition::FromRowSplitsUnchecked(Share<int64_t>(column.row_splits, size_t{column.nrows} + 1));
  }
  RowPartition OptionalPartitionOf(const ColumnView& column) const {
    return RowPartition::FromValueRowidsUnchecked(Share<uint32_t>(column.value_rowids, column.nvals), column.nrows,
                                                  RowPartition::Optional::kYes);
  }

  Value Scalar(const ColumnView& column) const { return ScalarOfType(column, DTypeOfElement(column.field->element)); }
  Value Opaque(const ColumnView& column) const { return ScalarOfType(column, DType::kBytes); }

  Value ScalarOfType(const ColumnView& column, DType dtype) const {
    if (column.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({PartitionOf(column)},
                                                      Elements(column, dtype, column.values, column.offsets, column.nvals));
    }
    const bool filled = HasPresence(*column.field) && options_.optionals == Optionals::kDefaultFilled;
    if (filled && column.validity != nullptr && column.field->default_value.declared) return FillDeclaredDefault(column, dtype);
    if (filled || !HasPresence(*column.field)) {
      return Elements(column, dtype, column.values, column.offsets, column.nrows);
    }
    if (options_.optionals == Optionals::kNullable) {
      return Elements(column, dtype, column.values, column.offsets, column.nrows, ValidityOf(column));
    }
    return RaggedTensor::FromRowPartitionsUnchecked(
        {OptionalPartitionOf(column)}, Elements(column, dtype, column.compact_values, column.compact_offsets, column.nvals));
  }

  // --- Messages

  absl::StatusOr<Value> Message(const NodeView& parent, size_t i, const ColumnView& column, const Path& path) {
    const NodeView child = parent.child(i);
    if (options_.well_known_types == WellKnownTypes::kNative && column.field->message->well_known != plan::WellKnown::kNone) {
      return WellKnown(child, column, path);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(child, path));
    if (!column.field->is_repeated()) {
      const Validity validity = HasPresence(*column.field) ? ValidityOf(column) : Validity();
      return Value(StructuredTensor::Create({}, child.nrows(), std::move(fields), StructKind::kStruct, validity));
    }
    const StructKind kind = column.field->cardinality == plan::Cardinality::kMap ? StructKind::kMapEntry : StructKind::kStruct;
    return Value(StructuredTensor::Create({PartitionOf(column)}, child.nrows(), std::move(fields), kind));
  }

  // --- Well-known types: a tensor over the rows of `node`, then presence or partition around it like those of a scalar field.

  absl::StatusOr<Value> WellKnown(const NodeView& node, const ColumnView& column, const Path& path) {
    if (column.field->message->well_known == plan::WellKnown::kWrapper) return WithPresence(column, WrapperOf(node));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const NativeColumn nanos, Nanoseconds(node, path));
    return WithPresence(column, nanos);
  }

  // One value for each row of a node.
  struct NativeColumn {
    ColumnView view;  // for strings
    DType dtype;
    Buffer<int64_t> computed;  // or nothing: the values are those of `view`
  };

  static NativeColumn WrapperOf(const NodeView& node) {
    const ColumnView value = node.column(0);
    return {value, DTypeOfElement(value.field->element), {}};
  }

  absl::StatusOr<NativeColumn> Nanoseconds(const NodeView& node, const Path& path) const {
    const bool timestamp = node.plan().well_known == plan::WellKnown::kTimestamp;
    const ColumnView seconds_column = node.column(0);
    const int64_t* seconds = static_cast<const int64_t*>(seconds_column.values);
    const int32_t* nanos = static_cast<const int32_t*>(node.column(1).values);
    std::vector<int64_t> values(node.nrows());
    for (size_t row = 0; row < values.size(); ++row) {
      int64_t value;
      if (__builtin_mul_overflow(seconds[row], kNanosPerSecond, &value) || __builtin_add_overflow(value, nanos[row], &value)) {
        // The part in seconds alone may be just out of range where the sum is not.
        const __int128 exact = static_cast<__int128>(seconds[row]) * kNanosPerSecond + nanos[row];
        if (exact < INT64_MIN || exact > INT64_MAX) {
          return absl::OutOfRangeError(absl::StrCat(
              "field ", path.above->Text(*path.field), ", row ", row, ": ", seconds[row], " seconds and ", nanos[row],
              " nanoseconds do not fit in 64 bits of nanoseconds as ", timestamp ? "timestamp[ns]" : "duration[ns]",
              "; keep such types as structs (well_known_types = kStructs)"));
        }
        value = static_cast<int64_t>(exact);
      }
      values[row] = value;
    }
    return NativeColumn{seconds_column, timestamp ? DType::kTimestampNs : DType::kDurationNs,
                        Buffer<int64_t>::FromVector(std::move(values))};
  }

  Tensor NativeTensor(const NativeColumn& column, size_t size, Validity validity = {}) const {
    if (column.computed.data() != nullptr) return Tensor::FromBuffer(column.computed, column.dtype, std::move(validity));
    return Elements(column.view, column.dtype, column.view.values, column.view.offsets, size, std::move(validity));
  }

  Value WithPresence(const ColumnView& presence, const NativeColumn& column) const {
    if (presence.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({PartitionOf(presence)}, NativeTensor(column, presence.nvals));
    }
    const bool has_presence = HasPresence(*presence.field) && options_.optionals != Optionals::kDefaultFilled;
    if (!has_presence) return NativeTensor(column, presence.nrows);
    if (options_.optionals == Optionals::kNullable) return NativeTensor(column, presence.nrows, ValidityOf(presence));
    return RaggedTensor::FromRowPartitionsUnchecked({OptionalPartitionOf(presence)}, TakePresent(presence, column));
  }

  // The values of the rows in which the message is present.
  Tensor TakePresent(const ColumnView& presence, const NativeColumn& column) const {
    if (column.computed.data() != nullptr) return Take<int64_t>(presence, column.computed.data(), column.dtype);
    const ColumnView& view = column.view;
    switch (column.dtype) {
      case DType::kBool:
        return Take<uint8_t>(presence, view.values, column.dtype);
      case DType::kInt32:
        return Take<int32_t>(presence, view.values, column.dtype);
      case DType::kInt64:
      case DType::kTimestampNs:
      case DType::kDurationNs:
        return Take<int64_t>(presence, view.values, column.dtype);
      case DType::kUint32:
        return Take<uint32_t>(presence, view.values, column.dtype);
      case DType::kUint64:
        return Take<uint64_t>(presence, view.values, column.dtype);
      case DType::kFloat:
        return Take<float>(presence, view.values, column.dtype);
      case DType::kDouble:
        return Take<double>(presence, view.values, column.dtype);
      case DType::kFloat16:
      case DType::kBfloat16:
      case DType::kString:
      case DType::kBytes:
        break;
    }
    // Absent rows are empty strings, so the bytes stay and only their offsets are left out.
    std::vector<int32_t> offsets = {0};
    for (uint32_t i = 0; i < presence.nvals; ++i) offsets.push_back(view.offsets[presence.value_rowids[i] + 1]);
    const auto bytes = static_cast<size_t>(view.offsets[view.nrows]);
    return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Share<char>(view.bytes, bytes), column.dtype);
  }

  template <typename T>
  static Tensor Take(const ColumnView& presence, const void* values, DType dtype) {
    std::vector<T> taken(presence.nvals);
    for (uint32_t i = 0; i < presence.nvals; ++i) taken[i] = static_cast<const T*>(values)[presence.value_rowids[i]];
    return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(taken)), dtype);
  }

  TensorOptions options_;
  const ColumnTree& tree_;
  std::shared_ptr<const void> owner_;
};

}  // namespace

absl::StatusOr<StructuredTensor> ToStructuredTensor(const DecodedBatch& batch, const TensorOptions& options) {
  return BatchConverter(batch, options).Run();
}

absl::StatusOr<StructuredTensor> DecodedBatch::structured_tensor() const { return ToStructuredTensor(*this); }

absl::StatusOr<StructuredTensor> DecodedBatch::structured_tensor(const TensorOptions& options) const {
  return ToStructuredTensor(*this, options);
}

}  // namespace structtensor
