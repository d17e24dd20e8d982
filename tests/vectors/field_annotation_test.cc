#include "field_annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structtensor/base/internal/status.h"
#include "structtensor/construct/constant.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<FieldValue> Convert(std::string_view annotation, const FieldValue& value) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const FieldAnnotation parsed, ParseFieldAnnotation(annotation, "f"));
  return ConvertField(parsed, value, "f");
}

std::string Error(std::string_view annotation, const FieldValue& value) {
  const absl::Status status = Convert(annotation, value).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << annotation;
  return std::string(status.message());
}

FieldValue IntList() { return FieldValue::List({FieldLeaf(1), FieldLeaf(2)}); }
FieldValue IntTuple() { return FieldValue::Tuple({FieldLeaf(1), FieldLeaf(2)}); }

TEST(FieldAnnotation, SimpleTypesAreTakenAsTheyAre) {
  EXPECT_EQ(Convert("int", FieldLeaf(5)).value(), FieldValue(FieldLeaf(5)));
  EXPECT_EQ(Convert("int", FieldLeaf(true)).value(), FieldValue(FieldLeaf(true)));
  EXPECT_EQ(Convert("str", FieldLeaf("a")).value(), FieldValue(FieldLeaf("a")));
  EXPECT_EQ(Convert("bytes", FieldLeaf(FieldLeaf::Bytes{"a"})).value(), FieldValue(FieldLeaf(FieldLeaf::Bytes{"a"})));
  EXPECT_EQ(Convert("None", FieldValue()).value(), FieldValue());
  EXPECT_EQ(Error("int", FieldLeaf(5.0)), "f: expected 'int', got 'float'");
  EXPECT_EQ(Error("float", FieldLeaf(5)), "f: expected 'float', got 'int'");
  EXPECT_EQ(Error("bool", FieldLeaf(1)), "f: expected 'bool', got 'int'");
  EXPECT_EQ(Error("None", FieldLeaf(1)), "f: expected 'NoneType', got 'int'");
}

TEST(FieldAnnotation, TensorsAreMadeFromNumbersAndLists) {
  const FieldValue tensor = Convert("tf.Tensor", IntList()).value();
  EXPECT_EQ(*tensor.leaf().get_if<Value>(), Value(Tensor::FromVector(std::vector<int64_t>{1, 2})));
  EXPECT_EQ(Convert("tf.Tensor", tensor).value(), tensor);
  const FieldValue ragged = FieldLeaf(Constant(NestedValue::List{NestedValue::List{1}, NestedValue::List{}}).value());
  EXPECT_EQ(Error("tf.Tensor", ragged), "f: expected a Tensor, got 'RaggedTensor'");
  EXPECT_EQ(Convert("tf.RaggedTensor", ragged).value(), ragged);
  EXPECT_THAT(Error("tf.Tensor", FieldValue::List({FieldLeaf(1), FieldLeaf("a")})),
              HasSubstr("expected a Tensor, got 'list' ("));
}

TEST(FieldAnnotation, TensorsInListsAreStacked) {
  const auto leaf = [](Tensor tensor) { return FieldValue(FieldLeaf(Value(std::move(tensor)))); };
  const Tensor one = Tensor::Scalar(int32_t{1});
  const FieldValue mixed = Convert("tf.Tensor", FieldValue::List({leaf(one), FieldLeaf(2)})).value();
  EXPECT_EQ(*mixed.leaf().get_if<Value>(), Value(Tensor::FromVector(std::vector<int32_t>{1, 2})));
  const Tensor row = Tensor::FromVector(std::vector<int32_t>{1, 2});
  const FieldValue nested =
      Convert("tf.Tensor", FieldValue::Tuple({FieldValue::List({leaf(one), leaf(one)}), leaf(row), IntList()})).value();
  EXPECT_EQ(*nested.leaf().get_if<Value>(),
            Value(Tensor::FromBuffer(Buffer<int32_t>::FromVector({1, 1, 1, 2, 1, 2}), Shape({3, 2}))));
  EXPECT_EQ(Convert("Mapping[str, tf.Tensor]", FieldValue::Dict({{"a", FieldLeaf(1)}})).value(),
            FieldValue::Dict({{"a", leaf(Tensor::Scalar(int64_t{1}))}}));
  EXPECT_THAT(Error("tf.Tensor", FieldValue::List({leaf(one), leaf(Tensor::Scalar(1.5))})),
              HasSubstr("all must be of one dtype"));
  EXPECT_THAT(Error("tf.Tensor", FieldValue::List({leaf(one), FieldLeaf(1.5)})), HasSubstr("expected int32"));
  EXPECT_THAT(Error("tf.Tensor", FieldValue::List({leaf(one), leaf(row)})), HasSubstr("expected a Tensor, got 'list' ("));
  EXPECT_THAT(Error("tf.Tensor", FieldValue::List({leaf(row), leaf(Tensor::FromVector(std::vector<int32_t>{1}))})),
              HasSubstr("its tensors are of different shapes"));
}

TEST(FieldAnnotation, ShapesAndDTypesAreMadeFromWhatNamesThem) {
  EXPECT_EQ(Convert("tf.TensorShape", FieldValue::List({FieldValue(), FieldLeaf(3)})).value(),
            FieldValue(FieldLeaf(Shape({kUnknownDimension, 3}))));
  EXPECT_EQ(Convert("tf.TensorShape", FieldValue()).value(), FieldValue(FieldLeaf(Shape::UnknownRank())));
  EXPECT_EQ(Error("tf.TensorShape", FieldLeaf("x")), "f: expected 'tf.TensorShape', got 'str'");
  EXPECT_FALSE(Convert("tf.TensorShape", FieldValue::List({FieldLeaf(-1)})).ok());
  EXPECT_EQ(Convert("tf.DType", FieldLeaf("float32")).value(), FieldValue(FieldLeaf(DType::kFloat)));
  EXPECT_FALSE(Convert("tf.DType", FieldLeaf("int3")).ok());
}

TEST(FieldAnnotation, TuplesConvertTheirItems) {
  EXPECT_EQ(Convert("Tuple[int, ...]", IntList()).value(), IntTuple());
  EXPECT_EQ(Convert("tuple[int, int]", IntList()).value(), IntTuple());
  EXPECT_EQ(Convert("typing.Tuple[()]", FieldValue::List({})).value(), FieldValue::Tuple({}));
  EXPECT_EQ(Error("Tuple[int, ...]", FieldValue::List({FieldLeaf(1), FieldLeaf("a")})), "f[1]: expected 'int', got 'str'");
  EXPECT_EQ(Error("Tuple[int, ...]", FieldLeaf(5)), "f: expected tuple, got 'int'");
  EXPECT_EQ(Error("Tuple[int]", IntList()), "f: expected tuple with length 1, got list with length 2");
}

TEST(FieldAnnotation, MappingsConvertTheirItems) {
  const FieldValue dict = FieldValue::Dict({{"a", FieldValue::Dict({{"b", IntList()}})}});
  EXPECT_EQ(Convert("Mapping[str, Mapping[str, Tuple[int, ...]]]", dict).value(),
            FieldValue::Dict({{"a", FieldValue::Dict({{"b", IntTuple()}})}}));
  EXPECT_EQ(Error("Mapping[str, Mapping[str, Tuple[str, int]]]", dict), "f['a']['b'][0]: expected 'str', got 'int'");
  EXPECT_TRUE(Convert("Mapping[int, str]", FieldValue::Dict({})).ok());
  EXPECT_FALSE(Convert("Mapping[int, str]", dict).ok());
}

TEST(FieldAnnotation, UnionsTakeTheFirstThatFits) {
  EXPECT_EQ(Convert("Union[int, str]", FieldLeaf("x")).value(), FieldValue(FieldLeaf("x")));
  EXPECT_EQ(Convert("Union[int, tf.Tensor]", FieldLeaf(5)).value(), FieldValue(FieldLeaf(5)));
  EXPECT_EQ(TypeName(Convert("Union[tf.Tensor, int]", FieldLeaf(5)).value()), "Tensor");
  EXPECT_EQ(Convert("Optional[int]", FieldValue()).value(), FieldValue());
  EXPECT_EQ(Error("Union[int, str]", FieldLeaf(1.5)), "f: expected one of: int str, got 'float'");
}

TEST(FieldAnnotation, WhatIsNoAnnotationIsAnErrorThatPointsAtThePlace) {
  EXPECT_THAT(Error("Mapping[str, Dict[str, int]]", FieldValue()), HasSubstr("'Mapping[str, Dict[str, int]]' at offset 13"));
  for (const char* annotation :
       {"", "Any", "complex", "\"Fwd\"", "Set[int]", "Tuple", "Tuple[]", "Tuple[int", "Tuple[..., int]", "Tuple[int, ..., int]",
        "Mapping[str]", "Mapping[tf.Tensor, int]", "Optional[int, str]", "int]", "Union[]"}) {
    EXPECT_FALSE(ParseFieldAnnotation(annotation, "f").ok()) << annotation;
  }
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "Tuple[";
  EXPECT_THAT(std::string(ParseFieldAnnotation(deep, "f").status().message()), HasSubstr("at most 100 brackets"));
}

}  // namespace
}  // namespace structtensor
