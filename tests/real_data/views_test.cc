// Strings that stay in the input (BatchDecoder::DecodeViews) equal copied ones, for real messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include "real_data.h"
#include "views_compare.h"

namespace structtensor::testing {
namespace {

constexpr size_t kMostViewed = 1500;
constexpr size_t kViewedAtOnce = 500;

class ViewsTest : public RealDataTest {};

TEST_P(ViewsTest, ReadLikeCopies) {
  const size_t count = std::min(messages().size(), kMostViewed);
  std::vector<std::vector<std::string_view>> batches;
  for (size_t begin = 0; begin < count; begin += kViewedAtOnce) {
    const auto first = messages().begin() + static_cast<ptrdiff_t>(begin);
    batches.emplace_back(first, first + static_cast<ptrdiff_t>(std::min(kViewedAtOnce, count - begin)));
  }
  const size_t in_place = ExpectSameBatches(plan(), {}, batches);
  EXPECT_GT(in_place, 0u);
  std::cout << "compared: " << set().name() << ", " << in_place << " strings in place" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Sets, ViewsTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
