#include "structtensor/app/convert/shared/column_ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/plan/shared/column_fields.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::convert_internal {
namespace {

// Returns the name of the column that has a number in the file. `name` is the column's name in the file.
std::string NameByNumber(const plan::MessagePlan& message, const plan::FieldPlan* field, const std::string& name, int32_t id) {
  // A field that is gone must not become another field that has its name now.
  if (field == nullptr) return absl::StrCat(name, " (field ", id, ")");
  if (!field->is_flattened()) return std::string(field->column_name());
  // The field had a column when the file was written. Under the field's own name it is refused with the reason. But another
  // column may have that name now.
  return message.FindByColumnName(field->name) == nullptr ? std::string(field->name) : absl::StrCat(name, " (field ", id, ")");
}

}  // namespace

ColumnsByNumber::ColumnsByNumber(const std::vector<ColumnId>& ids, const plan::MessagePlan& message) {
  for (const ColumnId& id : ids) {
    const auto [found, is_first] = by_name_.try_emplace(id.name);
    if (!is_first) continue;
    const plan::FieldPlan* const field = id.id != 0 ? message.FindByNumber(id.id) : message.FindByColumnName(id.name);
    Column& column = found->second;
    column.is_numbered = id.id != 0;
    column.name = column.is_numbered ? NameByNumber(message, field, id.name, id.id) : id.name;
    if (field != nullptr && field->is_message()) {
      column.columns = std::make_unique<const ColumnsByNumber>(id.fields, *field->message);
    }
  }
}

StructuredTensor ColumnsByNumber::Renamed(const StructuredTensor& rows) const {
  if (by_name_.empty()) return rows;
  std::vector<Field> fields;
  std::unordered_set<std::string> names;  // names of columns with numbers, which come first
  std::vector<bool> numbered(rows.num_fields());
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    const std::string& name = rows.field_names()[i];
    Value value = rows.flat_field(i);
    const auto found = by_name_.find(name);
    const Column* const column = found == by_name_.end() ? nullptr : &found->second;
    if (column != nullptr && column->columns != nullptr && value.structured() != nullptr) {
      value = column->columns->Renamed(*value.structured());
    }
    std::string new_name = name;
    if (column != nullptr && column->is_numbered) {
      numbered[i] = true;
      new_name = column->name;
      while (!names.insert(new_name).second) new_name += "_";
    }
    fields.push_back({std::move(new_name), std::move(value)});
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (numbered[i]) continue;
    while (!names.insert(fields[i].name).second) fields[i].name += " (column)";
  }
  return rows.WithFlatFields(std::move(fields));
}

namespace {

// Returns the names of numbers: `name_of` returns a string view, which is empty for numbers without a name. Absent numbers stay
// absent. If the names do not fit in one tensor, returns `numbers` as it is.
template <typename NameOf>
Tensor NamesOfNumbers(const Tensor& numbers, const NameOf& name_of) {
  constexpr size_t kMaxBytes = 0x7fffffff;
  const std::span<const int32_t> values = numbers.values<int32_t>();
  std::vector<char> bytes;
  std::vector<int32_t> offsets = {0};
  offsets.reserve(values.size() + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (numbers.is_valid(static_cast<int64_t>(i))) {
      std::string text(name_of(values[i]));
      if (text.empty()) text = std::to_string(values[i]);
      if (text.size() > kMaxBytes - bytes.size()) return numbers;
      bytes.insert(bytes.end(), text.begin(), text.end());
    }
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                             DType::kString, numbers.validity())
      .Reshape(numbers.shape());
}

// Replaces numbers by the names of the oneof's members.
Value NamedCases(const plan::MessagePlan& message, const plan::FieldPlan& oneof, const Value& column) {
  const Tensor* const numbers = column.tensor();
  if (numbers == nullptr || numbers->dtype() != DType::kInt32) return column;
  const auto index = static_cast<int32_t>(&oneof - message.fields.data());
  return Value(NamesOfNumbers(*numbers, [&](int32_t number) -> std::string_view {
    const plan::FieldPlan* const member = number == 0 ? nullptr : message.FindByNumber(number);
    return member != nullptr && member->oneof_case == index ? member->column_name() : "";
  }));
}

// Replaces enum numbers by names in a column of the field, or in the elements of such a column.
Value NamedColumn(const plan::FieldPlan& field, const Value& column) {
  if (const StructuredTensor* const structs = column.structured(); structs != nullptr && field.is_message()) {
    const bool chosen_keys = field.cardinality == plan::Cardinality::kMap && structs->kind() != StructKind::kMapEntry;
    if (!chosen_keys) return Value(WithEnumNames(*structs, *field.message));
    const plan::FieldPlan* const value = field.message->FindByNumber(2);
    if (value == nullptr) return column;
    std::vector<Field> keys;
    for (size_t i = 0; i < structs->num_fields(); ++i) {
      keys.push_back({structs->field_names()[i], NamedColumn(*value, structs->flat_field(i))});
    }
    return Value(structs->WithFlatFields(std::move(keys)));
  }
  if (field.enumeration == nullptr) return column;
  const auto name_of = [&field](int32_t number) { return field.enumeration->Name(number); };
  if (const Tensor* const numbers = column.tensor(); numbers != nullptr && numbers->dtype() == DType::kInt32) {
    return Value(NamesOfNumbers(*numbers, name_of));
  }
  if (const RaggedTensor* const ragged = column.ragged(); ragged != nullptr && ragged->dtype() == DType::kInt32) {
    return Value(
        RaggedTensor::FromRowPartitionsUnchecked(ragged->row_partitions(), NamesOfNumbers(ragged->flat_values(), name_of)));
  }
  return column;
}

}  // namespace

StructuredTensor WithEnumNames(const StructuredTensor& rows, const plan::MessagePlan& message,
                               const std::vector<std::string>& without) {
  const plan_internal::ColumnFields columns = plan_internal::ColumnFieldsOf(message);
  std::vector<Field> fields;
  for (size_t i = 0; i < rows.num_fields(); ++i) {
    const std::string& name = rows.field_names()[i];
    const auto found = columns.find(name);
    const bool is_field = found != columns.end() && std::find(without.begin(), without.end(), name) == without.end();
    const Value& column = rows.flat_field(i);
    if (!is_field) {
      fields.push_back({name, column});
    } else if (const auto& [field, its_message, own] = found->second; field->cardinality == plan::Cardinality::kOneofCase) {
      fields.push_back({name, NamedCases(*its_message, *field, column)});
    } else {
      fields.push_back({name, NamedColumn(*field, column)});
    }
  }
  return rows.WithFlatFields(std::move(fields));
}

}  // namespace structtensor::convert_internal
