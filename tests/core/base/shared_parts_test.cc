#include "structtensor/core/base/shared/shared_parts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace structtensor::base_internal {
namespace {

struct Part {
  std::vector<std::shared_ptr<const Part>> inner;
};

// Counts the leaves below the part, and in `asked` how often it looks at a part.
uint64_t CountLeaves(const std::shared_ptr<const Part>& part, int& asked) {
  static SharedParts<uint64_t, 1> known;
  return known.ResultOf({part}, [&] {
    ++asked;
    uint64_t count = part->inner.empty() ? 1 : 0;
    for (const auto& inner : part->inner) count += CountLeaves(inner, asked);
    return count;
  });
}

TEST(SharedParts, LooksAtEachPartOnce) {
  auto part = std::make_shared<const Part>();
  for (int i = 0; i < 60; ++i) part = std::make_shared<const Part>(Part{{part, part}});
  int asked = 0;
  EXPECT_EQ(CountLeaves(part, asked), uint64_t{1} << 60);
  EXPECT_EQ(asked, 61);
  // Nothing is kept beyond the outermost call.
  EXPECT_EQ(part.use_count(), 1);
  EXPECT_EQ(CountLeaves(part, asked), uint64_t{1} << 60);
  EXPECT_EQ(asked, 122);
}

TEST(SharedParts, KeepsPartsSoThatNoOtherTakesTheirAddress) {
  SharedParts<int, 1> known;
  const auto outer = std::make_shared<const Part>();
  std::weak_ptr<const Part> first;
  known.ResultOf({outer}, [&] {
    auto made = std::make_shared<const Part>();
    first = made;
    EXPECT_EQ(known.ResultOf({std::move(made)}, [] { return 1; }), 1);
    EXPECT_FALSE(first.expired());
    EXPECT_EQ(known.ResultOf({first.lock()}, [] { return 2; }), 1);
    return 0;
  });
  EXPECT_TRUE(first.expired());
}

TEST(SharedParts, MayBeCalledByResultsThatGo) {
  SharedParts<std::shared_ptr<const void>, 1> known;
  const std::vector<std::shared_ptr<const Part>> parts = {std::make_shared<const Part>(), std::make_shared<const Part>(),
                                                          std::make_shared<const Part>()};
  int gone = 0;
  const auto result = [&]() -> std::shared_ptr<const void> {
    return {parts[0].get(), [&](const void* /*part*/) {
              ++gone;
              known.ResultOf({parts[2]}, [&] { return known.ResultOf({parts[1]}, [] { return nullptr; }); });
            }};
  };
  known.ResultOf({parts[0]}, [&] {
    known.ResultOf({parts[1]}, result);
    known.ResultOf({parts[2]}, result);
    return nullptr;
  });
  EXPECT_EQ(gone, 2);
}

TEST(SharedParts, AsksAlwaysForPartsWithoutAnOwner) {
  SharedParts<int, 2> known;
  const auto part = std::make_shared<const Part>();
  int asked = 0;
  known.ResultOf({part, part}, [&] {
    known.ResultOf({part, nullptr}, [&] { return ++asked; });
    return known.ResultOf({part, nullptr}, [&] { return ++asked; });
  });
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace structtensor::base_internal
