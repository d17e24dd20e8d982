#include "structtensor/tensor/messages/to_structured_tensor.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/messages/internal/declared_defaults.h"
#include "structtensor/tensor/messages/internal/enum_names.h"
#include "structtensor/tensor/messages/shared/enums_of.h"
#include "structtensor/tensor/messages/shared/native_times.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

DType DTypeOfElement(plan::Element element) {
  if (element == plan::Element::kString) return DType::kString;
  if (element == plan::Element::kBytes || element == plan::Element::kMessage) return DType::kBytes;
  return plan::VisitElement(element, []<typename T>() { return DTypeOf<T>::value; });
}

// The bytes that a copy of `nrows` rows of axis 0 takes. All other rows are absent messages, without strings and elements.
size_t BytesOfRows(const Value& value, size_t nrows) {
  constexpr size_t kSplitBytes = sizeof(int64_t);
  if (const Tensor* const tensor = value.tensor(); tensor != nullptr) {
    const size_t validity_bytes = tensor->nullable() ? nrows / 8 + 1 : 0;
    if (!IsStringLike(tensor->dtype())) return nrows * DTypeSizeBytes(tensor->dtype()) + validity_bytes;
    const std::span<const int32_t> offsets = tensor->string_offsets().span();
    return (nrows + 1) * sizeof(int32_t) + static_cast<size_t>(offsets.back() - offsets.front()) + validity_bytes;
  }
  size_t bytes = 0;
  size_t nvals = nrows;
  const auto add_partitions = [&](const std::vector<RowPartition>& partitions) {
    for (const RowPartition& partition : partitions) {
      bytes += (nvals + 1) * kSplitBytes;
      nvals = static_cast<size_t>(partition.nvals());
    }
  };
  if (const RaggedTensor* const ragged = value.ragged(); ragged != nullptr) {
    add_partitions(ragged->row_partitions());
    return bytes + BytesOfRows(Value(ragged->flat_values()), nvals);
  }
  const StructuredTensor& structs = *value.structured();  // a batch has no other values
  add_partitions(structs.row_partitions());
  for (size_t i = 0; i < structs.num_fields(); ++i) bytes += BytesOfRows(structs.flat_field(i), nvals);
  return bytes;
}

// The message types from the root to the current one.
struct MessagePath {
  const plan::MessagePlan* message;
  const MessagePath* above;
  const plan::FieldPlan* field;  // the field of `above` that leads here; null for the root

  int CountOf(const plan::MessagePlan* type) const {
    int count = 0;
    for (const MessagePath* path = this; path != nullptr; path = path->above)
      count += path->message->full_name == type->full_name;
    return count;
  }
  std::string Text(const plan::FieldPlan& last) const {
    std::vector<std::string_view> names = {last.name};
    for (const MessagePath* path = this; path->above != nullptr; path = path->above) names.push_back(path->field->name);
    std::string text;
    for (auto name = names.rbegin(); name != names.rend(); ++name) AppendField(*name, text);
    return text;
  }
};

class BatchConverter {
 public:
  BatchConverter(const DecodedBatch& batch, const TensorOptions& options, std::vector<InexactTimes>* inexact_times)
      : options_(options),
        tree_(batch.tree()),
        owner_(std::make_shared<Owner>(Owner{batch, {}})),
        inexact_times_(inexact_times) {}

  absl::StatusOr<StructuredTensor> Run() {
    const NodeView root(tree_);
    const MessagePath path{&root.plan(), nullptr, nullptr};
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(root, path));
    return StructuredTensor::Create({}, root.nrows(), std::move(fields));
  }

 private:
  // What the values share, and keep alive.
  struct Owner {
    DecodedBatch batch;
    std::deque<messages_internal::EnumNames> names;
  };

  // The struct that fields are added to.
  struct Columns {
    const plan::MessagePlan& message;  // of the struct itself
    std::vector<Field> fields = {};
    // For the flattened message that is being added: the prefix of its columns' names, and its path, "a.b.".
    std::string prefix = {};
    std::string path = {};
    // The column that says where the innermost flattened message that may be absent is present. Where that message is absent,
    // so are its columns. Null if no flattened message around may be absent.
    const ColumnView* around = nullptr;
    bool given_names = false;  // annotations changed names; only fields' own names are never equal
  };

  template <typename T>
  Buffer<T> Share(const void* data, size_t size_elements) const {
    return Buffer<T>(owner_, static_cast<const T*>(data), size_elements);
  }

  absl::StatusOr<std::vector<Field>> Fields(const NodeView& node, const MessagePath& path) {
    Columns columns{.message = node.plan()};
    columns.fields.reserve(node.plan().fields.size());
    STRUCTTENSOR_RETURN_IF_ERROR(AddFields(node, path, columns));
    if (columns.given_names) STRUCTTENSOR_RETURN_IF_ERROR(CheckNames(columns.fields));
    if (tree_.limits().keeps_unknown_fields && !node.plan().map_entry) AddUnknownFields(node, columns);
    return std::move(columns.fields);
  }

  // No two columns of a schema have the same name. But a field that annotations skip can be selected all the same.
  static absl::Status CheckNames(const std::vector<Field>& fields) {
    std::unordered_set<std::string_view> names;
    for (const Field& field : fields) {
      if (names.insert(field.name).second) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("two columns are called ", field.name,
                       ": a skipped field is selected, and an annotation gives another field its name; select only one of "
                       "them, or annotate the skipped field with another name"));
    }
    return absl::OkStatus();
  }

  absl::Status AddFields(const NodeView& node, const MessagePath& path, Columns& columns) {
    for (size_t i = 0; i < node.plan().fields.size(); ++i) {
      const plan::FieldPlan& field = node.plan().fields[i];
      if (field.skipped) continue;
      columns.given_names = columns.given_names || field.is_flattened() || field.column_name() != field.name;
      if (++columns_ > kMaxColumns) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the message type has more than ", kMaxColumns,
            " columns, counting nested messages at each place they occur; select fewer fields, or lower the recursion "
            "depth"));
      }
      const ColumnView column = node.column(i);
      const auto add = [&](Value value) {
        columns.fields.push_back({absl::StrCat(columns.prefix, ToAbsl(field.column_name())), std::move(value)});
      };
      if (field.is_flattened()) {
        STRUCTTENSOR_RETURN_IF_ERROR(AddFlattened(node.child(i), column, path, columns));
      } else if (!field.is_message()) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Scalar(column, columns.around, node.plan()));
        add(std::move(value));
      } else if (KeptAsBytes(field, path)) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, ScalarOfType(column, DType::kBytes, columns.around));
        add(std::move(value));
      } else if (tree_.limits().recursion_depth > 0 || path.CountOf(field.message) == 0 || node.child(i).touched()) {
        const MessagePath below{field.message, &path, &field};
        STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, Message(node.child(i), column, columns.around, below));
        add(std::move(value));
      }
    }
    return absl::OkStatus();
  }

  // Adds the columns of a message to the struct of the message around it.
  absl::Status AddFlattened(const NodeView& node, const ColumnView& presence, const MessagePath& path, Columns& columns) {
    const plan::FieldPlan& field = *presence.field;
    const MessagePath below{field.message, &path, &field};
    const size_t prefix_size = columns.prefix.size();
    const size_t path_size = columns.path.size();
    const ColumnView* const around = columns.around;
    absl::StrAppend(&columns.prefix, ToAbsl(field.annotations->prefix));
    absl::StrAppend(&columns.path, ToAbsl(field.name), ".");
    if (HasPresence(field)) columns.around = &presence;
    STRUCTTENSOR_RETURN_IF_ERROR(AddFields(node, below, columns));
    if (tree_.limits().keeps_unknown_fields) AddUnknownFields(node, columns);
    columns.prefix.resize(prefix_size);
    columns.path.resize(path_size);
    columns.around = around;
    return absl::OkStatus();
  }

  void AddUnknownFields(const NodeView& node, Columns& columns) const {
    std::string name = absl::StrCat(columns.path, ToAbsl(column_internal::kUnknownFields.name));
    // In a flattened message, the path in front of the name makes it differ from the names of all other columns.
    while (columns.path.empty() && columns.message.FindByColumnName(name) != nullptr) name += '_';
    const ColumnView column = node.unknown_fields();
    columns.fields.push_back({std::move(name), Elements(column, DType::kBytes, nullptr, column.offsets, column.nrows)});
  }

  // The same rule as the tree's. The tree decides when data first comes.
  bool KeptAsBytes(const plan::FieldPlan& field, const MessagePath& path) const {
    const int depth = plan::RecursionDepthOf(field, tree_.limits().recursion_depth);
    return depth > 0 && path.CountOf(field.message) >= depth;
  }

  // --- Settings: annotations go before options

  Optionals OptionalsOf(const plan::FieldPlan& field) const {
    using OptionalAs = plan::FieldAnnotations::OptionalAs;
    switch (field.annotations == nullptr ? OptionalAs::kUnspecified : field.annotations->optional_as) {
      case OptionalAs::kRagged:
        return Optionals::kRagged;
      case OptionalAs::kNullable:
        return Optionals::kNullable;
      case OptionalAs::kDefaultFilled:
        return Optionals::kDefaultFilled;
      case OptionalAs::kUnspecified:
        break;
    }
    return options_.optionals;
  }

  static bool HasUnitOfItsOwn(const plan::FieldPlan& field) {
    return field.annotations != nullptr && field.annotations->timestamps != plan::FieldAnnotations::Timestamps::kUnspecified;
  }

  TimeUnit UnitOf(const plan::FieldPlan& field) const { return messages_internal::NativeTimeUnit(field, options_.timestamps); }

  // --- Scalars

  // Returns `size` elements of a column. `dtype` says what they are.
  Tensor Elements(const ColumnView& column, DType dtype, const void* values, const int32_t* offsets, size_t size,
                  Validity validity = {}) const {
    if (IsStringLike(dtype)) {
      const auto bytes = static_cast<size_t>(offsets[size]);
      return Tensor::FromStrings(Share<int32_t>(offsets, size + 1), Share<char>(column.bytes, bytes), dtype,
                                 std::move(validity));
    }
    return VisitStoredType(
        dtype, [&]<typename T>() { return Tensor::FromBuffer(Share<T>(values, size), dtype, std::move(validity)); });
  }

  // Whether a field shows in which rows it is absent. This is the same for all batches of a schema.
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

  // Returns the column that says where the field is present. This is the field's own column, or the column of the flattened
  // message if the singular field has no presence of its own.
  static const ColumnView& PresenceOf(const ColumnView& column, const ColumnView* around) {
    const plan::FieldPlan& field = *column.field;
    return around == nullptr || field.is_repeated() || HasPresence(field) ? column : *around;
  }

  bool IsFilled(const plan::FieldPlan& field) const {
    return HasPresence(field) && OptionalsOf(field) == Optionals::kDefaultFilled;
  }

  // A column of `message`.
  absl::StatusOr<Value> Scalar(const ColumnView& column, const ColumnView* around, const plan::MessagePlan& message) {
    const plan::FieldPlan& field = *column.field;
    if (field.cardinality == plan::Cardinality::kOneofCase) around = nullptr;  // 0 where the message is absent
    if (messages_internal::EnumsOf(field, options_.enums) != Enums::kNumbers) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const ColumnView names, WithNames(column, PresenceOf(column, around), message));
      return ScalarOfType(names, DType::kString, around);
    }
    const bool text = field.annotations != nullptr && field.annotations->text;
    const DType dtype = text ? DType::kString : DTypeOfElement(field.element);
    if (!IsFilled(field) || column.validity == nullptr || !field.default_value.declared) {
      return ScalarOfType(column, dtype, around);
    }
    STRUCTTENSOR_RETURN_IF_ERROR(Charge(messages_internal::FilledBytes(column)));
    return messages_internal::FillDeclaredDefault(column, dtype);
  }

  // A column of an enum, or of the case of a oneof, with names instead of numbers.
  absl::StatusOr<ColumnView> WithNames(ColumnView column, const ColumnView& presence, const plan::MessagePlan& message) {
    const messages_internal::NamedElements elements = {.message = &message,
                                                       .validity = HasPresence(*presence.field) ? presence.validity : nullptr,
                                                       .filled = IsFilled(*presence.field)};
    STRUCTTENSOR_RETURN_IF_ERROR(Charge(messages_internal::EnumNamesBytes(column, elements)));
    const messages_internal::EnumNames& names = owner_->names.emplace_back(messages_internal::NamesOf(column, elements));
    column.values = column.compact_values = nullptr;
    column.bytes = names.bytes.data();
    column.offsets = names.offsets.data();
    column.compact_offsets = names.compact_offsets.empty() ? column.offsets : names.compact_offsets.data();
    return column;
  }

  absl::StatusOr<Value> ScalarOfType(const ColumnView& column, DType dtype, const ColumnView* around) {
    if (const ColumnView& presence = PresenceOf(column, around); &presence != &column) {
      const size_t element_bytes = IsStringLike(dtype) ? sizeof(int32_t) : DTypeSizeBytes(dtype);
      if (OptionalsOf(*presence.field) == Optionals::kRagged) {
        STRUCTTENSOR_RETURN_IF_ERROR(Charge((size_t{presence.nvals} + 1) * element_bytes));
      }
      return WithPresence(presence, {column, dtype});
    }
    if (column.field->is_repeated()) {
      return Value(RaggedTensor::FromRowPartitionsUnchecked(
          {PartitionOf(column)}, Elements(column, dtype, column.values, column.offsets, column.nvals)));
    }
    if (!HasPresence(*column.field) || IsFilled(*column.field)) {
      return Value(Elements(column, dtype, column.values, column.offsets, column.nrows));
    }
    if (OptionalsOf(*column.field) == Optionals::kNullable) {
      return Value(Elements(column, dtype, column.values, column.offsets, column.nrows, ValidityOf(column)));
    }
    return Value(RaggedTensor::FromRowPartitionsUnchecked(
        {OptionalPartitionOf(column)}, Elements(column, dtype, column.compact_values, column.compact_offsets, column.nvals)));
  }

  // --- Messages

  absl::StatusOr<Value> Message(const NodeView& child, const ColumnView& column, const ColumnView* around,
                                const MessagePath& path) {
    const ColumnView& presence = PresenceOf(column, around);
    if (options_.well_known_types == WellKnownTypes::kNative && column.field->message->well_known != plan::WellKnown::kNone) {
      return WellKnown(child, presence, path);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(child, path));
    if (!column.field->is_repeated()) {
      if (HasPresence(*presence.field) && OptionalsOf(*presence.field) == Optionals::kRagged) {
        return PresentRows(presence, StructuredTensor::Create({}, child.nrows(), std::move(fields)));
      }
      const Validity validity = HasPresence(*presence.field) ? ValidityOf(presence) : Validity();
      return Value(StructuredTensor::Create({}, child.nrows(), std::move(fields), StructKind::kStruct, validity));
    }
    const StructKind kind = column.field->cardinality == plan::Cardinality::kMap ? StructKind::kMapEntry : StructKind::kStruct;
    return Value(StructuredTensor::Create({PartitionOf(column)}, child.nrows(), std::move(fields), kind));
  }

  // The rows in which the message is present, under an optional dimension.
  absl::StatusOr<Value> PresentRows(const ColumnView& presence, const StructuredTensor& structs) {
    const RowPartition partition = OptionalPartitionOf(presence);
    if (presence.nvals == presence.nrows) return Value(structs.WithOuterPartition(partition));
    const std::span<const uint32_t> present(presence.value_rowids, presence.nvals);
    const std::vector<int64_t> rows(present.begin(), present.end());
    if (!values_internal::IsRun(rows)) STRUCTTENSOR_RETURN_IF_ERROR(Charge(BytesOfRows(structs, presence.nvals)));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken, values_internal::TakeRowsChecked(Value(structs), rows));
    return WithOuterPartition(partition, taken);
  }

  // --- Well-known types: a tensor over the rows of `node`, with presence or a partition around it as for a scalar field.

  absl::StatusOr<Value> WellKnown(const NodeView& node, const ColumnView& presence, const MessagePath& path) {
    // The times with their validity. With a ragged dimension, the present values are stored once more.
    constexpr size_t kTimeBytes = sizeof(int64_t) + 1;
    STRUCTTENSOR_RETURN_IF_ERROR(Charge((size_t{node.nrows()} + presence.nvals) * kTimeBytes));
    if (node.plan().well_known == plan::WellKnown::kWrapper) return WithPresence(presence, WrapperOf(node));
    return TimesWithPresence(presence, Times(node, path));
  }

  // The values of a wrapper, or of a field of a flattened message: one for each row of its node.
  struct WrapperColumn {
    ColumnView view;
    DType dtype;
  };

  static WrapperColumn WrapperOf(const NodeView& node) {
    const ColumnView value = node.column(0);
    return {value, DTypeOfElement(value.field->element)};
  }

  // Times, one for each row of their node. They always have validity, so that all batches have the same spec.
  struct TimeColumn {
    Buffer<int64_t> values;
    DType dtype;
    Buffer<uint8_t> fits;  // validity: which of the present times fit the unit
    bool all_fit;
  };

  TimeColumn Times(const NodeView& node, const MessagePath& path) {
    const TimeUnit unit = UnitOf(*path.field);
    messages_internal::NativeTimes times = messages_internal::ReadTimes(node, unit);
    const bool all_fit = times.fits.empty();
    if (inexact_times_ != nullptr && (times.out_of_range > 0 || times.truncated > 0)) {
      inexact_times_->push_back({.field_path = path.above->Text(*path.field),
                                 .out_of_range = times.out_of_range,
                                 .truncated = times.truncated,
                                 .unit = unit,
                                 .annotated = HasUnitOfItsOwn(*path.field)});
    }
    const bool timestamp = node.plan().well_known == plan::WellKnown::kTimestamp;
    return {Buffer<int64_t>::FromVector(std::move(times.values)), timestamp ? TimestampDType(unit) : DurationDType(unit),
            all_fit ? Share<uint8_t>(tree_.ones(), (size_t{node.nrows()} + 7) / 8)
                    : Buffer<uint8_t>::FromVector(std::move(times.fits)),
            all_fit};
  }

  Value TimesWithPresence(const ColumnView& presence, const TimeColumn& times) const {
    const auto tensor = [&times](Validity validity) {
      return Tensor::FromBuffer(times.values, times.dtype, std::move(validity));
    };
    if (presence.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({PartitionOf(presence)}, tensor(Validity(times.fits)));
    }
    if (!HasPresence(*presence.field) || IsFilled(*presence.field)) return tensor(Validity(times.fits));
    if (OptionalsOf(*presence.field) == Optionals::kRagged) {
      return RaggedTensor::FromRowPartitionsUnchecked({OptionalPartitionOf(presence)}, TakePresentTimes(presence, times));
    }
    return tensor(times.all_fit ? ValidityOf(presence) : PresentAndFitting(presence, times));
  }

  static Validity PresentAndFitting(const ColumnView& presence, const TimeColumn& times) {
    std::vector<uint8_t> bits(times.fits.span().begin(), times.fits.span().end());
    const size_t used_bytes = (size_t{presence.nrows} + 7) / 8;
    for (size_t i = 0; i < used_bytes && presence.validity != nullptr; ++i) bits[i] &= presence.validity[i];
    return Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
  }

  Tensor TakePresentTimes(const ColumnView& presence, const TimeColumn& times) const {
    Buffer<int64_t> values = TakeBuffer<int64_t>(presence, times.values.data());
    if (times.all_fit) {
      Buffer<uint8_t> bits = Share<uint8_t>(tree_.ones(), (size_t{presence.nvals} + 7) / 8);
      return Tensor::FromBuffer(std::move(values), times.dtype, Validity(std::move(bits)));
    }
    const Validity fits(times.fits);
    std::vector<uint8_t> bits(size_t{presence.nvals} / 8 + 1);
    for (uint32_t i = 0; i < presence.nvals; ++i) {
      if (fits.is_valid(presence.value_rowids[i])) bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
    }
    return Tensor::FromBuffer(std::move(values), times.dtype, Validity(Buffer<uint8_t>::FromVector(std::move(bits))));
  }

  Tensor WrapperTensor(const WrapperColumn& column, size_t size, Validity validity = {}) const {
    return Elements(column.view, column.dtype, column.view.values, column.view.offsets, size, std::move(validity));
  }

  Value WithPresence(const ColumnView& presence, const WrapperColumn& column) const {
    if (presence.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({PartitionOf(presence)}, WrapperTensor(column, presence.nvals));
    }
    if (!HasPresence(*presence.field) || IsFilled(*presence.field)) return WrapperTensor(column, presence.nrows);
    if (OptionalsOf(*presence.field) == Optionals::kNullable)
      return WrapperTensor(column, presence.nrows, ValidityOf(presence));
    return RaggedTensor::FromRowPartitionsUnchecked({OptionalPartitionOf(presence)}, TakePresent(presence, column));
  }

  // The values of the rows in which the message is present.
  Tensor TakePresent(const ColumnView& presence, const WrapperColumn& column) const {
    const ColumnView& view = column.view;
    if (!IsStringLike(column.dtype)) {
      return VisitStoredType(
          column.dtype, [&]<typename T>() { return Tensor::FromBuffer(TakeBuffer<T>(presence, view.values), column.dtype); });
    }
    // Absent rows are empty strings. So the bytes stay as they are, and only the offsets of absent rows are left out.
    std::vector<int32_t> offsets = {0};
    for (uint32_t i = 0; i < presence.nvals; ++i) offsets.push_back(view.offsets[presence.value_rowids[i] + 1]);
    const auto bytes = static_cast<size_t>(view.offsets[view.nrows]);
    return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Share<char>(view.bytes, bytes), column.dtype);
  }

  template <typename T>
  static Buffer<T> TakeBuffer(const ColumnView& presence, const void* values) {
    std::vector<T> taken(presence.nvals);
    for (uint32_t i = 0; i < presence.nvals; ++i) taken[i] = static_cast<const T*>(values)[presence.value_rowids[i]];
    return Buffer<T>::FromVector(std::move(taken));
  }

  // Counts memory that values need in addition to the batch's columns. The batch's limit holds for both together.
  absl::Status Charge(size_t size_bytes) {
    const size_t limit_bytes = tree_.limits().memory_bytes;
    if (size_bytes <= limit_bytes - std::min(limit_bytes, tree_.used_bytes() + computed_bytes_)) {
      computed_bytes_ += size_bytes;
      return absl::OkStatus();
    }
    return absl::ResourceExhaustedError(absl::StrCat(
        "a tensor of the batch needs ", size_bytes, " bytes in addition to its columns, which exceeds what is left of ",
        base_internal::OptionText("max_memory_bytes", limit_bytes), "; decode fewer messages at a time, or raise that limit"));
  }

  // Each column takes memory and time, even without data. Message types that contain each other have many field paths.
  static constexpr size_t kMaxColumns = 1'000'000;

  TensorOptions options_;
  size_t columns_ = 0;
  size_t computed_bytes_ = 0;
  const column_internal::ColumnTree& tree_;
  const std::shared_ptr<Owner> owner_;
  std::vector<InexactTimes>* const inexact_times_;  // or null
};

absl::Status Validate(const TensorOptions& options) {
  using base_internal::CheckEnum;
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckEnum("optionals", options.optionals, Optionals::kDefaultFilled, "kRagged (0), kNullable (1) or kDefaultFilled (2)"));
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckEnum("well_known_types", options.well_known_types, WellKnownTypes::kStructs, "kNative (0) or kStructs (1)"));
  STRUCTTENSOR_RETURN_IF_ERROR(
      CheckEnum("enums", options.enums, Enums::kDictionary, "kNumbers (0), kNames (1) or kDictionary (2)"));
  return CheckEnum("timestamps", options.timestamps, TimeUnit::kNanoseconds,
                   "kSeconds (0), kMilliseconds (1), kMicroseconds (2) or kNanoseconds (3)");
}

}  // namespace

absl::StatusOr<StructuredTensor> ToStructuredTensor(const DecodedBatch& batch, const TensorOptions& options,
                                                    std::vector<InexactTimes>* inexact_times) {
  STRUCTTENSOR_RETURN_IF_ERROR(Validate(options));
  return BatchConverter(batch, options, inexact_times).Run();
}

}  // namespace structtensor
