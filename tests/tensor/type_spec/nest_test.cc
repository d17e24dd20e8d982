#include "structtensor/tensor/type_spec/nest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using N = Nest<int>;

// {'b': 3, 'a': [1, (2,)], 'c': none}
N Sample() { return N::Dict({{"b", 3}, {"a", N::List({1, N::Tuple({2})})}, {"c", N()}}); }

TEST(Nest, FlattensDictsByNameAndListsByPosition) {
  EXPECT_THAT(Flatten(Sample()), ElementsAre(1, 2, 3));
  EXPECT_THAT(FlattenWithPaths(Sample()), ElementsAre(Pair("['a'][0]", 1), Pair("['a'][1][0]", 2), Pair("['b']", 3)));
  EXPECT_THAT(Flatten(N(7)), ElementsAre(7));
  EXPECT_THAT(FlattenWithPaths(N(7)), ElementsAre(Pair("", 7)));
  EXPECT_THAT(Flatten(N::Dict({})), IsEmpty());
  EXPECT_THAT(Flatten(N()), IsEmpty());
}

TEST(Nest, PacksLeavesIntoAStructureOfAnotherType) {
  const absl::StatusOr<Nest<std::string>> packed = PackSequenceAs(Sample(), std::vector<std::string>{"x", "y", "z"});
  EXPECT_EQ(packed.value(),
            Nest<std::string>::Dict(
                {{"a", Nest<std::string>::List({{"x"}, Nest<std::string>::Tuple({{"y"}})})}, {"b", {"z"}}, {"c", {}}}));
  const absl::Status status = PackSequenceAs(Sample(), std::vector<int>{1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 leaves, but 1"));
}

TEST(Nest, MapsSeveralStructuresInStep) {
  const auto add = [](int a, int b) { return a * 10 + b; };
  EXPECT_THAT(Flatten(MapStructure(add, Sample(), Sample()).value()), ElementsAre(11, 22, 33));
  const auto negative = [](int a) { return a < 0; };
  EXPECT_EQ(MapStructure(negative, N::List({1, -1})).value(), Nest<bool>::List({false, true}));
}

TEST(Nest, StructuresDifferByKindSizeAndNames) {
  const auto difference = [](const N& a, const N& b) { return std::string(AssertSameStructure(a, b).message()); };
  EXPECT_TRUE(AssertSameStructure(Sample(), Sample()).ok());
  EXPECT_TRUE(AssertSameStructure(N(1), Nest<std::string>("x")).ok());
  EXPECT_THAT(difference(N::List({1, 2}), N::Tuple({1, 2})), HasSubstr("at the top: the first has a list, the other a tuple"));
  EXPECT_THAT(difference(N::List({1, N::List({2})}), N::List({1, N::List({2, 3})})),
              HasSubstr("at [1]: the first has 1 items"));
  EXPECT_THAT(difference(N::Dict({{"a", N::Dict({{"x", 1}})}}), N::Dict({{"a", N::Dict({{"y", 1}})}})),
              HasSubstr("at ['a']: the names of the first are {x}, of the other {y}"));
  EXPECT_THAT(difference(N::Dict({{"a", 1}}), N::Dict({{"a", N::List({1})}})), HasSubstr("at ['a']"));
  EXPECT_FALSE(MapStructure([](int a, int b) { return a + b; }, N(1), N::List({1})).ok());
}

TEST(Nest, FindsItemsOfDicts) {
  EXPECT_EQ(Sample().Find("b")->leaf(), 3);
  EXPECT_EQ(Sample().Find("d"), nullptr);
  EXPECT_EQ(N::List({1}).Find("a"), nullptr);
  EXPECT_TRUE(N::Tuple({}).is_nested());
  EXPECT_FALSE(N(1).is_nested());
}

}  // namespace
}  // namespace structtensor
