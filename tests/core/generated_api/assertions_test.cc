// Misuse that is undefined behaviour in release builds and ends a debug build with a message, as in absl::Span. This program is
// compiled with assertions in every build.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "everything.structtensor.h"

#ifdef NDEBUG
#error "this test needs assertions"
#endif

namespace structtensor::testing {
namespace {

// Two rows: {value: 1, children: [{value: 5}]} and {}.
TreeBatch TwoRows() { return *TreeDecoder().Decode(std::vector<std::string>{std::string("\x08\x01\x22\x02\x08\x05"), ""}); }

TEST(AssertionsDeathTest, RowsAfterTheLastOne) {
  const TreeBatch batch = TwoRows();
  EXPECT_EQ(batch[1].value(), 0);
  EXPECT_DEATH((void)batch[2], "i < size");
  EXPECT_DEATH((void)batch.rows()[2], "i < size");
  EXPECT_DEATH((void)batch.rows()[static_cast<size_t>(-1)], "i < size");
  EXPECT_DEATH((void)batch.rows().subspan(1, 2), "size");
  EXPECT_DEATH((void)batch.rows().subspan(0, 0).front(), "i < size");
  EXPECT_DEATH((void)batch.rows().subspan(0, 0).back(), "i < size");
  EXPECT_DEATH((void)batch[0].children()[1], "i < size");
  EXPECT_DEATH((void)batch[1].children().front(), "i < size");
}

TEST(AssertionsDeathTest, ColumnsAfterTheLastRow) {
  const TreeBatch batch = TwoRows();
  EXPECT_EQ(batch.value()[1], 0);
  EXPECT_DEATH((void)batch.value()[2], "row < size");
  EXPECT_DEATH((void)batch.value().has(2), "row < size");
  EXPECT_DEATH((void)batch.left().has(2), "nrows");
  EXPECT_DEATH((void)batch.children()[2], "nrows");
  const auto packed = PackedDecoder().Decode(std::vector<std::string>{""});
  EXPECT_DEATH((void)packed->int32_values()[1], "row < size");
  EXPECT_DEATH((void)packed->string_values()[1], "row < size");
  EXPECT_DEATH((void)packed->string_values()[0][0], "i < size_");
}

TEST(AssertionsDeathTest, ARowWithoutABatch) {
  const TreeRow none;
  EXPECT_DEATH((void)none.value(), "table_ != nullptr");
  EXPECT_DEATH((void)none.children(), "table_ != nullptr");
  EXPECT_DEATH((void)none.left(), "table_ != nullptr");
  EXPECT_DEATH((void)none.unknown_fields(), "table_ != nullptr");
}

// Messages that are kept as bytes have no rows, and reading around them is no misuse.
TEST(AssertionsDeathTest, BytesOfMessagesAreNoMisuse) {
  const std::string nested = "\x22\x04\x22\x02\x08\x05";  // children: [{children: [{value: 5}]}]
  for (const int depth : {0, 1, 2}) {
    TreeDecoder decoder = *TreeDecoder::Create({.recursion_depth = depth});
    const auto batch = decoder.Decode(std::vector<std::string>{nested, ""});
    ASSERT_TRUE(batch.ok()) << batch.status();
    size_t found = 0;
    for (const TreeRow row : *batch) {
      for (const auto child : row.children()) found += 1 + child.children().size();
      EXPECT_EQ(row.left().left().value(), 0);
    }
    EXPECT_EQ(found, depth == 0 ? 2u : depth == 1 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace structtensor::testing
