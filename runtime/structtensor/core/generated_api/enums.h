// Names of the enum classes in generated code. Streams print them by name, too, and so do StrCat() and StrFormat() of Abseil
// 20230125 and later. StrCat() of older releases prints their numbers.
//
//   EnumName(shop::ColorEnum::RED)                "RED"
//   EnumFromName<shop::ColorEnum>("RED")          shop::ColorEnum::RED
//   EnumText(static_cast<shop::ColorEnum>(77))    "77"
//
// An open enum may hold any int32, also a number without a name.
#ifndef STRUCTTENSOR_CORE_GENERATED_API_ENUMS_H_
#define STRUCTTENSOR_CORE_GENERATED_API_ENUMS_H_

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// An enum class of generated code: its header declares StructtensorEnumPlan() beside it.
template <typename T>
concept GeneratedEnum = std::is_enum_v<T> && requires(T value) {
  { StructtensorEnumPlan(value) } -> std::same_as<const plan::EnumPlan&>;
};

// The name that the schema declares for `value`, the first name if there are several; "" if it has none.
template <GeneratedEnum E>
std::string_view EnumName(E value) {
  return StructtensorEnumPlan(value).Name(static_cast<int32_t>(value));
}

// The value with that name, which may be an alias (option allow_alias), or nullopt. Cost: O(names).
template <GeneratedEnum E>
std::optional<E> EnumFromName(std::string_view name) {
  const std::optional<int32_t> number = StructtensorEnumPlan(E{}).NumberOf(name);
  return number.has_value() ? std::optional<E>(static_cast<E>(*number)) : std::nullopt;
}

namespace generated_api_internal {

std::string EnumText(const plan::EnumPlan& enumeration, int32_t number);
std::ostream& Print(std::ostream& out, const std::string& text);

}  // namespace generated_api_internal

// The name, or the digits of a number without one.
template <GeneratedEnum E>
std::string EnumText(E value) {
  return generated_api_internal::EnumText(StructtensorEnumPlan(value), static_cast<int32_t>(value));
}
// Prints EnumText().
template <GeneratedEnum E>
std::ostream& PrintEnum(std::ostream& out, E value) {
  return generated_api_internal::Print(out, EnumText(value));
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_ENUMS_H_
