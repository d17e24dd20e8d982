// Rows of values whose types cannot hold several rows, or have no rows.
#include "structtensor/tensor/values/extension_rows.h"

#include <string>
#include <vector>

#include "bundle_testutil.h"
#include "examples_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "structtensor/tensor/extension_types/boxed.h"
#include "structtensor/tensor/extension_types/components.h"
#include "structtensor/tensor/extension_types/registry.h"
#include "structtensor/tensor/extension_types/serialize.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "user_types_testutil.h"

namespace structtensor {
namespace extension_rows_test {

using ::testing::HasSubstr;

Value Masked(NestedValue value, NestedValue mask) {
  return rfc::SimpleMaskedTensor::Make(*TensorConstant(value), *TensorConstant(mask));
}
// [[0, 7, 0], [0, 0, 8]]
Value TwoOfSix() {
  return rfc::SparseTensor::Make(*TensorConstant(List{List{0, 1}, List{1, 2}}), *TensorConstant(List{7.0, 8.0}),
                                 *TensorConstant(List{2, 3}));
}
Value ThreeOfSix() {
  return rfc::SparseTensor::Make(*TensorConstant(List{List{0, 0}, List{0, 1}, List{1, 2}}),
                                 *TensorConstant(List{1.0, 2.0, 3.0}), *TensorConstant(List{2, 3}));
}
std::vector<Value> Both() { return {TwoOfSix(), ThreeOfSix()}; }

TEST(ExtensionRows, ASparseTensorHasNoRowsOfItsComponents) {
  // As many elements as rows, by chance.
  EXPECT_EQ(TwoOfSix().rank(), 0);
  EXPECT_EQ(TwoOfSix().nrows(), 1);
  EXPECT_EQ(TwoOfSix().spec().extension()->row_rule(), RowRule::kNoRows);
  EXPECT_EQ(TwoOfSix().spec().shape(), Shape());
  const absl::Status status = StructuredTensor::FromFields(2, {{"s", TwoOfSix()}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a value without rows"));
  EXPECT_FALSE(Concat(Both(), 0).ok());
}

TEST(ExtensionRows, StackedSparseTensorsAreRowsOfSparseTensors) {
  const absl::StatusOr<Value> stacked = Stack(Both());
  ASSERT_TRUE(stacked.ok()) << stacked.status();
  EXPECT_EQ(stacked->shape(), Shape({2}));
  EXPECT_EQ(ToJson(*stacked), "[[[[0,1],[1,2]],[7,8],[2,3]],[[[0,0],[0,1],[1,2]],[1,2,3],[2,3]]]");
  EXPECT_EQ(stacked->Row(0), TwoOfSix());
  EXPECT_EQ(stacked->Row(1), ThreeOfSix());
  EXPECT_EQ(stacked->SliceRows(1, 2).Row(0), ThreeOfSix());
  const absl::StatusOr<Value> twice = Concat(std::vector<Value>{*stacked, stacked->SliceRows(0, 1)}, 0);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(twice->Row(2), TwoOfSix());
}

TEST(ExtensionRows, AreFieldsOfStructsWithAndWithoutRaggedAxes) {
  const StructuredTensor structs = *StructuredTensor::FromFields(2, {{"s", *Stack(Both())}});
  EXPECT_EQ(*structs.Row(1).field_value("s"), ThreeOfSix());
  const StructuredTensor grouped =
      structs.WithOuterPartition(*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 0, 2})));
  EXPECT_EQ(grouped.field_value("s")->Row(1).Row(0), TwoOfSix());
  EXPECT_EQ(grouped.field_value("s")->spec(), grouped.spec().field_spec(0));
}

TEST(ExtensionRows, StackedMaskedTensorsOfSeveralLengthsAreRowsOfMaskedTensors) {
  const Value a = Masked(List{1, 2}, List{true, false});
  const Value b = Masked(List{3}, List{true});
  const absl::StatusOr<Value> stacked = Stack(std::vector<Value>{a, b});
  ASSERT_TRUE(stacked.ok()) << stacked.status();
  EXPECT_EQ(stacked->shape(), Shape({2, kUnknownDimension}));
  EXPECT_EQ(stacked->spec().value_type(), "structtensor.ExtensionRows");
  EXPECT_EQ(stacked->Row(0), a);
  EXPECT_EQ(stacked->Row(1), b);
  // Of equal lengths, they are one masked tensor.
  EXPECT_EQ(*Stack(std::vector<Value>{a, a}), Masked(List{List{1, 2}, List{1, 2}}, List{List{true, false}, List{true, false}}));
}

TEST(ExtensionRows, AMaskedFieldBelowRaggedRowsIsRowsOfMaskedTensors) {
  const StructuredTensor structs = *StructuredTensor::FromFields(3, {{"m", Masked(List{1, 2, 3}, List{true, false, true})}});
  const RowPartition partition = *RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 1, 3}));
  const Value field = *structs.WithOuterPartition(partition).field_value("m");
  EXPECT_EQ(ToJson(field), "[[[1,true]],[[2,false],[3,true]]]");
  EXPECT_EQ(field.Row(1), Masked(List{2, 3}, List{false, true}));
}

TEST(ExtensionRows, ComponentsThatDoNotFitEachOtherAreNeverCut) {
  for (const Value& value : {Masked(List{1, 2, 3}, List{true}), Masked(List{List{1, 2}}, List{true}),
                             Masked(List{List{1, 2}}, List{List{true}}), Masked(List{1, 2, 3}, true)}) {
    EXPECT_EQ(value.rank(), 0);
    EXPECT_FALSE(StructuredTensor::FromFields(value.spec().shape()[0], {{"m", value}}).ok());
    const absl::StatusOr<Value> stacked = Stack(std::vector<Value>{value, value});
    ASSERT_TRUE(stacked.ok()) << stacked.status();
    EXPECT_EQ(stacked->Row(1), value);
  }
}

TEST(ExtensionRows, TypesInsideTypesAreJudgedWithoutDoublingTheWorkAtEachLevel) {
  Value value = *TensorConstant(List{1, 2, 3});
  for (int depth = 0; depth < 50; ++depth) value = rfc::Bundle::Make(Shape({3}), true, Nest<Value>(value));
  EXPECT_EQ(value.rank(), 1);
  EXPECT_EQ(value.spec().extension()->row_rule(), RowRule::kComponentRows);
  EXPECT_EQ(ToJson(value.SliceRows(1, 3)), "[2,3]");
}

TEST(ExtensionRows, JsonIsTheComponentsOfTheRow) {
  EXPECT_EQ(ToJson(Masked(List{1, 2}, List{true, false})), "[[1,true],[2,false]]");
  EXPECT_EQ(ToJson(rfc::LabeledTensor::Make({"x"}, *TensorConstant(List{1.0, 2.0}))), "[[1],[2]]");
  const Value dict = rfc::Bundle::Make(
      Shape({2}), false, Nest<Value>::Dict({{"ids", *Constant(List{List{1}, List{}})}, {"n", *Constant(List{4, 5})}}));
  EXPECT_EQ(ToJson(dict), R"([{"ids":[1],"n":4},{"ids":[],"n":5}])");
  EXPECT_EQ(ToJson(rfc::Bundle::Make(Shape(), false, Nest<Value>(*Constant(List{1, 2})))), "[1,2]");
  EXPECT_EQ(ToJson(rfc::Bundle::Make(Shape(), false, Nest<Value>())), "null");
  const StructuredTensor structs = *StructuredTensor::FromFields(2, {{"b", dict}});
  EXPECT_EQ(FormatTable(structs, 2, 80), "b\n{\"ids\":[1],\"n\":4}\n{\"ids\":[],\"n\":5}\n");
}

TEST(ExtensionRows, SpecsAreSerializedAndParsedWithoutBeingRegistered) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register(*Masked(1, true).spec().extension(), rfc::SimpleMaskedTensorSpec::Deserialize).ok());
  const Value rows = *Stack(std::vector<Value>{Masked(List{1, 2}, List{true, false}), Masked(List{3}, List{true})});
  const absl::StatusOr<TypeSpec> parsed = ParseTypeSpec(*SerializeTypeSpec(rows.spec()), types);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, rows.spec());
  using State = Nest<StaticState>;
  const State good = rows.spec().extension()->Serialize();
  for (size_t i = 0; i < good.items().size(); ++i) {
    for (const State& other : {State(), State(StaticState(-1)), State(StaticState(Shape({1, 2, 3, 4}))),
                               State(StaticState(TypeSpec(TensorSpec(Shape(), DType::kBool))))}) {
      std::vector<State> items = good.items();
      items[i] = other;
      EXPECT_FALSE(ExtensionRowsSpec::FromState(State::Tuple(items)).ok()) << i;
    }
  }
}

TEST(ExtensionRows, AreMadeOfComponentsOnlyThatAreTheSameRows) {
  const Value rows = *Stack(std::vector<Value>{Masked(List{1, 2}, List{true, false}), Masked(List{3}, List{true})});
  const Nest<Value> components = *ToComponents(rows.spec(), rows);
  EXPECT_EQ(*FromComponents(rows.spec(), components), rows);
  EXPECT_EQ(PackCompositesAs(Nest<TypeSpec>(rows.spec()), FlattenComposites(Nest<Value>(rows)))->leaf(), rows);
  for (const Value& other : {*Constant(List{List{true, false}}), *Constant(List{true, false}),
                             *Constant(List{List{true}, List{false, true}}), *Constant(true)}) {
    EXPECT_FALSE(FromComponents(rows.spec(), Nest<Value>::Tuple({components.items()[0], other})).ok());
  }
  EXPECT_FALSE(FromComponents(rows.spec(), Nest<Value>()).ok());
}

TEST(ExtensionRows, ATypeMayHaveRowsOfItsOwn) {
  // The numbers begin, begin + 1, ...: the size is no axis of the component.
  class RangeSpec : public rfc::BundleSpec {
   public:
    explicit RangeSpec(int64_t size) : BundleSpec(Shape({size}), false, TypeSpec(TensorSpec(Shape(), DType::kInt64))) {}
    RowRule row_rule() const override { return RowRule::kOwnRows; }
  };
  class Range : public rfc::Bundle {
   public:
    Range(int64_t begin, int64_t end)
        : Bundle(std::make_shared<RangeSpec>(end - begin), Value(Tensor::Scalar(begin))), begin_(begin) {}
    Value SliceRows(int64_t begin, int64_t end) const override {
      return Value(std::make_shared<Range>(begin_ + begin, begin_ + end));
    }
    Value Row(int64_t i) const override { return Tensor::Scalar(begin_ + i); }

   private:
    int64_t begin_;
  };
  const Value range = Value(std::make_shared<Range>(5, 8));
  const StructuredTensor structs = *StructuredTensor::FromFields(3, {{"r", range}});
  EXPECT_EQ(ToJson(structs.SliceRows(1, 3)), R"([{"r":6},{"r":7}])");
  EXPECT_EQ(Stack(std::vector<Value>{range, structs.SliceRows(0, 3).flat_field(0).SliceRows(0, 3)}).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace extension_rows_test
}  // namespace structtensor
