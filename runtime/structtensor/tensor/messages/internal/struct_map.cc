#include "structtensor/tensor/messages/internal/struct_map.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor::messages_internal {
namespace {

constexpr int64_t kAbsent = -1;

// The values of one field, and the value that each row has.
struct FieldValues {
  Value values;
  std::vector<int64_t> value_of_row;  // or kAbsent
};

absl::StatusOr<FieldValues> ValuesOf(const StructuredTensor& structs, size_t index, const Place& place) {
  const Value& field = structs.flat_field(index);
  FieldValues found{field, std::vector<int64_t>(static_cast<size_t>(structs.flat_nrows()))};
  const StructuredTensor* const inner = field.structured();
  const RaggedTensor* const ragged = field.ragged();
  const RowPartition* partition = nullptr;
  if (ragged != nullptr && ragged->ragged_rank() == 1 && ragged->flat_values().rank() == 1) {
    partition = &ragged->row_partition(0);
    found.values = ragged->values();
  } else if (inner != nullptr && inner->rank() == 2) {
    partition = &inner->row_partitions()[0];
    found.values = inner->MergeOuterAxes();
  } else if (field.rank() != 1 || field.extension() != nullptr) {
    return place.Error("a field of a struct that is written as a map has one value a row");
  }
  const Tensor* const values = found.values.tensor();
  const auto is_valid = [&](int64_t i) {
    return values != nullptr ? values->is_valid(i) : found.values.structured()->validity().is_valid(i);
  };
  const std::span<const int64_t> splits = partition != nullptr ? partition->row_splits().span() : std::span<const int64_t>();
  for (int64_t row = 0; row < structs.flat_nrows(); ++row) {
    const auto at = static_cast<size_t>(row);
    int64_t& value = found.value_of_row[at];
    value = row;
    if (partition != nullptr) {
      if (splits[at + 1] - splits[at] > 1) {
        return place.Error(row, absl::StrCat("a map has one value for each key; found ", splits[at + 1] - splits[at]));
      }
      value = splits[at] == splits[at + 1] ? kAbsent : splits[at];
    }
    if (value != kAbsent && (!is_valid(value) || !structs.validity().is_valid(row))) value = kAbsent;
  }
  return found;
}

// The keys [size] of a map: key i is names[key_of[i]].
template <typename T>
absl::StatusOr<Value> NumbersOf(std::span<const std::string> names, std::span<const size_t> key_of, const plan::FieldPlan& key,
                                const Place& place) {
  std::vector<T> numbers(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!absl::SimpleAtoi(names[i], &numbers[i])) {
      return Place{&place, names[i]}.Error(
          absl::StrCat("the name of this field is not a key of type ", ToAbsl(plan::KindName(key.kind))));
    }
  }
  std::vector<T> keys;
  keys.reserve(key_of.size());
  for (const size_t name : key_of) keys.push_back(numbers[name]);
  return Value(Tensor::FromVector(std::move(keys)));
}

absl::StatusOr<Value> KeysOf(std::span<const std::string> names, std::span<const size_t> key_of, const plan::FieldPlan& key,
                             const Place& place) {
  switch (key.element) {
    case plan::Element::kString:
    case plan::Element::kBytes: {
      std::vector<std::string> keys;
      keys.reserve(key_of.size());
      for (const size_t name : key_of) keys.push_back(names[name]);
      return Value(Tensor::FromVector(keys));
    }
    case plan::Element::kBool: {
      std::vector<uint8_t> keys;
      for (const std::string& name : names) {
        if (name != "true" && name != "false") {
          return Place{&place, name}.Error("the name of this field is not a key of type bool: true or false");
        }
      }
      keys.reserve(key_of.size());
      for (const size_t name : key_of) keys.push_back(names[name] == "true" ? 1 : 0);
      return Value(Tensor::FromBuffer(Buffer<uint8_t>::FromVector(std::move(keys)), DType::kBool));
    }
    case plan::Element::kUint64:
      return NumbersOf<uint64_t>(names, key_of, key, place);
    case plan::Element::kUint32:
      return NumbersOf<uint32_t>(names, key_of, key, place);
    case plan::Element::kInt32:
      return NumbersOf<int32_t>(names, key_of, key, place);
    default:
      return NumbersOf<int64_t>(names, key_of, key, place);
  }
}

}  // namespace

absl::StatusOr<Value> MapEntriesOf(const plan::FieldPlan& map, const StructuredTensor& structs, const Place& place) {
  const std::vector<std::string>& names = structs.field_names();
  std::vector<FieldValues> fields;
  std::vector<Value> values;
  std::vector<int64_t> first_of_field = {0};
  for (size_t i = 0; i < names.size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(FieldValues field, ValuesOf(structs, i, Place{&place, names[i]}));
    first_of_field.push_back(first_of_field.back() + field.values.nrows());
    values.push_back(field.values);
    fields.push_back(std::move(field));
  }
  std::vector<int64_t> splits = {0};
  std::vector<int64_t> taken;
  std::vector<size_t> key_of;
  for (size_t row = 0; row < static_cast<size_t>(structs.flat_nrows()); ++row) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].value_of_row[row] == kAbsent) continue;
      taken.push_back(first_of_field[i] + fields[i].value_of_row[row]);
      key_of.push_back(i);
    }
    splits.push_back(static_cast<int64_t>(taken.size()));
  }
  std::vector<Field> entry;
  if (!fields.empty()) {
    absl::StatusOr<Value> all = Concat(values, 0);
    if (!all.ok()) return place.Error(absl::StrCat("the values of a map have one type: ", all.status().message()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value keys, KeysOf(names, key_of, map.message->fields[0], place));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value entries, values_internal::TakeRowsChecked(*all, taken));
    entry = {{"key", std::move(keys)}, {"value", std::move(entries)}};
  }
  const auto size = static_cast<int64_t>(taken.size());
  return Value(StructuredTensor::Create({RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)))},
                                        size, std::move(entry), StructKind::kMapEntry));
}

}  // namespace structtensor::messages_internal
