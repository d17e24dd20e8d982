#include "structtensor/tensor/values/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opaque_testutil.h"
#include "tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(FormatTable, AlignsColumnsAndShowsShortJson) {
  EXPECT_EQ(FormatTable(Recipes(), 10, 68),
            "title  rating  ingredients                       tags\n"
            "soup   4.5     [{\"name\":\"water\",\"grams\":500},{…  {\"hot\":1}\n"
            "bread  null    [{\"name\":\"flour\",\"grams\":300}]    {\"dry\":2,\"baked\":3}\n");
}

TEST(FormatTable, GivesWhatTheLineHasLeftToLongCells) {
  EXPECT_THAT(FormatTable(Recipes(), 10, 75), HasSubstr("soup   4.5     [{\"name\":\"water\",\"grams\":500},{\"name\":…  {"));
  EXPECT_THAT(FormatTable(Recipes(), 10, 200), HasSubstr("\"grams\":500},{\"name\":"));
}

TEST(FormatTable, NamesColumnsThatDoNotFit) {
  EXPECT_EQ(FormatTable(Recipes(), 10, 40),
            "title  rating\n"
            "soup   4.5\n"
            "bread  null\n"
            "… and 2 more fields: ingredients, tags\n");
  EXPECT_THAT(FormatTable(Recipes(), 10, 30), HasSubstr("\n… and 2 more fields: ingredie…\n"));
}

TEST(FormatTable, SaysHowManyRowsAreLeft) {
  EXPECT_EQ(FormatTable(Recipes(), 1, 16),
            "title  rating\n"
            "soup   4.5\n"
            "… and 1 more row\n"
            "… and 2 more fi…\n");
}

TEST(FormatTable, ShowsOneColumnHoweverNarrow) { EXPECT_THAT(FormatTable(Recipes(), 1, 3), StartsWith("ti…\nso…\n")); }

TEST(FormatTable, CountsCodePointsAndEscapesControlCharacters) {
  const auto value = StructuredTensor::FromFields(2, {{"größe", Tensor::FromVector({"äöü", "a\nb\x1b"})},
                                                      {"x", Tensor::FromVector(std::vector<int32_t>{1, 2})}})
                         .value();
  EXPECT_EQ(FormatTable(value, 10, 80),
            "größe       x\n"
            "äöü         1\n"
            "a\\nb\\u001b  2\n");
}

TEST(FormatTable, AbsentStructsAreNullInEveryColumn) {
  const auto value =
      StructuredTensor::Create({}, 2, {{"x", Tensor::FromVector({"a", "b"})}}, StructKind::kStruct, Bits({true, false}));
  EXPECT_EQ(FormatTable(value, 10, 80), "x\na\nnull\n");
}

TEST(FormatTable, WithoutRowsIsTheHeader) {
  EXPECT_EQ(FormatTable(Recipes().SliceRows(0, 0), 10, 16), "title  rating\n… and 2 more fi…\n");
}

TEST(DebugString, IsShortForBigValues) {
  EXPECT_EQ(DebugString(Tensor::FromVector(std::vector<int32_t>{1, 2})), "Tensor([1,2], shape=[2], dtype=int32)");
  EXPECT_EQ(DebugString(Recipes().field_value("rating").value()), "RaggedTensor([[4.5],[]], shape=[2, None], dtype=double)");
  EXPECT_THAT(DebugString(Recipes().Row(1)), StartsWith("StructuredTensor({\"title\":\"bread\","));
  const std::string big = DebugString(Tensor::FromVector(std::vector<int32_t>(1'000'000, 7)));
  EXPECT_THAT(big, AllOf(StartsWith("Tensor([7,7,"), HasSubstr("…, shape=[1000000], dtype=int32)")));
  EXPECT_LT(big.size(), 300u);
}

TEST(DebugString, NeverReadsAllOfAView) {
  const Tensor broadcast =
      Tensor::FromVector(std::vector<int32_t>{7}).ViewUnchecked(0, Shape({int64_t{1} << 40, int64_t{1} << 20}), {0, 0});
  EXPECT_THAT(DebugString(broadcast), StartsWith("Tensor([[7,7,"));
  EXPECT_THAT(DebugString(StructuredTensor::FromFields(int64_t{1} << 40, {{"x", broadcast}}).value()),
              StartsWith("StructuredTensor([{\"x\":[7,7,"));
}

TEST(DebugString, OfAnExtensionTypeIsItsSpec) {
  EXPECT_EQ(DebugString(Value(std::make_shared<const Opaque>(2))), "ExtensionType(Opaque, shape=[2])");
}

}  // namespace
}  // namespace structtensor
