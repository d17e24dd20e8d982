#include "structtensor/tensor/extension_types/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masked_tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Called as its maker likes.
class OtherSpec : public MaskedTensorSpec {
 public:
  explicit OtherSpec(std::string name) : MaskedTensorSpec({3}, DType::kInt32), name_(std::move(name)) {}

  std::string_view type_name() const override { return name_; }

 private:
  std::string name_;
};

TEST(TypeRegistry, MakesSpecsByName) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register(MaskedTensorSpec({3}, DType::kInt32), MaskedTensorSpec::FromState).ok());
  const MaskedTensorSpec spec({3}, DType::kInt32);
  EXPECT_TRUE(types.Deserialize("test.MaskedTensor", spec.Serialize()).value()->Equals(spec));
  EXPECT_THAT(types.names(), ElementsAre("test.MaskedTensor"));
  const absl::Status unknown = types.Deserialize("test.Unknown", {}).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("only {test.MaskedTensor}"));
}

TEST(TypeRegistry, NamesAndTypesAreOneToOne) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register(MaskedTensorSpec({3}, DType::kInt32), MaskedTensorSpec::FromState).ok());
  EXPECT_TRUE(types.Register(MaskedTensorSpec({4}, DType::kInt32), MaskedTensorSpec::FromState).ok());
  EXPECT_THAT(std::string(types.Register(OtherSpec("test.MaskedTensor"), OtherSpec::FromState).message()),
              HasSubstr("another type is already registered as test.MaskedTensor"));
  ASSERT_TRUE(types.Register(OtherSpec("test.First"), OtherSpec::FromState).ok());
  EXPECT_THAT(std::string(types.Register(OtherSpec("test.Second"), OtherSpec::FromState).message()),
              HasSubstr("the type is registered as test.First and cannot be test.Second too"));
  EXPECT_EQ(types.Register(OtherSpec("no name"), OtherSpec::FromState).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(types.Register(OtherSpec(""), OtherSpec::FromState).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(types.Register(OtherSpec("test.Third"), {}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(TypeRegistry, ATypeIsRegisteredByTheNameThatFilesHave) {
  TypeRegistry types;
  const OtherSpec spec("test.Other");
  ASSERT_TRUE(types.Register(spec, OtherSpec::FromState).ok());
  EXPECT_THAT(types.names(), ElementsAre(spec.type_name()));
}

TEST(TypeRegistry, NamesOfTypesThatAreMadeAtRunTimeAreUniqueToo) {
  TypeRegistry types;
  const auto deserializer = [](const Nest<StaticState>& state) { return OtherSpec::FromState(state); };
  ASSERT_TRUE(types.RegisterName("test.First", deserializer).ok());
  ASSERT_TRUE(types.RegisterName("test.Second", deserializer).ok());
  EXPECT_THAT(types.names(), ElementsAre("test.First", "test.Second"));
  EXPECT_EQ(types.RegisterName("test.First", deserializer).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(types.Register(OtherSpec("test.First"), OtherSpec::FromState).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(types.RegisterName("structtensor.ExtensionRows", deserializer).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(types.RegisterName("no name", deserializer).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(types.RegisterName("test.Third", {}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(TypeRegistry, ASpecMustHaveTheNameItIsReadBy) {
  TypeRegistry types;
  // The deserializer makes specs of a type that is called otherwise.
  ASSERT_TRUE(types.Register(OtherSpec("test.Other"), OtherSpec::FromState).ok());
  EXPECT_FALSE(types.Deserialize("test.Other", MaskedTensorSpec({3}, DType::kInt32).Serialize()).ok());
}

}  // namespace
}  // namespace structtensor
