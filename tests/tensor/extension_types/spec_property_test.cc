// What holds of all specs.
#include <gtest/gtest.h>

#include <optional>

#include "absl/hash/hash.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "type_spec_testutil.h"

namespace structtensor {
namespace {

constexpr uint32_t kSeeds = 300;

TEST(SpecProperty, EverySpecIsItsOwnSubtypeAndOneOfItsWiderForm) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const TypeSpec spec = RandomSpecs(seed).Any();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << spec.DebugString());
    EXPECT_TRUE(spec.IsCompatibleWith(spec));
    EXPECT_TRUE(spec.IsSubtypeOf(spec));
    EXPECT_EQ(spec.MostSpecificCompatibleType(spec), spec);
    EXPECT_TRUE(spec.IsSubtypeOf(spec.WithUnknownSizes()));
  }
}

TEST(SpecProperty, TheCommonTypeHoldsBoth) {
  int common_types = 0;
  for (uint32_t seed = 0; seed < 2 * kSeeds; ++seed) {
    RandomSpecs specs(seed);
    const TypeSpec a = specs.Any(1), b = specs.Any(1);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << a.DebugString() << " and " << b.DebugString());
    EXPECT_EQ(a.IsCompatibleWith(b), b.IsCompatibleWith(a));
    const std::optional<TypeSpec> common = a.MostSpecificCompatibleType(b);
    EXPECT_EQ(common.has_value(), b.MostSpecificCompatibleType(a).has_value());
    EXPECT_TRUE(!a.IsSubtypeOf(b) || a.IsCompatibleWith(b));
    if (!common) continue;
    ++common_types;
    EXPECT_TRUE(a.IsSubtypeOf(*common)) << common->DebugString();
    EXPECT_TRUE(b.IsSubtypeOf(*common)) << common->DebugString();
    EXPECT_TRUE(!a.IsSubtypeOf(b) || common->IsSubtypeOf(b));
  }
  EXPECT_GT(common_types, 5);
}

TEST(SpecProperty, UnstackingUndoesStackingButForRaggedSizes) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomSpecs specs(seed);
    const TypeSpec spec = specs.Rows(specs.Below(4), 2);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << spec.DebugString());
    const TypeSpec row = Unstacked(Stacked(spec, 3).value()).value();
    EXPECT_TRUE(spec.IsSubtypeOf(row)) << row.DebugString();
    EXPECT_EQ(absl::HashOf(row.WithUnknownSizes()), absl::HashOf(spec.WithUnknownSizes()));
    EXPECT_EQ(row.WithUnknownSizes(), spec.WithUnknownSizes());
  }
}

}  // namespace
}  // namespace structtensor
