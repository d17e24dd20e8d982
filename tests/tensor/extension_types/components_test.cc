#include "structtensor/tensor/extension_types/components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masked_tensor_testutil.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

// {a, b: {x}} of shape [2, None].
Value Structs() {
  return Constant(List{List{Dict{{"a", 1}, {"b", List{Dict{{"x", "p"}}}}}, Dict{{"a", 2}, {"b", List{}}}},
                       List{Dict{{"a", 3}, {"b", List{Dict{{"x", "q"}}, Dict{{"x", "r"}}}}}}})
      .value();
}

std::vector<std::string> Flat(const Value& value) {
  std::vector<std::string> strings;
  for (const Tensor& tensor : FlattenComposites(Nest<Value>(value))) strings.push_back(ToJson(tensor));
  return strings;
}

// Every kind of value with every kind of axis.
std::vector<Value> Samples() {
  const StructuredTensor flat = StructuredTensor::FromFields(3, {{"m", Masked({1, 2, 3}, {1, 0, 1})},
                                                                 {"x", Tensor::FromVector(std::vector<int64_t>{7, 8, 9})}})
                                    .value();
  const RowPartition optional =
      RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 1, 1, 2, 3}), RowPartition::Optional::kYes).value();
  const Validity validity(Buffer<uint8_t>::FromVector({5}));
  return {Tensor::Scalar(int64_t{3}),
          Constant(List{List{1, 2}, List{}}).value(),
          Structs(),
          Structs().SliceRows(0, 0),
          Structs().Row(0),
          Structs().Row(0).Row(1),
          Constant(Dict{}).value(),
          Constant(List{Dict{}, Dict{}}).value(),
          Constant(List{Dict{{"m", List{List{1, 2}, List{3, 4}}}}}).value(),
          Masked({1, 2}, {1, 0}),
          flat,
          flat.Row(1),
          flat.WithOuterPartition(optional),
          flat.WithOuterPartition(*RowPartition::FromUniformRowLength(3, 1)),
          flat.WithOuterPartition(optional.WithDtype(DType::kInt32)),
          StructuredTensor::Create({optional}, 3, {{"x", Tensor::FromVector(std::vector<int32_t>{1, 2, 3})}},
                                   StructKind::kMapEntry, validity)};
}

TEST(Components, OfRaggedTensorsAreValuesAndRowSplits) {
  EXPECT_THAT(Flat(Constant(List{List{1, 2}, List{}, List{3}}).value()), ElementsAre("[1,2,3]", "[0,2,2,3]"));
}

TEST(Components, OfStructsAreFieldsWithTheirAxesAndTheShape) {
  EXPECT_THAT(Flat(Structs()), ElementsAre("[1,2,3]", "[0,2,3]",                           // a
                                           "[\"p\",\"q\",\"r\"]", "[0,2,3]", "[0,1,1,3]",  // b.x
                                           "[3]", "[0,2,3]", "[0,1,1,3]",                  // b
                                           "[3]", "[0,2,3]"));
  EXPECT_THAT(Flat(Constant(Dict{{"a", 1}}).value()), ElementsAre("1", "[]"));
  const Nest<TypeSpec> specs = ComponentSpecs(Structs().spec());
  EXPECT_EQ(specs.Find("ragged_shape")->Find("row_partitions")->items()[0].leaf(), TypeSpec(TensorSpec({3}, DType::kInt64)));
}

TEST(Components, PutTogetherGiveTheSameValue) {
  for (const Value& value : Samples()) {
    SCOPED_TRACE(value.spec().DebugString());
    const Nest<Value> components = ToComponents(value.spec(), value).value();
    EXPECT_EQ(FromComponents(value.spec(), components).value(), value);
    // Without the sizes of this value, too.
    const TypeSpec wide = value.spec().WithUnknownSizes();
    const Value again = PackCompositesAs(wide, FlattenComposites(Nest<Value>(value))).value().leaf();
    EXPECT_EQ(again.spec().WithUnknownSizes(), wide);
    const std::vector<Tensor> tensors = FlattenComposites(Nest<Value>(again));
    EXPECT_EQ(tensors, FlattenComposites(Nest<Value>(value)));
    // Each tensor has the spec that was foretold.
    const std::vector<TensorSpec> specs = FlattenComposites(Nest<TypeSpec>(value.spec()));
    ASSERT_EQ(specs.size(), tensors.size());
    for (size_t i = 0; i < specs.size(); ++i) EXPECT_TRUE(TypeSpec(specs[i]).IsCompatibleWith(tensors[i].spec()));
  }
}

TEST(Components, ShareTheValuesMemory) {
  const Value value = Structs();
  const Value again = FromComponents(value.spec(), ToComponents(value.spec(), value).value()).value();
  EXPECT_EQ(again.structured()->FindFlatField("a")->tensor()->values<int64_t>().data(),
            value.structured()->FindFlatField("a")->tensor()->values<int64_t>().data());
}

TEST(Components, ThatDoNotFitAreErrors) {
  const TypeSpec spec = Structs().spec().WithUnknownSizes();
  const auto error = [&](size_t index, const Tensor& tensor) {
    std::vector<Tensor> tensors = FlattenComposites(Nest<Value>(Structs()));
    tensors[index] = tensor;
    const absl::Status status = PackCompositesAs(spec, tensors).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  const auto ints = [](std::vector<int64_t> values) { return Tensor::FromVector(std::move(values)); };
  EXPECT_THAT(error(0, Tensor::FromVector(std::vector<int32_t>{1, 2, 3})), HasSubstr("is TensorSpec([3], int32)"));
  EXPECT_THAT(error(1, ints({0, 1, 3})), HasSubstr("component ['fields']['a']"));
  EXPECT_THAT(error(1, ints({0, 3, 2})), HasSubstr("decreases"));
  EXPECT_THAT(error(9, ints({0, 2, 2})), HasSubstr("the number of structs is 2"));
  EXPECT_THAT(error(8, ints({-1})), HasSubstr("inner_shape"));
  EXPECT_FALSE(PackCompositesAs(spec, std::vector<Tensor>{ints({1})}).ok());
  EXPECT_FALSE(ToComponents(TensorSpec({3}, DType::kBool), Structs()).ok());
  EXPECT_FALSE(FromComponents(spec, Nest<Value>(Structs())).ok());
  EXPECT_FALSE(FromComponents(RowPartitionSpec(), Nest<Value>(ints({0}))).ok());
}

TEST(Composites, HaveTheSameTypesIfThereIsACommonOne) {
  const auto nest = [](TypeSpec spec) { return Nest<TypeSpec>::List({std::move(spec)}); };
  EXPECT_TRUE(AssertSameTypes(nest(TensorSpec({3}, DType::kBool)), nest(TensorSpec({4}, DType::kBool))).ok());
  EXPECT_THAT(std::string(AssertSameTypes(nest(TensorSpec({3}, DType::kBool)), nest(TensorSpec({3}, DType::kInt32))).message()),
              HasSubstr("differ at [0]: TensorSpec([3], bool) and TensorSpec([3], int32)"));
}

}  // namespace
}  // namespace structtensor
