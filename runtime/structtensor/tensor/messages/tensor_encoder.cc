#include "structtensor/tensor/messages/tensor_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/encode/shared/node_builder.h"
#include "structtensor/core/encode/shared/output.h"
#include "structtensor/core/plan/shared/case_names.h"
#include "structtensor/tensor/messages/internal/columns.h"
#include "structtensor/tensor/messages/internal/struct_map.h"
#include "structtensor/tensor/messages/internal/unknown_fields_name.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/validity.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using encode_internal::At;
using encode_internal::EncodeColumn;
using encode_internal::EncodeNode;
using messages_internal::ColumnMaker;
using messages_internal::kHidden;
using messages_internal::kMaxRows;
using messages_internal::Place;
using messages_internal::Rows;
using messages_internal::TextColumn;
using messages_internal::UnknownFieldsName;

constexpr std::string_view kUnknownFieldsName = column_internal::kUnknownFields.name;

// The values of a field, without the axis of its elements or of its presence.
struct Flat {
  const RowPartition* partition = nullptr;  // null: one value for each row
  const Tensor* tensor = nullptr;           // one of the two
  const StructuredTensor* structs = nullptr;

  bool has_validity() const { return tensor != nullptr ? tensor->nullable() : structs->nullable(); }
  const Validity& validity() const { return tensor != nullptr ? tensor->validity() : structs->validity(); }
  bool is_valid(int64_t row) const { return tensor != nullptr ? tensor->is_valid(row) : structs->validity().is_valid(row); }
  int64_t size() const { return tensor != nullptr ? tensor->nrows() : structs->flat_nrows(); }
};

std::string KindOfValue(const Value& value) {
  if (value.structured() != nullptr) return absl::StrCat("structs of rank ", value.rank());
  if (value.extension() != nullptr) return "an extension type";
  const DType dtype = value.tensor() != nullptr ? value.tensor()->dtype() : value.ragged()->dtype();
  return absl::StrCat(ToAbsl(DTypeName(dtype)), " of rank ", value.rank());
}

// The native values that a well-known type can also be made of.
std::string_view NativeNames(const plan::MessagePlan& message) {
  switch (message.well_known) {
    case plan::WellKnown::kTimestamp:
      return "timestamps, ";
    case plan::WellKnown::kDuration:
      return "durations, ";
    case plan::WellKnown::kWrapper:
    case plan::WellKnown::kNone:
      break;
  }
  return "";
}

// A time as the message types have it. The nanos of a timestamp are never negative. The nanos of a duration have the sign of
// the seconds.
struct SecondsAndNanos {
  int64_t seconds;
  int32_t nanos;
};
SecondsAndNanos SplitTime(int64_t value, TimeUnit unit, bool timestamp) {
  const int64_t units_per_second = UnitsPerSecond(unit);
  int64_t seconds = value / units_per_second;
  int64_t rest = value % units_per_second;
  if (timestamp && rest < 0) {
    --seconds;
    rest += units_per_second;
  }
  return {seconds, static_cast<int32_t>(rest * (1'000'000'000 / units_per_second))};
}

}  // namespace

class TensorEncoder::Impl {
 public:
  Impl(const plan::MessagePlan& plan, TensorEncodeOptions options)
      : plan_(plan), options_(options), pool_(std::make_shared<encode_internal::OutputPool>()) {}

  // Keeps the plan as long as this lives.
  void KeepAlive(std::shared_ptr<const plan::MessagePlan> plan) { kept_plan_ = std::move(plan); }

  absl::StatusOr<EncodedBatch> Encode(const StructuredTensor& structs, int64_t first_row) {
    if (structs.rank() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected structs of rank 1, one for each message; found rank ", structs.rank()));
    }
    builder_.Reset();
    kept_.clear();
    const Place root{.first_row = first_row};
    STRUCTTENSOR_ASSIGN_OR_RETURN(Rows rows, AllRows(structs.nrows(), root));
    if (structs.nullable()) {
      const auto is_absent = [&](int64_t row) { return !structs.validity().is_valid(row); };
      for (int64_t row = 0; row < structs.nrows(); ++row) {
        if (is_absent(row))
          return root.Error(row, "the struct is absent, and there is no message without one; leave such rows out");
      }
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(EncodeNode* const node, Node(plan_, structs, rows, root));
    absl::StatusOr<EncodedBatch> encoded =
        encode_internal::EncodeRows(pool_, plan_, node, rows.size, builder_.bound_bytes(), options_.sort_map_keys, first_row);
    kept_.clear();
    return encoded;
  }

 private:
  // The columns of a node that is being made.
  struct NodeColumns {
    EncodeNode* node;
    const Rows& rows;
    const Place& place;
    uint64_t* words = nullptr;  // presence words, if the type has them
    uint32_t* present = nullptr;
    uint64_t values = 0;
    // For each field: its rows, if it has a column and is singular.
    std::vector<Rows> rows_of_field = {};
    std::vector<bool> has_column = {};
    // For each oneof whose case is given by names: the numbers. All its fields need them.
    absl::flat_hash_map<int32_t, const int32_t*> cases_by_name = {};
  };

  static absl::StatusOr<Rows> AllRows(int64_t size, const Place& place) {
    if (size > kMaxRows) {
      return absl::ResourceExhaustedError(absl::StrCat(place.Path(), ": ", size, " rows exceed the ", kMaxRows,
                                                       " that a field can have; encode fewer at a time"));
    }
    return Rows{.size = static_cast<uint32_t>(size)};
  }

  absl::StatusOr<EncodeNode*> Node(const plan::MessagePlan& plan, const StructuredTensor& structs, const Rows& rows,
                                   const Place& place) {
    NodeColumns columns{.node = builder_.NewNode(plan), .rows = rows, .place = place};
    if (plan.presence_words) {
      columns.words = builder_.Allocate<uint64_t>(rows.size);
      std::fill_n(columns.words, rows.size, 0);
      columns.node->presence = columns.words;
    }
    columns.present = builder_.Allocate<uint32_t>(plan.fields.size());
    columns.node->present = columns.present;
    columns.rows_of_field.resize(plan.fields.size());
    columns.has_column.resize(plan.fields.size());

    const ColumnNames& names = NamesOf(plan);
    std::vector<const Value*> values(plan.fields.size());
    std::vector<std::vector<FlattenedColumn>> flattened(plan.fields.size());
    const Value* unknown = nullptr;
    bool extra = false;
    for (size_t i = 0; i < structs.num_fields(); ++i) {
      const std::string& name = structs.field_names()[i];
      const auto found = names.columns.find(name);
      if (found == names.columns.end()) {
        const bool is_unknown = name == names.unknown_fields && IsUnknownFields(structs.flat_field(i));
        if (is_unknown) unknown = &structs.flat_field(i);
        extra = extra || !is_unknown;
      } else if (const ColumnTarget& target = found->second; target.name_below.empty()) {
        values[target.field] = &structs.flat_field(i);
      } else {
        flattened[target.field].push_back({&target, &structs.flat_field(i)});
      }
    }
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      const plan::FieldPlan& field = plan.fields[i];
      const Value* const value = field.is_flattened() ? Unflatten(field, structs, flattened[i]) : values[i];
      if (value == nullptr || field.number == 0) continue;  // a oneof's case is looked up by its members
      const Value* const oneof_case = field.oneof_case < 0 ? nullptr : values[static_cast<size_t>(field.oneof_case)];
      STRUCTTENSOR_RETURN_IF_ERROR(Column(columns, i, *value, oneof_case));
    }
    if (unknown != nullptr && options_.unknown_fields) {
      STRUCTTENSOR_RETURN_IF_ERROR(UnknownFields(columns, *unknown->tensor()));
    }
    if (extra && !options_.ignore_extra_fields) {
      STRUCTTENSOR_RETURN_IF_ERROR(ExtraField(plan, structs, names, place));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckOneofs(columns));
    STRUCTTENSOR_RETURN_IF_ERROR(CheckRequired(columns));
    builder_.Complete(columns.node, rows.size, columns.values);
    return columns.node;
  }

  static bool IsUnknownFields(const Value& value) {
    const Tensor* const tensor = value.tensor();
    return tensor != nullptr && tensor->rank() == 1 && tensor->dtype() == DType::kBytes;
  }

  // What a column of a struct becomes in the message.
  struct ColumnTarget {
    size_t field;  // its index in the plan
    // If the field is flattened: the column's name in the message of the field, and the column's own field (null for unknown
    // fields).
    std::string name_below = {};
    const plan::FieldPlan* column = nullptr;
  };
  struct FlattenedColumn {
    const ColumnTarget* target;
    const Value* value;
  };
  struct ColumnNames {
    absl::flat_hash_map<std::string, ColumnTarget> columns;
    std::string unknown_fields;
  };

  // Made once for each message type.
  const ColumnNames& NamesOf(const plan::MessagePlan& plan) {
    std::unique_ptr<ColumnNames>& names = names_[&plan];
    if (names != nullptr) return *names;
    names = std::make_unique<ColumnNames>();
    names->unknown_fields = UnknownFieldsName(plan);
    // A skipped field may have the name of another column. The name then belongs to the other column.
    AddColumns(plan, /*skipped=*/false, *names);
    AddColumns(plan, /*skipped=*/true, *names);
    return *names;
  }

  static void AddColumns(const plan::MessagePlan& plan, bool skipped, ColumnNames& names) {
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      const plan::FieldPlan& field = plan.fields[i];
      if (field.skipped && !skipped) continue;
      if (!field.is_flattened()) {
        names.columns.try_emplace(std::string(field.column_name()), ColumnTarget{i});
        continue;
      }
      const std::string path = absl::StrCat(ToAbsl(field.name), ".");
      names.columns.try_emplace(absl::StrCat(path, ToAbsl(kUnknownFieldsName)),
                                ColumnTarget{i, UnknownFieldsName(*field.message)});
      AddFlattened(*field.message, i, ToAbsl(field.annotations->prefix), "", path, "", skipped, names);
    }
  }

  // Adds the columns of `message`, which is flattened into field `index` or into a message that is flattened into that field.
  //   prefix, path              what comes before the names of its columns and of its unknown fields, in the struct
  //   prefix_below, path_below  the same in the message of field `index`
  static void AddFlattened(const plan::MessagePlan& message, size_t index, absl::string_view prefix,
                           absl::string_view prefix_below, absl::string_view path, absl::string_view path_below, bool skipped,
                           ColumnNames& names) {
    for (const plan::FieldPlan& field : message.fields) {
      if (field.skipped && !skipped) continue;
      if (!field.is_flattened()) {
        const absl::string_view name = ToAbsl(field.column_name());
        names.columns.try_emplace(absl::StrCat(prefix, name), ColumnTarget{index, absl::StrCat(prefix_below, name), &field});
        continue;
      }
      const absl::string_view inner = ToAbsl(field.annotations->prefix);
      const std::string path_here = absl::StrCat(path, ToAbsl(field.name), ".");
      const std::string path_here_below = absl::StrCat(path_below, ToAbsl(field.name), ".");
      names.columns.try_emplace(absl::StrCat(path_here, ToAbsl(kUnknownFieldsName)),
                                ColumnTarget{index, absl::StrCat(path_here_below, ToAbsl(kUnknownFieldsName))});
      AddFlattened(*field.message, index, absl::StrCat(prefix, inner), absl::StrCat(prefix_below, inner), path_here,
                   path_here_below, skipped, names);
    }
  }

  // The columns of the flattened message as structs of their own. A struct is present where one of the columns is. Null if
  // there are no columns.
  const Value* Unflatten(const plan::FieldPlan& field, const StructuredTensor& structs,
                         const std::vector<FlattenedColumn>& columns) {
    if (columns.empty()) return nullptr;
    std::vector<Field> fields;
    std::vector<uint8_t> bits(static_cast<size_t>(structs.flat_nrows()) / 8 + 1);
    bool everywhere = field.presence == plan::Presence::kRequired;
    for (const FlattenedColumn& each : columns) {
      const plan::FieldPlan* const column = each.target->column;
      // The case of a oneof has a value, 0, even without the message. So it does not show presence.
      const bool shows_presence = column == nullptr || column->cardinality != plan::Cardinality::kOneofCase;
      if (shows_presence) everywhere = everywhere || !AddPresent(*each.value, /*empty_is_absent=*/column == nullptr, bits);
      fields.push_back({each.target->name_below, *each.value});
    }
    const Validity validity = everywhere ? Validity() : Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
    return Keep(Value(StructuredTensor::Create({}, structs.flat_nrows(), std::move(fields), StructKind::kStruct, validity)));
  }

  // Sets the bits of the rows in which `value` is present. False, without setting bits, if it cannot be absent in any row.
  //   empty_is_absent  an empty string counts as absent
  static bool AddPresent(const Value& value, bool empty_is_absent, std::vector<uint8_t>& bits) {
    const auto set = [&bits](int64_t row) { bits[static_cast<size_t>(row) / 8] |= static_cast<uint8_t>(1u << (row % 8)); };
    const RowPartition* partition = nullptr;
    if (const Tensor* const tensor = value.tensor(); tensor != nullptr) {
      const bool strings = empty_is_absent && tensor->rank() == 1 && IsStringLike(tensor->dtype());
      if (!tensor->nullable() && !strings) return tensor->rank() > 1 && tensor->size_elements() == 0;
      for (int64_t row = 0; row < tensor->nrows(); ++row) {
        if (tensor->is_valid(row) && !(strings && tensor->string_at(row).empty())) set(row);
      }
      return true;
    }
    if (const RaggedTensor* const ragged = value.ragged(); ragged != nullptr) partition = &ragged->row_partition(0);
    if (const StructuredTensor* const structs = value.structured(); structs != nullptr) {
      if (structs->rank() > 1) {
        partition = &structs->row_partitions()[0];
      } else {
        for (int64_t row = 0; row < structs->nrows() && structs->nullable(); ++row) {
          if (structs->validity().is_valid(row)) set(row);
        }
        return structs->nullable();
      }
    }
    if (partition == nullptr) return false;
    const std::span<const int64_t> splits = partition->row_splits().span();
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      if (splits[row] < splits[row + 1]) set(static_cast<int64_t>(row));
    }
    return true;
  }

  // The error for a column of `structs` that is not a field of the message. Requires: there is one.
  static absl::Status ExtraField(const plan::MessagePlan& plan, const StructuredTensor& structs, const ColumnNames& names,
                                 const Place& place) {
    for (size_t i = 0; i < structs.num_fields(); ++i) {
      const std::string& name = structs.field_names()[i];
      const Place there{&place, name};
      const bool is_unknown = name == names.unknown_fields;
      if (names.columns.contains(name) || (is_unknown && IsUnknownFields(structs.flat_field(i)))) continue;
      if (is_unknown) return there.Error("unknown fields are a tensor of bytes, one for each row");
      if (const plan::FieldPlan* const field = plan.FindByName(name); field != nullptr) {
        return there.Error(
            field->is_flattened()
                ? "an annotation replaces this field with its own columns (`ignore_extra_fields=true` passes over it)"
                : absl::StrCat("the column of this field is called ", ToAbsl(field->column_name()),
                               " by its annotation (`ignore_extra_fields=true` passes over it)"));
      }
      return there.Error(absl::StrCat("the message type ", ToAbsl(plan.full_name),
                                      " has no such field (`ignore_extra_fields=true` passes over it)"));
    }
    return absl::OkStatus();
  }

  absl::Status UnknownFields(NodeColumns& columns, const Tensor& tensor) {
    const plan::FieldPlan field = {.name = kUnknownFieldsName, .kind = plan::Kind::kBytes, .element = plan::Element::kBytes};
    const Place place{&columns.place, kUnknownFieldsName};
    const Flat flat{.tensor = &tensor};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Rows rows, SingularRows(columns, flat, nullptr, 0, place));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const TextColumn text, maker_.Text(field, tensor, rows, /*empty_hidden=*/true, place));
    builder_.SetUnknownFields(text.offsets, text.bytes, text.text_bytes, columns.node->unknown_fields);
    return absl::OkStatus();
  }

  // --- One field

  absl::Status Column(NodeColumns& columns, size_t index, const Value& value, const Value* oneof_case) {
    const plan::FieldPlan& field = columns.node->plan->fields[index];
    Place place{&columns.place, field.name};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value* const ragged, WithRaggedAxis(value));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value* const message, AsMessages(field, *ragged, place));
    if (field.cardinality == plan::Cardinality::kMap && message->structured() != nullptr && message->rank() == 1) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value entries, messages_internal::MapEntriesOf(field, *message->structured(), place));
      return Column(columns, index, *Keep(std::move(entries)), oneof_case);
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(Flat flat, FlatOf(field, *message, place));
    place.partition = flat.partition;
    if (field.is_repeated()) return Repeated(columns, index, flat, place);
    return Singular(columns, index, flat, oneof_case, place);
  }

  const Value* Keep(Value value) {
    kept_.push_back(std::make_unique<Value>(std::move(value)));
    return kept_.back().get();
  }

  // Converts native times and wrapped scalars to the messages that they represent. Other values are returned unchanged.
  absl::StatusOr<const Value*> AsMessages(const plan::FieldPlan& field, const Value& value, const Place& place) {
    if (!field.is_message() || value.structured() != nullptr || value.extension() != nullptr) return &value;
    const Tensor& flat = value.tensor() != nullptr ? *value.tensor() : value.ragged()->flat_values();
    if (flat.rank() != 1) return &value;  // its shape is refused later
    const auto with_shape = [&](std::vector<Field> fields, Validity validity) {
      std::vector<RowPartition> partitions;
      if (value.ragged() != nullptr) partitions = value.ragged()->row_partitions();
      return Keep(Value(StructuredTensor::Create(std::move(partitions), flat.nrows(), std::move(fields), StructKind::kStruct,
                                                 std::move(validity))));
    };
    switch (field.message->well_known) {
      case plan::WellKnown::kWrapper: {
        const Tensor all_present = IsStringLike(flat.dtype())
                                       ? Tensor::FromStrings(flat.string_offsets(), flat.string_bytes(), flat.dtype())
                                       : VisitStoredType(flat.dtype(), [&]<typename T>() {
                                           return Tensor::FromBuffer(flat.buffer<T>(), flat.dtype());
                                         });
        return with_shape({{std::string(field.message->fields[0].name), all_present}}, flat.validity());
      }
      case plan::WellKnown::kTimestamp:
      case plan::WellKnown::kDuration: {
        const bool timestamp = field.message->well_known == plan::WellKnown::kTimestamp;
        if (timestamp ? !IsTimestamp(flat.dtype()) : !IsDuration(flat.dtype())) break;
        std::vector<int64_t> seconds(static_cast<size_t>(flat.nrows()));
        std::vector<int32_t> nanos(seconds.size());
        const std::span<const int64_t> times = flat.values<int64_t>();
        for (size_t i = 0; i < times.size(); ++i) {
          const SecondsAndNanos time = SplitTime(times[i], TimeUnitOf(flat.dtype()), timestamp);
          seconds[i] = time.seconds;
          nanos[i] = time.nanos;
        }
        return with_shape({{std::string(field.message->fields[0].name), Tensor::FromVector(std::move(seconds))},
                           {std::string(field.message->fields[1].name), Tensor::FromVector(std::move(nanos))}},
                          flat.validity());
      }
      case plan::WellKnown::kNone:
        break;
    }
    // Files store structs without fields so: whether each is there.
    const bool has_no_fields = std::ranges::all_of(field.message->fields, &plan::FieldPlan::skipped);
    if (flat.dtype() == DType::kBool && has_no_fields) {
      std::vector<uint8_t> bits(static_cast<size_t>(flat.nrows()) / 8 + 1);
      const std::span<const uint8_t> present = flat.values<uint8_t>();
      for (size_t i = 0; i < present.size(); ++i) {
        if (present[i] != 0 && flat.is_valid(static_cast<int64_t>(i))) bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
      }
      return with_shape({}, Validity(Buffer<uint8_t>::FromVector(std::move(bits))));
    }
    if (flat.dtype() == DType::kBytes) return &value;  // serialized messages; strings are not
    return place.Error(absl::StrCat("a ", ToAbsl(field.message->full_name), " is made of ", ToAbsl(NativeNames(*field.message)),
                                    "structs or serialized bytes; found ", KindOfValue(value)));
  }

  // A dense tensor [nrows, n] as a ragged one.
  absl::StatusOr<const Value*> WithRaggedAxis(const Value& value) {
    const Tensor* const tensor = value.tensor();
    if (tensor == nullptr || tensor->rank() != 2) return &value;
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition,
                                  RowPartition::FromUniformRowLength(tensor->shape()[1], tensor->shape()[0]));
    return Keep(Value(
        RaggedTensor::FromRowPartitionsUnchecked({std::move(partition)}, tensor->Reshape(Shape({tensor->size_elements()})))));
  }

  absl::StatusOr<Flat> FlatOf(const plan::FieldPlan& field, const Value& value, const Place& place) {
    if (const Tensor* const tensor = value.tensor(); tensor != nullptr) {
      if (tensor->rank() == 1 && !field.is_repeated()) return Flat{.tensor = tensor};
    } else if (const RaggedTensor* const ragged = value.ragged(); ragged != nullptr) {
      if (ragged->ragged_rank() == 1 && ragged->flat_values().rank() == 1) {
        return Flat{.partition = &ragged->row_partition(0), .tensor = &ragged->flat_values()};
      }
    } else if (const StructuredTensor* const structs = value.structured(); structs != nullptr) {
      if (!field.is_message()) {
        return place.Error(
            absl::StrCat("a field of type ", ToAbsl(plan::KindName(field.kind)), " cannot be made of ", KindOfValue(value)));
      }
      if (structs->rank() == 2) return Flat{.partition = &structs->row_partitions()[0], .structs = structs};
      if (structs->rank() == 1 && !field.is_repeated()) return Flat{.structs = structs};
    }
    return place.Error(absl::StrCat(field.is_repeated() ? "a repeated field has a list of values in each row"
                                                        : "a field that is not repeated has one value a row",
                                    "; found ", KindOfValue(value)));
  }

  // --- Singular fields

  absl::Status Singular(NodeColumns& columns, size_t index, const Flat& flat, const Value* oneof_case, const Place& place) {
    const plan::FieldPlan& field = columns.node->plan->fields[index];
    if (flat.structs == nullptr && !field.is_message())
      STRUCTTENSOR_RETURN_IF_ERROR(ColumnMaker::CheckType(field, *flat.tensor, place));
    const int32_t* cases = nullptr;
    if (oneof_case != nullptr && flat.partition == nullptr && (!flat.has_validity() || HasTimes(field, flat))) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(cases, CasesOf(columns, field, *oneof_case));
      if (flat.has_validity() && !IsFilled(columns, flat, cases, field.number)) cases = nullptr;
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Rows rows, SingularRows(columns, flat, cases, field.number, place));
    const uint32_t present = CountPresent(rows);
    if (present == 0) return absl::OkStatus();

    columns.has_column[index] = true;
    columns.rows_of_field[index] = rows;
    columns.values += present;
    EncodeColumn& to = At(columns.node, field.column_offset);
    to = {};
    columns.present[columns.node->present_size++] = static_cast<uint32_t>(index);
    if (columns.words != nullptr) {
      const uint64_t bit = uint64_t{1} << field.presence_bit;
      columns.node->presence_mask |= bit;
      for (uint32_t i = 0; i < rows.size; ++i) columns.words[i] |= rows[i] != kHidden ? bit : 0;
      return Contents(columns, field, flat, rows, rows, present, to, place);
    }
    to.left = present;
    if (present == rows.size) {
      to.next_row = rows.size;
      return Contents(columns, field, flat, rows, rows, present, to, place);
    }
    // Room for one more, because the loop also writes the rows that are hidden.
    uint32_t* const rows_present = builder_.Allocate<uint32_t>(size_t{present} + 1);
    uint32_t* const source = builder_.Allocate<uint32_t>(size_t{present} + 1);
    uint32_t moved = 0;
    for (uint32_t i = 0, n = 0; i < rows.size; ++i) {
      const uint32_t row = rows[i];
      rows_present[n] = i;
      source[n] = row;
      moved |= row != kHidden ? row ^ n : 0;
      n += row != kHidden ? 1 : 0;
    }
    const bool in_place = moved == 0;
    to.rows = rows_present;
    to.next_row = rows_present[present - 1] + 1;
    const Rows compact{.size = present, .source = in_place ? nullptr : source, .in_place = in_place};
    return Contents(columns, field, flat, compact, rows, present, to, place);
  }

  // Sets what the column of a field points to. `values`: the values of the column, side by side. `node_rows`: the rows of the
  // node below a message field.
  absl::Status Contents(const NodeColumns& columns, const plan::FieldPlan& field, const Flat& flat, const Rows& values,
                        const Rows& node_rows, size_t present, EncodeColumn& to, const Place& place) {
    const bool clear_hidden = columns.node->plan->map_entry;  // the fields of entries are always written
    if (flat.structs != nullptr) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(EncodeNode* const child, Node(*field.message, *flat.structs, node_rows, place));
      builder_.SetChild(field, child, present, to);
      return absl::OkStatus();
    }
    if (field.is_message() || field.element == plan::Element::kString || field.element == plan::Element::kBytes) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const TextColumn text, maker_.Text(field, *flat.tensor, values, clear_hidden, place));
      builder_.SetText(field, text.offsets, text.bytes, values.size, text.text_bytes, to);
      return absl::OkStatus();
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const void* const numbers, maker_.Values(field, *flat.tensor, values, clear_hidden, place));
    builder_.SetValues(field, numbers, values.size, to);
    return absl::OkStatus();
  }

  // Whether `flat` has the times of a Timestamp or Duration, as AsMessages() makes them.
  static bool HasTimes(const plan::FieldPlan& field, const Flat& flat) {
    if (!field.is_message() || flat.structs == nullptr || flat.structs->num_fields() != 2) return false;
    const plan::WellKnown type = field.message->well_known;
    if (type != plan::WellKnown::kTimestamp && type != plan::WellKnown::kDuration) return false;
    const Tensor* const seconds = flat.structs->flat_field(0).tensor();
    const Tensor* const nanos = flat.structs->flat_field(1).tensor();
    return seconds != nullptr && seconds->dtype() == DType::kInt64 && nanos != nullptr && nanos->dtype() == DType::kInt32;
  }

  // Whether the times are present, as 0, in all rows of the node that have another member of the oneof or none. Decoded
  // columns without absent values are so. They are nullable all the same, for times that their unit has no room for.
  static bool IsFilled(const NodeColumns& columns, const Flat& times, const int32_t* cases, int32_t number) {
    const std::span<const int64_t> seconds = times.structs->flat_field(0).tensor()->values<int64_t>();
    const std::span<const int32_t> nanos = times.structs->flat_field(1).tensor()->values<int32_t>();
    for (uint32_t i = 0; i < columns.rows.size; ++i) {
      const uint32_t row = columns.rows[i];
      if (row == kHidden || cases[i] == number) continue;
      if (!times.is_valid(row) || seconds[row] != 0 || nanos[row] != 0) return false;
    }
    return true;
  }

  // The member of the oneof that each row of the node has; 0 for none.
  absl::StatusOr<const int32_t*> CasesOf(NodeColumns& columns, const plan::FieldPlan& member, const Value& value) {
    const plan::FieldPlan& oneof = columns.node->plan->fields[static_cast<size_t>(member.oneof_case)];
    const Place place{&columns.place, oneof.name};
    if (value.tensor() == nullptr || value.tensor()->rank() != 1) {
      return place.Error(absl::StrCat("the case of a oneof must be one number or name per row; found ", KindOfValue(value)));
    }
    const Flat flat{.tensor = value.tensor()};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Rows rows, SingularRows(columns, flat, nullptr, 0, place));
    if (IsStringLike(flat.tensor->dtype())) {
      const int32_t*& cases = columns.cases_by_name[member.oneof_case];
      if (cases == nullptr) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(cases, CasesByName(*columns.node->plan, member.oneof_case, *flat.tensor, rows, place));
      }
      return cases;
    }
    const plan::FieldPlan number = {.name = oneof.name, .kind = plan::Kind::kInt32, .element = plan::Element::kInt32};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const void* const numbers,
                                  maker_.Values(number, *flat.tensor, rows, /*zero_hidden=*/true, place));
    return static_cast<const int32_t*>(numbers);
  }

  absl::StatusOr<const int32_t*> CasesByName(const plan::MessagePlan& plan, int32_t oneof, const Tensor& names,
                                             const Rows& rows, const Place& place) {
    const std::vector<plan_internal::CaseName> case_names =
        plan_internal::CaseNamesOf(plan, plan.fields[static_cast<size_t>(oneof)]);
    absl::flat_hash_map<std::string_view, int32_t> numbers = {{"", 0}};
    for (const plan_internal::CaseName& name : case_names) numbers.emplace(name.name, name.number);
    int32_t* const cases = builder_.Allocate<int32_t>(rows.size);
    for (uint32_t i = 0; i < rows.size; ++i) {
      cases[i] = 0;
      if (rows[i] == kHidden) continue;
      const auto number = numbers.find(names.string_at(rows[i]));
      if (number == numbers.end()) {
        return place.Error(rows[i],
                           absl::StrCat("the oneof has no field named ", messages_internal::Quoted(names.string_at(rows[i]))));
      }
      cases[i] = number->second;
    }
    return static_cast<const int32_t*>(cases);
  }

  // The row of `flat` for each row of the node. With `cases` (one for each row), only for the rows whose case is `number`.
  absl::StatusOr<Rows> SingularRows(const NodeColumns& columns, const Flat& flat, const int32_t* cases, int32_t number,
                                    const Place& place) {
    const Rows& above = columns.rows;
    if (flat.partition == nullptr && !flat.has_validity() && cases == nullptr) return above;
    if (flat.partition != nullptr) STRUCTTENSOR_RETURN_IF_ERROR(AllRows(flat.size(), place).status());
    uint32_t* const source = builder_.Allocate<uint32_t>(above.size);
    Rows rows{.size = above.size, .source = source, .in_place = flat.size() == int64_t{above.size}};
    if (flat.partition == nullptr && cases == nullptr && flat.size() > 0) {
      SetPresentRows(above, flat.validity(), source, rows);
      return rows;
    }
    const std::span<const int64_t> splits =
        flat.partition != nullptr ? flat.partition->row_splits().span() : std::span<const int64_t>();
    for (uint32_t i = 0; i < above.size; ++i) {
      uint32_t row = above[i];
      if (row != kHidden && flat.partition != nullptr) {
        const int64_t size = splits[row + 1] - splits[row];
        if (size > 1) {
          return place.Error(splits[row], absl::StrCat("a field that is not repeated has ", size, " values"));
        }
        row = size == 0 ? kHidden : static_cast<uint32_t>(splits[row]);
      }
      if (row != kHidden && (!flat.is_valid(row) || (cases != nullptr && cases[i] != number))) row = kHidden;
      source[i] = row;
      rows.any_hidden = rows.any_hidden || row == kHidden;
      rows.in_place = rows.in_place && (row == i || row == kHidden);
    }
    if (rows.in_place && !rows.any_hidden) rows.source = nullptr;
    return rows;
  }

  // The same for one value in each row. Which values are absent is often random, so the loop has no branches for it.
  static void SetPresentRows(const Rows& above, const Validity& validity, uint32_t* source, Rows& rows) {
    uint32_t any_hidden = 0;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < above.size; ++i) {
      const uint32_t row = above[i];
      const bool hidden = (row == kHidden) | !validity.is_valid(row == kHidden ? 0 : row);
      source[i] = hidden ? kHidden : row;
      any_hidden |= static_cast<uint32_t>(hidden);
      moved |= hidden ? 0 : row ^ i;
    }
    rows.any_hidden = any_hidden != 0;
    rows.in_place = rows.in_place && moved == 0;
    if (rows.in_place && !rows.any_hidden) rows.source = nullptr;
  }

  static uint32_t CountPresent(const Rows& rows) {
    if (rows.source == nullptr) return rows.size;
    return rows.size - static_cast<uint32_t>(std::count(rows.source, rows.source + rows.size, kHidden));
  }

  // --- Repeated fields

  absl::Status Repeated(NodeColumns& columns, size_t index, const Flat& flat, const Place& place) {
    const plan::FieldPlan& field = columns.node->plan->fields[index];
    if (flat.structs == nullptr && !field.is_message())
      STRUCTTENSOR_RETURN_IF_ERROR(ColumnMaker::CheckType(field, *flat.tensor, place));
    if (field.cardinality == plan::Cardinality::kMap && flat.structs == nullptr) {
      return place.Error("a map is made of structs with the fields key and value");
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(Rows elements, AllRows(flat.size(), place));
    const Rows& above = columns.rows;
    const std::span<const int64_t> from = flat.partition->row_splits().span();
    const int64_t* splits = from.data();
    if (above.source == nullptr) {
      elements.size = static_cast<uint32_t>(from[above.size]);  // there may be fewer rows than in `flat`: the first ones
    } else {
      int64_t* const own_splits = builder_.Allocate<int64_t>(size_t{above.size} + 1);
      STRUCTTENSOR_ASSIGN_OR_RETURN(elements, VisibleElements(above, from, own_splits));
      splits = own_splits;
    }
    if (elements.size == 0) return absl::OkStatus();
    if (flat.has_validity()) {
      for (uint32_t i = 0; i < elements.size; ++i) {
        if (!flat.is_valid(elements[i])) return place.Error(elements[i], "an element of a repeated field cannot be absent");
      }
    }

    columns.has_column[index] = true;
    columns.present[columns.node->present_size++] = static_cast<uint32_t>(index);
    const size_t runs = std::min(elements.size, above.size);
    columns.values += runs;
    if (field.packed) builder_.CountRuns(field, runs);
    EncodeColumn& to = At(columns.node, field.column_offset);
    to = {};
    to.left = elements.size;
    to.row_splits = splits;
    return Contents(columns, field, flat, elements, elements, elements.size, to, place);
  }

  // The elements of the rows that are not hidden. `splits` receives the places where the elements of each row begin.
  absl::StatusOr<Rows> VisibleElements(const Rows& rows, std::span<const int64_t> from, int64_t* splits) {
    int64_t size = 0;
    for (uint32_t i = 0; i < rows.size; ++i) {
      splits[i] = size;
      if (rows[i] != kHidden) size += from[rows[i] + 1] - from[rows[i]];
    }
    splits[rows.size] = size;
    Rows elements{.size = static_cast<uint32_t>(size)};
    if (size == from.back()) return elements;  // all elements, because rows ascend
    uint32_t* const source = builder_.Allocate<uint32_t>(elements.size);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows.size; ++i) {
      if (rows[i] == kHidden) continue;
      for (int64_t element = from[rows[i]]; element < from[rows[i] + 1]; ++element) {
        elements.in_place = elements.in_place && element == int64_t{n};
        source[n++] = static_cast<uint32_t>(element);
      }
    }
    if (!elements.in_place) elements.source = source;
    return elements;
  }

  // --- Checks of whole nodes

  static absl::Status CheckOneofs(const NodeColumns& columns) {
    const plan::MessagePlan& plan = *columns.node->plan;
    absl::flat_hash_map<int32_t, std::vector<uint32_t>> member_of_row;  // by oneof: 1 + index of the field
    absl::flat_hash_map<int32_t, int> members;
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      if (columns.has_column[i] && plan.fields[i].oneof_case >= 0) ++members[plan.fields[i].oneof_case];
    }
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      const plan::FieldPlan& field = plan.fields[i];
      if (!columns.has_column[i] || field.oneof_case < 0 || members[field.oneof_case] < 2) continue;
      std::vector<uint32_t>& member = member_of_row[field.oneof_case];
      member.resize(columns.rows.size);
      const Rows& rows = columns.rows_of_field[i];
      for (uint32_t row = 0; row < rows.size; ++row) {
        if (rows[row] == kHidden) continue;
        if (member[row] != 0) {
          return columns.place.Error(
              columns.rows[row],
              absl::StrCat("the fields ", ToAbsl(plan.fields[member[row] - 1].name), " and ", ToAbsl(field.name),
                           " of one oneof are both present; at most one of them may be"));
        }
        member[row] = static_cast<uint32_t>(i) + 1;
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRequired(const NodeColumns& columns) const {
    const plan::MessagePlan& plan = *columns.node->plan;
    if (!plan.reaches_required || options_.allow_missing_required) return absl::OkStatus();
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      if (plan.fields[i].presence != plan::Presence::kRequired) continue;
      for (uint32_t row = 0; row < columns.rows.size; ++row) {
        if (columns.rows[row] == kHidden || (columns.has_column[i] && columns.rows_of_field[i][row] != kHidden)) continue;
        return Place{&columns.place, plan.fields[i].name}.Error(
            columns.rows[row], "the required field is absent (allow_missing_required leaves it out)");
      }
    }
    return absl::OkStatus();
  }

  const plan::MessagePlan& plan_;
  std::shared_ptr<const plan::MessagePlan> kept_plan_;
  const TensorEncodeOptions options_;
  encode_internal::NodeBuilder builder_;
  ColumnMaker maker_{builder_};
  std::vector<std::unique_ptr<Value>> kept_;  // values that columns point into
  std::shared_ptr<encode_internal::OutputPool> pool_;
  absl::flat_hash_map<const plan::MessagePlan*, std::unique_ptr<ColumnNames>> names_;
};

TensorEncoder::TensorEncoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TensorEncoder::~TensorEncoder() = default;
TensorEncoder::TensorEncoder(TensorEncoder&&) noexcept = default;
TensorEncoder& TensorEncoder::operator=(TensorEncoder&&) noexcept = default;

absl::StatusOr<TensorEncoder> TensorEncoder::Create(const plan::MessagePlan& plan, TensorEncodeOptions options) {
  if (plan.encode == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("no encoder was generated for ", ToAbsl(plan.full_name)));
  }
  return TensorEncoder(std::make_unique<Impl>(plan, options));
}

absl::StatusOr<TensorEncoder> TensorEncoder::Create(std::shared_ptr<const plan::MessagePlan> plan,
                                                    TensorEncodeOptions options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(TensorEncoder encoder, Create(*plan, options));
  encoder.impl_->KeepAlive(std::move(plan));
  return encoder;
}

absl::StatusOr<EncodedBatch> TensorEncoder::Encode(const StructuredTensor& rows, int64_t first_row) {
  return impl_->Encode(rows, first_row);
}

}  // namespace structtensor
