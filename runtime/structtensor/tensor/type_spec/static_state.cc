#include "structtensor/tensor/type_spec/static_state.h"

#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor {

uint64_t StaticState::Bits(double number) { return std::bit_cast<uint64_t>(number); }

bool operator==(const StaticState& a, const StaticState& b) {
  if (a.get_if<double>() != nullptr && b.get_if<double>() != nullptr) {
    return StaticState::Bits(*a.get_if<double>()) == StaticState::Bits(*b.get_if<double>());
  }
  return a.value_ == b.value_;
}

std::string StaticState::DebugString() const {
  if (const bool* value = get_if<bool>()) return *value ? "true" : "false";
  if (const int64_t* value = get_if<int64_t>()) return absl::StrCat(*value);
  if (const double* value = get_if<double>()) return absl::StrCat(*value);
  if (const std::string* value = get_if<std::string>()) return absl::StrCat("'", absl::Utf8SafeCEscape(*value), "'");
  if (const Shape* value = get_if<Shape>()) return value->DebugString();
  if (const DType* value = get_if<DType>()) return std::string(DTypeName(*value));
  return get_if<TypeSpec>()->DebugString();
}

std::string DebugString(const Nest<StaticState>& state) {
  if (state.kind() == NestKind::kNone) return "none";
  if (state.is_leaf()) return state.leaf().DebugString();
  const bool dict = state.kind() == NestKind::kDict;
  const bool list = state.kind() == NestKind::kList;
  std::string text = dict ? "{" : list ? "[" : "(";
  for (size_t i = 0; i < state.items().size(); ++i) {
    if (i > 0) text += ", ";
    if (dict) absl::StrAppend(&text, "'", absl::Utf8SafeCEscape(state.names()[i]), "': ");
    text += DebugString(state.items()[i]);
  }
  return text + (dict ? "}" : list ? "]" : ")");
}

}  // namespace structtensor
