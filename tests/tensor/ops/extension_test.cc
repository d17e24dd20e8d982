// Operations on values of an extension type, and on structs with such fields.
#include <gmock/gmock.h>

#include <memory>
#include <utility>

#include "ops_testutil.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/type_spec/static_state.h"

namespace structtensor {
namespace {

// A type of values with a mask: some of the values do not count.
class MaskedSpec : public ExtensionValueSpec {
 public:
  MaskedSpec(TypeSpec values, TypeSpec mask) : values_(std::move(values)), mask_(std::move(mask)) {}

  std::string_view type_name() const override { return "tests.Masked"; }
  Shape shape() const override { return values_.shape(); }
  Nest<StaticState> Serialize() const override { return Nest<StaticState>::Tuple({StaticState(values_), StaticState(mask_)}); }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return std::make_shared<const MaskedSpec>(*state.items()[0].leaf().get_if<TypeSpec>(),
                                              *state.items()[1].leaf().get_if<TypeSpec>());
  }
  Nest<TypeSpec> ComponentSpecs() const override { return Nest<TypeSpec>::Tuple({values_, mask_}); }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

 private:
  TypeSpec values_;
  TypeSpec mask_;
};

class Masked : public ExtensionType {
 public:
  Masked(Value values, Value mask)
      : spec_(std::make_shared<const MaskedSpec>(values.spec(), mask.spec())),
        values_(std::move(values)),
        mask_(std::move(mask)) {}

  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  const Value& values() const { return values_; }
  const Value& mask() const { return mask_; }

 private:
  std::shared_ptr<const MaskedSpec> spec_;
  Value values_;
  Value mask_;
};

Nest<Value> MaskedSpec::ToComponents(const ExtensionType& value) const {
  const Masked& masked = static_cast<const Masked&>(value);
  return Nest<Value>::Tuple({masked.values(), masked.mask()});
}

absl::StatusOr<Value> MaskedSpec::FromComponents(const Nest<Value>& components) const {
  return Value(std::make_shared<const Masked>(components.items()[0].leaf(), components.items()[1].leaf()));
}

Value MakeMasked(const std::string& values, const std::string& mask) {
  return Value(std::make_shared<const Masked>(MakeTensor(values), MakeTensor(mask)));
}

// "values mask"
std::string MaskedText(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return value.status().ToString();
  const Masked& masked = *static_cast<const Masked*>(value->extension());
  return ToJson(masked.values()) + " " + ToJson(masked.mask());
}

TEST(ExtensionTypes, RowsAreChosenInAllComponents) {
  const Value value = MakeMasked("[1,2,3]", "[true,false,true]");
  EXPECT_EQ(MaskedText(Gather(value, MakeTensor("[2,0,2]"))), "[3,1,3] [true,true,true]");
  EXPECT_EQ(MaskedText(BooleanMask(value, MakeTensor("[true,true,false]"))), "[1,2] [true,false]");
}

TEST(ExtensionTypes, RowsAreJoinedInAllComponents) {
  const std::vector<Value> values = {MakeMasked("[1,2]", "[true,false]"), MakeMasked("[3]", "[false]")};
  EXPECT_EQ(MaskedText(Concat(values, 0)), "[1,2,3] [true,false,false]");
  EXPECT_EQ(MaskedText(Stack(std::vector<Value>{values[0], values[0]})), "[[1,2],[1,2]] [[true,false],[true,false]]");
}

TEST(ExtensionTypes, OfDifferentTypesHaveNothingInCommon) {
  EXPECT_THAT(MaskedText(Concat(std::vector<Value>{MakeMasked("[1]", "[true]"), MakeMasked("[0.5]", "[true]")}, 0)),
              testing::HasSubstr("no common type"));
  EXPECT_THAT(MaskedText(Concat(std::vector<Value>{MakeMasked("[1]", "[true]"), Make("[1]")}, 0)),
              testing::HasSubstr("INVALID_ARGUMENT"));
}

TEST(ExtensionTypes, AsFieldsOfStructs) {
  const Value structs = StructuredTensor::Create({Splits({0, 1, 3})}, 3, {{"m", MakeMasked("[1,2,3]", "[true,false,true]")}});
  const Value taken = Gather(structs, MakeTensor("[1,0,1]")).value();
  EXPECT_EQ(MaskedText(taken.structured()->flat_field(0)), "[2,3,1,2,3] [false,true,true,false,true]");
  const Value joined = Concat(std::vector<Value>{structs, structs}, 1).value();
  EXPECT_EQ(MaskedText(joined.structured()->flat_field(0)), "[1,1,2,3,2,3] [true,true,false,true,false,true]");
}

TEST(ExtensionTypes, ShapeDtypeDoesNotReachIntoThem) {
  const Value ragged = Make("[[1,2],[3]]");
  const Value masked(std::make_shared<const Masked>(ragged, MakeTensor("[true,false]")));
  const Value structs = StructuredTensor::Create({Splits({0, 1, 2})}, 2, {{"m", masked}, {"r", ragged}});
  const Value narrow = WithShapeDtype(structs, DType::kInt32).value();
  EXPECT_EQ(narrow.structured()->shape_dtype(), DType::kInt32);
  EXPECT_EQ(narrow.structured()->FindFlatField("r")->ragged()->row_partition(0).dtype(), DType::kInt32);
  const auto& kept = *static_cast<const Masked*>(narrow.structured()->FindFlatField("m")->extension());
  EXPECT_EQ(kept.values().ragged()->row_partition(0).dtype(), DType::kInt64);
}

TEST(ExtensionTypes, InnerAxesAreThoseOfTheComponents) {
  const Value value = MakeMasked("[[1,2]]", "[[true,false]]");
  EXPECT_EQ(MaskedText(Gather(value, MakeTensor("[0]"), {.axis = 1})), "[[1]] [[true]]");
  EXPECT_EQ(MaskedText(ExpandDims(value, 0)), "[[[1,2]]] [[[true,false]]]");
}

}  // namespace
}  // namespace structtensor
