#include "structtensor/core/wire/abi/kinds.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "structtensor/core/plan/plan.h"

namespace structtensor::testing {
namespace {

using plan::Kind;

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds;
  for (uint8_t number = 1; number <= 18; ++number) kinds.push_back(static_cast<Kind>(number));
  return kinds;
}

TEST(KindsTest, EveryKindHasAName) {
  for (const Kind kind : AllKinds()) EXPECT_NE(plan::KindName(kind), "") << static_cast<int>(kind);
}

TEST(KindsTest, FixedWidthsAreThoseOfTheElement) {
  for (const Kind kind : AllKinds()) {
    const plan::WireType wire_type = plan::WireTypeOf(kind);
    if (wire_type != plan::kI64 && wire_type != plan::kI32) continue;
    EXPECT_EQ(plan::ElementSizeBytes(plan::ElementOf(kind)), wire_type == plan::kI64 ? 8u : 4u) << plan::KindName(kind);
  }
}

TEST(KindsTest, VarintsHaveTheTypeOfTheElement) {
  for (const Kind kind : AllKinds()) {
    if (plan::WireTypeOf(kind) != plan::kVarint) continue;
    wire_internal::VisitVarintKind(kind, [&](auto varint_kind) {
      using Type = typename decltype(varint_kind)::Type;
      EXPECT_EQ(sizeof(Type), plan::ElementSizeBytes(plan::ElementOf(kind))) << plan::KindName(kind);
      const plan::Element element = plan::ElementOf(kind);
      EXPECT_EQ(std::is_signed_v<Type>, element == plan::Element::kInt32 || element == plan::Element::kInt64)
          << plan::KindName(kind);
    });
  }
}

TEST(KindsTest, WhatIsWrittenIsReadAsTheSameValue) {
  for (const Kind kind : AllKinds()) {
    if (plan::WireTypeOf(kind) != plan::kVarint) continue;
    wire_internal::VisitVarintKind(kind, [&](auto varint_kind) {
      using VarintKind = decltype(varint_kind);
      using Type = typename VarintKind::Type;
      std::vector<Type> values = {0, 1};
      if (kind != Kind::kBool) {
        values.insert(values.end(),
                      {std::numeric_limits<Type>::min(), std::numeric_limits<Type>::max(), static_cast<Type>(-1)});
      }
      for (const Type value : values) EXPECT_EQ(VarintKind::From(VarintKind::ToWire(value)), value) << plan::KindName(kind);
    });
  }
  EXPECT_EQ(wire_internal::Sint32::ToWire(-1), 1u);
  EXPECT_EQ(wire_internal::Sint64::ToWire(-2), 3u);
  EXPECT_EQ(wire_internal::Int32::ToWire(-1), ~uint64_t{0});
}

}  // namespace
}  // namespace structtensor::testing
