#include "structtensor/tensor/messages/to_structured_tensor.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
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
#include "structtensor/tensor/messages/internal/struct_layouts.h"
#include "structtensor/tensor/messages/internal/unknown_fields_name.h"
#include "structtensor/tensor/messages/shared/enums_of.h"
#include "structtensor/tensor/messages/shared/native_times.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

using messages_internal::HasPresence;
using messages_internal::StructLayout;
using messages_internal::StructLayouts;

DType DTypeOfElement(plan::Element element) {
  if (element == plan::Element::kString) return DType::kString;
  if (element == plan::Element::kBytes || element == plan::Element::kMessage) return DType::kBytes;
  return plan::VisitElement(element, []<typename T>() { return DTypeOf<T>::value; });
}

// The dtype of the column of a field that is not a message.
DType DTypeOfField(const plan::FieldPlan& field) {
  const bool text = field.annotations != nullptr && field.annotations->text;
  return text ? DType::kString : DTypeOfElement(field.element);
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

// Makes values of the columns of a batch. They share its memory and keep this object, which keeps the batch.
class BatchColumns : public std::enable_shared_from_this<BatchColumns> {
 public:
  BatchColumns(const DecodedBatch& batch, std::shared_ptr<const StructLayouts> layouts)
      : batch_(batch), tree_(batch_.tree()), layouts_(std::move(layouts)) {}

  const column_internal::ColumnTree& tree() const { return tree_; }
  const TensorOptions& options() const { return layouts_->options(); }
  const StructLayouts& layouts() const { return *layouts_; }
  // Names that columns refer to. Requires: no other thread uses this yet.
  const messages_internal::EnumNames& Keep(messages_internal::EnumNames names) {
    return *names_.emplace_back(std::make_unique<const messages_internal::EnumNames>(std::move(names)));
  }

  template <typename T>
  Buffer<T> Share(const void* data, size_t size_elements) const {
    return Buffer<T>(shared_from_this(), static_cast<const T*>(data), size_elements);
  }

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

  Optionals OptionalsOf(const plan::FieldPlan& field) const {
    return messages_internal::OptionalsOf(field, options().optionals);
  }
  bool IsFilled(const plan::FieldPlan& field) const {
    return HasPresence(field) && OptionalsOf(field) == Optionals::kDefaultFilled;
  }

  // A column that is not a message, as it is stored.
  Value Stored(const ColumnView& column, DType dtype) const {
    if (column.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({PartitionOf(column)},
                                                      Elements(column, dtype, column.values, column.offsets, column.nvals));
    }
    if (!HasPresence(*column.field) || IsFilled(*column.field)) {
      return Elements(column, dtype, column.values, column.offsets, column.nrows);
    }
    if (OptionalsOf(*column.field) == Optionals::kNullable) {
      return Elements(column, dtype, column.values, column.offsets, column.nrows, ValidityOf(column));
    }
    return RaggedTensor::FromRowPartitionsUnchecked(
        {OptionalPartitionOf(column)}, Elements(column, dtype, column.compact_values, column.compact_offsets, column.nvals));
  }

  Tensor UnknownFields(const NodeView& node) const {
    const ColumnView column = node.unknown_fields();
    return Elements(column, DType::kBytes, nullptr, column.offsets, column.nrows);
  }

  // The structs of a column. Its field is repeated, or present in `presence`. `create(partitions, kind, validity)` makes them.
  template <typename Create>
  auto Structs(const ColumnView& column, const ColumnView& presence, Create create) const {
    if (!column.field->is_repeated()) {
      const Validity validity = HasPresence(*presence.field) ? ValidityOf(presence) : Validity();
      return create(std::vector<RowPartition>(), StructKind::kStruct, validity);
    }
    const bool map = column.field->cardinality == plan::Cardinality::kMap;
    return create(std::vector<RowPartition>({PartitionOf(column)}), map ? StructKind::kMapEntry : StructKind::kStruct,
                  Validity());
  }

  // A column of the structs of `node`. Requires: it is deferred.
  Value MakeDeferred(const NodeView& node, const StructLayout::Column& column) const;

 private:
  const DecodedBatch batch_;
  const column_internal::ColumnTree& tree_;
  const std::shared_ptr<const StructLayouts> layouts_;
  std::vector<std::unique_ptr<const messages_internal::EnumNames>> names_;
};

// The fields of the structs of one node.
class NodeFields : public FieldSource {
 public:
  // `made`: the columns that are not deferred, in the order of the layout.
  NodeFields(std::shared_ptr<const BatchColumns> columns, const NodeView& node, const StructLayout& layout,
             std::vector<Value> made)
      : columns_(std::move(columns)), node_(node), layout_(layout), made_(std::move(made)) {}

  Value MakeField(size_t i) const override {
    const StructLayout::Column& column = layout_.columns[i];
    return column.deferred ? columns_->MakeDeferred(node_, column) : made_[column.made_before];
  }
  bool MayHaveValues(size_t i) const override {
    const StructLayout::Column& column = layout_.columns[i];
    if (!column.deferred || column.field == node_.plan().fields.size() || node_.touched(column.field)) return true;
    const plan::FieldPlan& field = node_.plan().fields[column.field];
    return !field.is_repeated() && (!HasPresence(field) || columns_->IsFilled(field));
  }

 private:
  const std::shared_ptr<const BatchColumns> columns_;  // also keeps the layout
  const NodeView node_;
  const StructLayout& layout_;
  const std::vector<Value> made_;
};

Value BatchColumns::MakeDeferred(const NodeView& node, const StructLayout::Column& column) const {
  if (column.field == node.plan().fields.size()) return UnknownFields(node);
  const ColumnView view = node.column(column.field);
  if (column.below == nullptr) return Stored(view, DTypeOfField(*view.field));
  const NodeView child = node.child(column.field);
  const StructLayout& below = *column.below;
  return Structs(view, view, [&](std::vector<RowPartition> partitions, StructKind kind, const Validity& validity) {
    auto fields = std::make_shared<NodeFields>(shared_from_this(), child, below, std::vector<Value>());
    return StructuredTensor::CreateDeferred(std::move(partitions), child.nrows(), below.names, std::move(fields), kind,
                                            validity);
  });
}

class BatchConverter {
 public:
  BatchConverter(std::shared_ptr<BatchColumns> batch, std::vector<InexactTimes>* inexact_times)
      : options_(batch->options()), batch_(std::move(batch)), tree_(batch_->tree()), inexact_times_(inexact_times) {}

  absl::StatusOr<StructuredTensor> Run() {
    const NodeView root(tree_);
    const MessagePath path{&root.plan(), nullptr, nullptr};
    return Structs(root, path, {}, StructKind::kStruct, {});
  }

 private:
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

  // The structs of `node`, under these partitions.
  absl::StatusOr<StructuredTensor> Structs(const NodeView& node, const MessagePath& path, std::vector<RowPartition> partitions,
                                           StructKind kind, Validity validity) {
    const StructLayout* const layout = batch_->layouts().Of(node.plan());
    if (layout == nullptr) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(node, path));
      return StructuredTensor::Create(std::move(partitions), node.nrows(), std::move(fields), kind, std::move(validity));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CountColumns(layout->num_deferred));
    std::vector<Value> made;
    made.reserve(layout->num_made);
    for (size_t i = 0; made.size() < layout->num_made; ++i) {
      const StructLayout::Column& column = layout->columns[i];
      if (column.deferred) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(CountColumns(1));
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<Value> value, ValueOf(node, column.field, path, nullptr));
      assert(value.has_value());  // types with a layout are not recursive
      made.push_back(*std::move(value));
    }
    if (made.size() == layout->columns.size()) {
      return StructuredTensor::Create(std::move(partitions), node.nrows(), layout->names, std::move(made), kind,
                                      std::move(validity));
    }
    auto fields = std::make_shared<NodeFields>(batch_, node, *layout, std::move(made));
    return StructuredTensor::CreateDeferred(std::move(partitions), node.nrows(), layout->names, std::move(fields), kind,
                                            std::move(validity));
  }

  // The fields of a type without a layout.
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

  absl::Status CountColumns(size_t more) {
    if (more <= kMaxColumns - std::min(columns_, kMaxColumns)) {
      columns_ += more;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "the message type has more than ", kMaxColumns,
        " columns, counting nested messages at each place they occur; select fewer fields, or lower the recursion depth"));
  }

  absl::Status AddFields(const NodeView& node, const MessagePath& path, Columns& columns) {
    for (size_t i = 0; i < node.plan().fields.size(); ++i) {
      const plan::FieldPlan& field = node.plan().fields[i];
      if (field.skipped) continue;
      columns.given_names = columns.given_names || field.is_flattened() || field.column_name() != field.name;
      STRUCTTENSOR_RETURN_IF_ERROR(CountColumns(1));
      if (field.is_flattened()) {
        STRUCTTENSOR_RETURN_IF_ERROR(AddFlattened(node.child(i), node.column(i), path, columns));
        continue;
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<Value> value, ValueOf(node, i, path, columns.around));
      if (!value.has_value()) continue;
      columns.fields.push_back({absl::StrCat(columns.prefix, ToAbsl(field.column_name())), *std::move(value)});
    }
    return absl::OkStatus();
  }

  // The column of field `i`, or nothing if it is the message of a recursive type that no data reached.
  absl::StatusOr<std::optional<Value>> ValueOf(const NodeView& node, size_t i, const MessagePath& path,
                                               const ColumnView* around) {
    const plan::FieldPlan& field = node.plan().fields[i];
    const ColumnView column = node.column(i);
    if (!field.is_message()) return Scalar(column, around, node.plan());
    if (KeptAsBytes(field, path)) return ScalarOfType(column, DType::kBytes, around);
    if (tree_.limits().recursion_depth == 0 && path.CountOf(field.message) > 0 && !node.child(i).touched()) {
      return std::optional<Value>();
    }
    const MessagePath below{field.message, &path, &field};
    return Message(node.child(i), column, around, below);
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
    // In a flattened message, the path in front of the name makes it differ from the names of all other columns.
    std::string name = columns.path.empty() ? messages_internal::UnknownFieldsName(columns.message)
                                            : absl::StrCat(columns.path, ToAbsl(column_internal::kUnknownFields.name));
    columns.fields.push_back({std::move(name), batch_->UnknownFields(node)});
  }

  // The same rule as the tree's. The tree decides when data first comes.
  bool KeptAsBytes(const plan::FieldPlan& field, const MessagePath& path) const {
    const int depth = plan::RecursionDepthOf(field, tree_.limits().recursion_depth);
    return depth > 0 && path.CountOf(field.message) >= depth;
  }

  // --- Settings: annotations go before options

  static bool HasUnitOfItsOwn(const plan::FieldPlan& field) {
    return field.annotations != nullptr && field.annotations->timestamps != plan::FieldAnnotations::Timestamps::kUnspecified;
  }

  TimeUnit UnitOf(const plan::FieldPlan& field) const { return messages_internal::NativeTimeUnit(field, options_.timestamps); }

  // --- Scalars

  // Returns the column that says where the field is present. This is the field's own column, or the column of the flattened
  // message if the singular field has no presence of its own.
  static const ColumnView& PresenceOf(const ColumnView& column, const ColumnView* around) {
    const plan::FieldPlan& field = *column.field;
    return around == nullptr || field.is_repeated() || HasPresence(field) ? column : *around;
  }

  // A column of `message`.
  absl::StatusOr<Value> Scalar(const ColumnView& column, const ColumnView* around, const plan::MessagePlan& message) {
    const plan::FieldPlan& field = *column.field;
    if (field.cardinality == plan::Cardinality::kOneofCase) around = nullptr;  // 0 where the message is absent
    if (messages_internal::EnumsOf(field, options_.enums) != Enums::kNumbers) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const ColumnView names, WithNames(column, PresenceOf(column, around), message));
      return ScalarOfType(names, DType::kString, around);
    }
    const DType dtype = DTypeOfField(field);
    if (!batch_->IsFilled(field) || column.validity == nullptr || !field.default_value.declared) {
      return ScalarOfType(column, dtype, around);
    }
    STRUCTTENSOR_RETURN_IF_ERROR(Charge(messages_internal::FilledBytes(column)));
    return messages_internal::FillDeclaredDefault(column, dtype);
  }

  // A column of an enum, or of the case of a oneof, with names instead of numbers.
  absl::StatusOr<ColumnView> WithNames(ColumnView column, const ColumnView& presence, const plan::MessagePlan& message) {
    const messages_internal::NamedElements elements = {.message = &message,
                                                       .validity = HasPresence(*presence.field) ? presence.validity : nullptr,
                                                       .filled = batch_->IsFilled(*presence.field)};
    STRUCTTENSOR_RETURN_IF_ERROR(Charge(messages_internal::EnumNamesBytes(column, elements)));
    const messages_internal::EnumNames& names = batch_->Keep(messages_internal::NamesOf(column, elements));
    column.values = column.compact_values = nullptr;
    column.bytes = names.bytes.data();
    column.offsets = names.offsets.data();
    column.compact_offsets = names.compact_offsets.empty() ? column.offsets : names.compact_offsets.data();
    return column;
  }

  absl::StatusOr<Value> ScalarOfType(const ColumnView& column, DType dtype, const ColumnView* around) {
    if (const ColumnView& presence = PresenceOf(column, around); &presence != &column) {
      const size_t element_bytes = IsStringLike(dtype) ? sizeof(int32_t) : DTypeSizeBytes(dtype);
      if (batch_->OptionalsOf(*presence.field) == Optionals::kRagged) {
        STRUCTTENSOR_RETURN_IF_ERROR(Charge((size_t{presence.nvals} + 1) * element_bytes));
      }
      return WithPresence(presence, {column, dtype});
    }
    return batch_->Stored(column, dtype);
  }

  // --- Messages

  absl::StatusOr<Value> Message(const NodeView& child, const ColumnView& column, const ColumnView* around,
                                const MessagePath& path) {
    const ColumnView& presence = PresenceOf(column, around);
    if (options_.well_known_types == WellKnownTypes::kNative && column.field->message->well_known != plan::WellKnown::kNone) {
      return WellKnown(child, presence, path);
    }
    const auto create = [&](std::vector<RowPartition> partitions, StructKind kind, Validity validity) {
      return Structs(child, path, std::move(partitions), kind, std::move(validity));
    };
    if (!column.field->is_repeated() && HasPresence(*presence.field) &&
        batch_->OptionalsOf(*presence.field) == Optionals::kRagged) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor structs, create({}, StructKind::kStruct, {}));
      return PresentRows(presence, structs);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor structs, batch_->Structs(column, presence, create));
    return Value(std::move(structs));
  }

  // The rows in which the message is present, under an optional dimension.
  absl::StatusOr<Value> PresentRows(const ColumnView& presence, const StructuredTensor& structs) {
    const RowPartition partition = batch_->OptionalPartitionOf(presence);
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
            all_fit ? batch_->Share<uint8_t>(tree_.ones(), (size_t{node.nrows()} + 7) / 8)
                    : Buffer<uint8_t>::FromVector(std::move(times.fits)),
            all_fit};
  }

  Value TimesWithPresence(const ColumnView& presence, const TimeColumn& times) const {
    const auto tensor = [&times](Validity validity) {
      return Tensor::FromBuffer(times.values, times.dtype, std::move(validity));
    };
    if (presence.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({batch_->PartitionOf(presence)}, tensor(Validity(times.fits)));
    }
    if (!HasPresence(*presence.field) || batch_->IsFilled(*presence.field)) return tensor(Validity(times.fits));
    if (batch_->OptionalsOf(*presence.field) == Optionals::kRagged) {
      return RaggedTensor::FromRowPartitionsUnchecked({batch_->OptionalPartitionOf(presence)},
                                                      TakePresentTimes(presence, times));
    }
    return tensor(times.all_fit ? batch_->ValidityOf(presence) : PresentAndFitting(presence, times));
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
      Buffer<uint8_t> bits = batch_->Share<uint8_t>(tree_.ones(), (size_t{presence.nvals} + 7) / 8);
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
    return batch_->Elements(column.view, column.dtype, column.view.values, column.view.offsets, size, std::move(validity));
  }

  Value WithPresence(const ColumnView& presence, const WrapperColumn& column) const {
    if (presence.field->is_repeated()) {
      return RaggedTensor::FromRowPartitionsUnchecked({batch_->PartitionOf(presence)}, WrapperTensor(column, presence.nvals));
    }
    if (!HasPresence(*presence.field) || batch_->IsFilled(*presence.field)) return WrapperTensor(column, presence.nrows);
    if (batch_->OptionalsOf(*presence.field) == Optionals::kNullable)
      return WrapperTensor(column, presence.nrows, batch_->ValidityOf(presence));
    return RaggedTensor::FromRowPartitionsUnchecked({batch_->OptionalPartitionOf(presence)}, TakePresent(presence, column));
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
    return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), batch_->Share<char>(view.bytes, bytes),
                               column.dtype);
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

  const TensorOptions& options_;
  const std::shared_ptr<BatchColumns> batch_;
  const column_internal::ColumnTree& tree_;
  size_t columns_ = 0;
  size_t computed_bytes_ = 0;
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
  // Later, strings that are still in the input may be gone.
  batch.tree().CopyStrings();
  auto layouts = std::static_pointer_cast<const StructLayouts>(batch.tree_ref().derived());
  if (layouts == nullptr || layouts->options() != options) {
    layouts = std::make_shared<const StructLayouts>(batch.plan(), options, batch.tree().limits().keeps_unknown_fields);
    batch.tree_ref().set_derived(layouts);
  }
  return BatchConverter(std::make_shared<BatchColumns>(batch, std::move(layouts)), inexact_times).Run();
}

}  // namespace structtensor
