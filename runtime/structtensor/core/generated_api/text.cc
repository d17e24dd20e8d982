// Rows and enums as text.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/generated_api/enums.h"
#include "structtensor/core/generated_api/rows.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::generated_api_internal {
namespace {

void AppendRow(const RowTable& table, size_t row, std::string& out);

template <typename T>
void AppendNumber(T value, std::string& out) {
  char digits[32];  // the shortest that read back as the same number
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out.append(digits, end);
}

// Value number `i` of a column of the field that is not a message.
void AppendScalar(const plan::FieldPlan& field, const void* values, const char* bytes, size_t i, std::string& out) {
  if (field.element == plan::Element::kString || field.element == plan::Element::kBytes) {
    const absl::string_view text = ToAbsl(RowValue<std::string_view>::At(values, bytes, i));
    absl::StrAppend(&out, "\"", field.element == plan::Element::kString ? absl::Utf8SafeCEscape(text) : absl::CEscape(text),
                    "\"");
  } else if (field.element == plan::Element::kBool) {
    out += RowValue<bool>::At(values, nullptr, i) ? "true" : "false";
  } else if (field.enumeration != nullptr) {
    out += EnumText(*field.enumeration, RowValue<int32_t>::At(values, nullptr, i));
  } else {
    plan::VisitElement(field.element, [&]<typename T>() { AppendNumber(RowValue<T>::At(values, nullptr, i), out); });
  }
}

// Whether a field without presence has its default: the text format leaves it out.
bool IsDefault(const plan::FieldPlan& field, const RowField& column, size_t row) {
  if (field.element == plan::Element::kString || field.element == plan::Element::kBytes) {
    return RowValue<std::string_view>::At(column.first, column.bytes, row).empty();
  }
  return plan::VisitElement(field.element, [&]<typename T>() {
    const T value = RowValue<T>::At(column.first, nullptr, row);
    return value == T{} && !(std::is_floating_point_v<T> && std::signbit(static_cast<double>(value)));
  });
}

// The text format names a group by its type. The field's name is the same in lower case.
std::string_view NameInText(const plan::FieldPlan& field) {
  if (field.kind != plan::Kind::kGroup) return field.name;
  const std::string_view type = field.message->full_name.substr(field.message->full_name.rfind('.') + 1);
  return absl::EqualsIgnoreCase(ToAbsl(type), ToAbsl(field.name)) ? type : field.name;
}

void AppendField(const RowTable& table, size_t index, const RowField& column, bool repeated, size_t i, std::string& out) {
  const plan::FieldPlan& field = table.plan->fields[index];
  if (!out.empty() && out.back() != ' ') out += ' ';
  out += NameInText(field);
  if (field.is_message()) {
    out += " { ";
    AppendRow(column_internal::RowTableBelow(table, index), i, out);
    out += out.ends_with("{ ") ? "}" : " }";
  } else {
    out += ": ";
    AppendScalar(field, repeated ? column.second : column.first, column.bytes, i, out);
  }
}

void AppendRow(const RowTable& table, size_t row, std::string& out) {
  for (size_t index = 0; index < table.plan->fields.size(); ++index) {
    const plan::FieldPlan& field = table.plan->fields[index];
    if (field.skipped || field.cardinality == plan::Cardinality::kOneofCase) continue;
    const RowField& column = column_internal::RowFieldAt(table, index);
    if (field.is_repeated()) {
      const auto* const row_splits = static_cast<const int64_t*>(column.first);
      for (int64_t i = row_splits[row]; i < row_splits[row + 1]; ++i) {
        AppendField(table, index, column, /*repeated=*/true, static_cast<size_t>(i), out);
      }
    } else {
      const bool has_presence = field.presence != plan::Presence::kImplicit;
      const bool shown = has_presence ? HasBit(column.validity, row)
                                      : field.is_message() || table.plan->map_entry || !IsDefault(field, column, row);
      if (shown) AppendField(table, index, column, /*repeated=*/false, row, out);
    }
  }
}

}  // namespace

std::string EnumText(const plan::EnumPlan& enumeration, int32_t number) {
  const std::string_view name = enumeration.Name(number);
  return name.empty() ? std::to_string(number) : std::string(name);
}

std::ostream& Print(std::ostream& out, const std::string& text) { return out << text; }

std::string RowText(const MessageRow& row) {
  std::string text;
  if (row.table_ != nullptr) AppendRow(*row.table_, row.row_, text);
  return text;
}

std::ostream& PrintRow(std::ostream& out, const MessageRow& row) { return out << RowText(row); }

}  // namespace structtensor::generated_api_internal
