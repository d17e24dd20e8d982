// The examples of the RFC "Extension types" (tensorflow/community, 20200721-extension-types), in its order. A test names the
// section whose code or rule it translates. The dispatch protocol has no counterpart here: operations are functions.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples_testutil.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "structtensor/tensor/extension_types/boxed.h"
#include "structtensor/tensor/extension_types/components.h"
#include "structtensor/tensor/extension_types/registry.h"
#include "structtensor/tensor/type_spec/row_axes.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
#include "user_types_testutil.h"

namespace structtensor {
namespace {

using rfc::LabeledTensor;
using rfc::LabeledTensorSpec;
using rfc::SimpleMaskedTensor;
using rfc::SimpleMaskedTensorSpec;
using rfc::SparseTensor;
using ::testing::ElementsAre;

TypeSpec Masked(Shape shape, DType dtype = DType::kFloat) {
  return std::shared_ptr<const ExtensionTypeSpec>(std::make_shared<SimpleMaskedTensorSpec>(std::move(shape), dtype));
}
TypeSpec Labeled(std::vector<std::string> axes, Shape shape) {
  return std::shared_ptr<const ExtensionTypeSpec>(
      std::make_shared<LabeledTensorSpec>(std::move(axes), TensorSpec(std::move(shape), DType::kFloat)));
}
TypeSpec Dense(Shape shape, DType dtype = DType::kFloat) { return TensorSpec(std::move(shape), dtype); }

Value MaskedValue() { return SimpleMaskedTensor::Make(*Make(List{1, 2, 3}).tensor(), *Make(List{true, false, true}).tensor()); }
// [[0, 7, 0], [0, 0, 8]]
Value SparseValue() {
  return SparseTensor::Make(*TensorConstant(List{List{0, 1}, List{1, 2}}), *Make(List{7.0, 8.0}).tensor(),
                            *Make(List{2, 3}).tensor());
}

TEST(ExtensionTypeProtocol, ARaggedTensorIsFlatValuesAndRowPartitions) {
  const Value ragged = Make(List{List{1, 2}, List{}, List{3}});
  // Dynamic data.
  const absl::StatusOr<Nest<Value>> components = ToComponents(ragged.spec(), ragged);
  ASSERT_TRUE(components.ok()) << components.status();
  ASSERT_EQ(components->kind(), NestKind::kTuple);
  ASSERT_EQ(components->items().size(), 2u);
  EXPECT_EQ(ToJson(components->items()[0].leaf()), "[1,2,3]");
  EXPECT_EQ(ToJson(components->items()[1].leaf()), "[0,2,2,3]");
  // Static data.
  EXPECT_EQ(ragged.spec().ragged()->dtype(), DType::kInt64);
  EXPECT_EQ(ragged.spec().ragged()->ragged_rank(), 1);
  EXPECT_EQ(ragged.spec().ragged()->row_splits_dtype(), DType::kInt64);
}

TEST(TypeSpecJob1, SpecsStoreWhatIsStatic) {
  const TypeSpec masked = Masked(Shape({3}));
  EXPECT_EQ(masked.shape(), Shape({3}));
  EXPECT_EQ(static_cast<const SimpleMaskedTensorSpec*>(masked.extension())->dtype(), DType::kFloat);
  const TypeSpec labeled = Labeled({"word", "speaker"}, Shape({5, 2}));
  EXPECT_THAT(static_cast<const LabeledTensorSpec*>(labeled.extension())->axes(), ElementsAre("word", "speaker"));
}

TEST(TypeSpecJob2, SpecsBecomeNestedTuplesAndAreMadeFromThem) {
  for (const TypeSpec& spec :
       {Masked(Shape({kUnknownDimension, 3})), Labeled({"a", "b"}, Shape({1, 2})), SparseValue().spec()}) {
    const Nest<StaticState> state = spec.extension()->Serialize();
    const absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> again = spec.extension()->WithState(state);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(TypeSpec(*again), spec);
  }
  EXPECT_EQ(DebugString(Masked(Shape({3})).extension()->Serialize()), "([3], float)");
}

TEST(TypeSpecJob3, ValuesAreTakenApartAndPutTogether) {
  const Value sparse = SparseValue();
  const absl::StatusOr<Nest<Value>> components = ToComponents(sparse.spec(), sparse);
  ASSERT_TRUE(components.ok()) << components.status();
  std::vector<std::string> shown;
  for (const Value& component : Flatten(*components)) shown.push_back(ToJson(component));
  EXPECT_THAT(shown, ElementsAre("[[0,1],[1,2]]", "[7,8]", "[2,3]"));
  const absl::StatusOr<Value> again = FromComponents(sparse.spec(), *components);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, sparse);
  EXPECT_EQ(sparse.spec().value_type(), "rfc.SparseTensor");
}

TEST(TypeSpecJob3, ComponentsAreCompatibleWithTheComponentSpecs) {
  const Value struct_value =
      Make(List{NestedValue::Dict{{"x", 1}, {"y", List{1, 2}}}, NestedValue::Dict{{"x", 2}, {"y", List{}}}});
  for (const Value& value : {Make(List{1, 2}), Make(List{List{1}, List{}}), struct_value, MaskedValue(), SparseValue()}) {
    const absl::StatusOr<Nest<Value>> components = ToComponents(value.spec(), value);
    ASSERT_TRUE(components.ok()) << components.status();
    const auto compatible =
        MapStructure([](const TypeSpec& spec, const Value& component) { return spec.IsCompatibleWith(component.spec()); },
                     ComponentSpecs(value.spec()), *components);
    ASSERT_TRUE(compatible.ok()) << compatible.status();
    for (const bool each : Flatten(*compatible)) EXPECT_TRUE(each) << DebugString(value);
  }
}

TEST(TypeSpecJob4, EqualityAndHash) {
  EXPECT_EQ(Masked(Shape({3})), Masked(Shape({3})));
  EXPECT_EQ(absl::HashOf(Masked(Shape({3}))), absl::HashOf(Masked(Shape({3}))));
  EXPECT_FALSE(Masked(Shape({3})) == Masked(Shape({kUnknownDimension}))) << "shapes are equal if all dimensions match exactly";
  EXPECT_FALSE(Masked(Shape({3})) == Masked(Shape({3}), DType::kDouble));
}

TEST(TypeSpecJob4, IsCompatibleWith) {
  const TypeSpec spec1 = Dense(Shape({3}));
  EXPECT_TRUE(spec1.IsCompatibleWith(Dense(Shape({kUnknownDimension}))));
  EXPECT_FALSE(spec1.IsCompatibleWith(Dense(Shape({4})))) << "shape mismatch";
  EXPECT_FALSE(spec1.IsCompatibleWith(Dense(Shape({3}), DType::kInt32))) << "dtype mismatch";
  // A function that expects [None, 3] takes [8, 3].
  EXPECT_TRUE(Dense(Shape({kUnknownDimension, 3})).IsCompatibleWith(Dense(Shape({8, 3}))));
}

TEST(TypeSpecJob4, UserTypesAreCompatibleByTheirStates) {
  EXPECT_TRUE(Masked(Shape({3})).IsCompatibleWith(Masked(Shape({kUnknownDimension}))));
  EXPECT_FALSE(Masked(Shape({3})).IsCompatibleWith(Masked(Shape({4}))));
  EXPECT_FALSE(Masked(Shape({3})).IsCompatibleWith(Masked(Shape({3}), DType::kInt32)));
  EXPECT_FALSE(Masked(Shape({3})).IsCompatibleWith(Dense(Shape({3})))) << "another type";
  EXPECT_FALSE(Labeled({"a"}, Shape({3})).IsCompatibleWith(Labeled({"b"}, Shape({3}))));
}

TEST(TypeSpecJob4, CompatibilityIsSymmetric) {
  const std::vector<TypeSpec> specs = {Dense(Shape({3})),
                                       Dense(Shape({kUnknownDimension})),
                                       Dense(Shape::UnknownRank()),
                                       Masked(Shape({3})),
                                       Masked(Shape({kUnknownDimension})),
                                       Labeled({"a"}, Shape({3})),
                                       Make(List{List{1}, List{}}).spec()};
  for (const TypeSpec& a : specs) {
    for (const TypeSpec& b : specs)
      EXPECT_EQ(a.IsCompatibleWith(b), b.IsCompatibleWith(a)) << a.DebugString() << b.DebugString();
  }
}

TEST(TypeSpecJob4, MostSpecificCompatibleType) {
  // tf.cond(c, lambda: x, lambda: y) of shapes [8, 3] and [8, 5].
  EXPECT_EQ(Dense(Shape({8, 3})).MostSpecificCompatibleType(Dense(Shape({8, 5}))), Dense(Shape({8, kUnknownDimension})));
  EXPECT_EQ(Masked(Shape({8, 3})).MostSpecificCompatibleType(Masked(Shape({8, 5}))), Masked(Shape({8, kUnknownDimension})));
  EXPECT_EQ(Masked(Shape({3})).MostSpecificCompatibleType(Masked(Shape({3}), DType::kInt32)), std::nullopt);
  EXPECT_EQ(Labeled({"a"}, Shape({3})).MostSpecificCompatibleType(Labeled({"b"}, Shape({3}))), std::nullopt);
  EXPECT_EQ(Masked(Shape({3})).MostSpecificCompatibleType(Dense(Shape({3}))), std::nullopt);
  // "Automatic type casting" is future work: a dense and a ragged branch have no common type.
  EXPECT_EQ(Dense(Shape({2, 2})).MostSpecificCompatibleType(RaggedTensorSpec(Shape({2, kUnknownDimension}), DType::kFloat, 1)),
            std::nullopt);
}

Nest<Value> RaggedAndSparse() {
  return Nest<Value>::Dict({{"a", Make(List{List{1.0, 2.0}, List{3.0}})}, {"b", SparseValue()}});
}

std::vector<std::string> Strings(const std::vector<Tensor>& tensors) {
  std::vector<std::string> strings;
  for (const Tensor& tensor : tensors) strings.push_back(ToJson(tensor));
  return strings;
}

// f of the example, which leaves partitions, indices and shapes as they are.
Tensor TimesTen(const Tensor& tensor) {
  if (tensor.dtype() != DType::kDouble) return tensor;
  std::vector<double> out;
  for (const double element : tensor.values<double>()) out.push_back(10 * element);
  return Tensor::FromBuffer(Buffer<double>::FromVector(std::move(out)), tensor.shape());
}

TEST(NestSupport, FlattenExpandsComposites) {
  EXPECT_EQ(Flatten(RaggedAndSparse()).size(), 2u);
  // [v1, r, i, v2, d]
  EXPECT_THAT(Strings(FlattenComposites(RaggedAndSparse())),
              ElementsAre("[1,2,3]", "[0,2,3]", "[[0,1],[1,2]]", "[7,8]", "[2,3]"));
  const std::vector<TensorSpec> specs = FlattenComposites(Nest<TypeSpec>(Masked(Shape({3}))));
  EXPECT_THAT(specs, ElementsAre(TensorSpec(Shape({3}), DType::kFloat), TensorSpec(Shape({3}), DType::kBool)));
}

TEST(NestSupport, PackSequenceAsReassembles) {
  std::vector<Tensor> mapped;
  for (const Tensor& tensor : FlattenComposites(RaggedAndSparse())) mapped.push_back(TimesTen(tensor));
  const Nest<TypeSpec> specs = *MapStructure([](const Value& value) { return value.spec(); }, RaggedAndSparse());
  const absl::StatusOr<Nest<Value>> packed = PackCompositesAs(specs, mapped);
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(ToJson(packed->Find("a")->leaf()), "[[10,20],[30]]");
  const auto& sparse = static_cast<const SparseTensor&>(*packed->Find("b")->leaf().extension());
  EXPECT_EQ(ToJson(sparse.values()), "[70,80]");
  EXPECT_EQ(ToJson(sparse.indices()), "[[0,1],[1,2]]");
  EXPECT_THAT(Strings(FlattenComposites(*packed)), ElementsAre("[10,20,30]", "[0,2,3]", "[[0,1],[1,2]]", "[70,80]", "[2,3]"));
  mapped.pop_back();
  EXPECT_EQ(PackCompositesAs(specs, mapped).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(NestSupport, AssertSameStructureNeedsACommonType) {
  const auto list = [](TypeSpec spec) { return Nest<TypeSpec>::List({std::move(spec)}); };
  EXPECT_TRUE(AssertSameTypes(list(Masked(Shape({3}))), list(Masked(Shape({4})))).ok());
  EXPECT_EQ(AssertSameTypes(list(Masked(Shape({3}))), list(Masked(Shape({3}), DType::kInt32))).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AssertSameTypes(list(Masked(Shape({3}))), list(Dense(Shape({3})))).code(), absl::StatusCode::kInvalidArgument);
}

TEST(TypeSpecRegistry, NamesAreUniqueBothWays) {
  TypeRegistry registry;
  const auto deserializer = SimpleMaskedTensorSpec::Deserialize;
  const TypeSpec spec = Masked(Shape({3}));
  EXPECT_TRUE(registry.Register(*spec.extension(), deserializer).ok());
  EXPECT_TRUE(registry.Register(*spec.extension(), deserializer).ok()) << "again is fine";
  class Impostor : public SimpleMaskedTensorSpec {
   public:
    using SimpleMaskedTensorSpec::SimpleMaskedTensorSpec;
  };
  EXPECT_EQ(registry.Register(Impostor(Shape({3}), DType::kFloat), deserializer).code(), absl::StatusCode::kAlreadyExists);
  const auto read = registry.Deserialize(SimpleMaskedTensorSpec::kName, spec.extension()->Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(TypeSpec(*read), spec);
  EXPECT_EQ(registry.Deserialize("rfc.Unknown", {}).status().code(), absl::StatusCode::kNotFound);
}

TEST(StackableTypeSpec, ARaggedTensorIsBatchedRowByRow) {
  const Value rt = Make(List{List{1, 2}, List{}, List{3}, List{4, 5, 6}, List{7}, List{8, 9}});
  const TypeSpec batch = *Stacked(*Unstacked(rt.spec()), 3);
  EXPECT_EQ(ToJson(*FromBoxed(batch, *BoxedTensor::Make({3}, {rt.Row(0), rt.Row(1), rt.Row(2)}))), "[[1,2],[],[3]]");
  EXPECT_EQ(ToJson(*FromBoxed(batch, *BoxedTensor::Make({3}, {rt.Row(3), rt.Row(4), rt.Row(5)}))), "[[4,5,6],[7],[8,9]]");
}

TEST(StackableTypeSpec, StackingBoxesIsStackingValues) {
  const std::vector<Value> values = {Make(List{List{1}, List{2, 3}}), Make(List{List{}, List{4}})};
  const TypeSpec spec = *values[0].spec().MostSpecificCompatibleType(values[1].spec());
  const absl::StatusOr<Value> unboxed = FromBoxed(*Stacked(spec, 2), *BoxedTensor::Make({2}, values));
  ASSERT_TRUE(unboxed.ok()) << unboxed.status();
  EXPECT_EQ(ToJson(*unboxed), "[[[1],[2,3]],[[],[4]]]");
}

TEST(StackableTypeSpec, UnstackingBoxesIsUnstackingValues) {
  const Value masked = MaskedValue();
  for (const Value& value :
       {Make(List{List{1}, List{2, 3}}), masked, Make(List{NestedValue::Dict{{"x", 1}}, NestedValue::Dict{{"x", 2}}})}) {
    for (int64_t i = 0; i < value.nrows(); ++i) {
      const absl::StatusOr<Value> row = FromBoxed(*Unstacked(value.spec()), *BoxedTensor::Make({}, {value.Row(i)}));
      ASSERT_TRUE(row.ok()) << row.status();
      EXPECT_EQ(*row, value.Row(i));
    }
  }
}

TEST(ExampleSimpleMaskedTensor, ItsFourJobs) {
  const Value masked = MaskedValue();
  EXPECT_EQ(masked.spec(), Masked(Shape({3}), DType::kInt64));
  EXPECT_EQ(masked.spec().extension()->DebugString(), "rfc.SimpleMaskedTensor(([3], int64))");
  EXPECT_THAT(Strings(FlattenComposites(Nest<Value>(masked))), ElementsAre("[1,2,3]", "[true,false,true]"));
  EXPECT_TRUE(masked.spec().IsCompatibleWith(Masked(Shape({kUnknownDimension}), DType::kInt64)));
}

TEST(ExampleSimpleMaskedTensor, IsAFieldLikeAnyOther) {
  const absl::StatusOr<StructuredTensor> structs =
      StructuredTensor::FromFields(3, {{"m", MaskedValue()}, {"x", Make(List{4, 5, 6})}});
  ASSERT_TRUE(structs.ok()) << structs.status();
  const Value field = *structs->SliceRows(1, 3).field_value("m");
  const auto& masked = static_cast<const SimpleMaskedTensor&>(*field.extension());
  EXPECT_EQ(ToJson(masked.value()), "[2,3]");
  EXPECT_EQ(ToJson(masked.mask()), "[false,true]");
}

}  // namespace
}  // namespace structtensor
