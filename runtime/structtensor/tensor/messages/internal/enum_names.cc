#include "structtensor/tensor/messages/internal/enum_names.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"
#include "structtensor/core/plan/shared/case_names.h"

namespace structtensor::messages_internal {
namespace {

// Returns the name of a number, valid until the next call. Keeps the last name, because neighbours are often equal.
class NameOfNumber {
 public:
  NameOfNumber(const plan::MessagePlan& message, const plan::FieldPlan& field) : field_(field) {
    if (field.cardinality == plan::Cardinality::kOneofCase) cases_ = plan_internal::CaseNamesOf(message, field);
    Find(0);
  }

  std::string_view operator()(int32_t number) {
    if (number != number_) Find(number);
    return name_;
  }

 private:
  void Find(int32_t number) {
    number_ = number;
    if (field_.cardinality == plan::Cardinality::kOneofCase) {
      const auto found = std::find_if(cases_.begin(), cases_.end(),
                                      [number](const plan_internal::CaseName& name) { return name.number == number; });
      name_ = found == cases_.end() ? std::string_view() : std::string_view(found->name);
      return;
    }
    name_ = field_.enumeration->Name(number);
    if (!name_.empty()) return;
    const auto end = std::to_chars(digits_, digits_ + sizeof(digits_), number).ptr;
    name_ = {digits_, static_cast<size_t>(end - digits_)};
  }

  const plan::FieldPlan& field_;
  std::vector<plan_internal::CaseName> cases_;  // of the case of a oneof
  int32_t number_ = 0;
  std::string_view name_;
  char digits_[12];
};

// Calls visit(name, whether the element has a value) for each element.
template <typename Visit>
void VisitNames(const ColumnView& column, const NamedElements& elements, Visit visit) {
  NameOfNumber name_of(*elements.message, *column.field);
  const auto number_of_default = static_cast<int32_t>(column.field->default_value.bits);
  const int32_t* const numbers = static_cast<const int32_t*>(column.values);
  for (uint32_t i = 0; i < column.size(); ++i) {
    const bool has_value = elements.validity == nullptr || (elements.validity[i >> 3] >> (i & 7) & 1) != 0;
    visit(has_value ? name_of(numbers[i]) : elements.filled ? name_of(number_of_default) : std::string_view(), has_value);
  }
}

}  // namespace

size_t EnumNamesBytes(const ColumnView& column, const NamedElements& elements) {
  constexpr size_t kMaxTextBytes = 0x7fffffff;
  size_t text_bytes = 0;
  VisitNames(column, elements, [&](std::string_view name, bool) { text_bytes += name.size(); });
  if (text_bytes > kMaxTextBytes) return ~size_t{0};
  return text_bytes + (size_t{column.size()} + 1) * 2 * sizeof(int32_t);
}

EnumNames NamesOf(const ColumnView& column, const NamedElements& elements) {
  EnumNames names;
  names.bytes.reserve(1);  // so that data() is not null
  names.offsets.reserve(size_t{column.size()} + 1);
  names.offsets.push_back(0);
  if (elements.validity != nullptr) names.compact_offsets.push_back(0);
  VisitNames(column, elements, [&](std::string_view name, bool has_value) {
    names.bytes.insert(names.bytes.end(), name.begin(), name.end());
    names.offsets.push_back(static_cast<int32_t>(names.bytes.size()));
    if (has_value && elements.validity != nullptr) names.compact_offsets.push_back(names.offsets.back());
  });
  return names;
}

}  // namespace structtensor::messages_internal
