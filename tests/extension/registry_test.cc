#include "structtensor/extension/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masked_tensor_testutil.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OtherSpec : public MaskedTensorSpec {
 public:
  using MaskedTensorSpec::MaskedTensorSpec;
};

TEST(TypeRegistry, MakesSpecsByName) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register<MaskedTensorSpec>("test.MaskedTensor", MaskedTensorSpec::FromState).ok());
  const MaskedTensorSpec spec({3}, DType::kInt32);
  EXPECT_TRUE(types.Deserialize("test.MaskedTensor", spec.Serialize()).value()->Equals(spec));
  EXPECT_THAT(types.names(), ElementsAre("test.MaskedTensor"));
  const absl::Status unknown = types.Deserialize("test.Unknown", {}).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("known are {test.MaskedTensor}"));
}

TEST(TypeRegistry, NamesAndTypesAreOneToOne) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register<MaskedTensorSpec>("test.MaskedTensor", MaskedTensorSpec::FromState).ok());
  EXPECT_TRUE(types.Register<MaskedTensorSpec>("test.MaskedTensor", MaskedTensorSpec::FromState).ok());
  EXPECT_THAT(std::string(types.Register<OtherSpec>("test.MaskedTensor", OtherSpec::FromState).message()),
              HasSubstr("another type is registered as test.MaskedTensor"));
  EXPECT_THAT(std::string(types.Register<MaskedTensorSpec>("test.Second", MaskedTensorSpec::FromState).message()),
              HasSubstr("the type is registered as test.MaskedTensor and cannot be test.Second too"));
  EXPECT_EQ(types.Register<OtherSpec>("no name", OtherSpec::FromState).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(types.Register<OtherSpec>("", OtherSpec::FromState).code(), absl::StatusCode::kInvalidArgument);
}

TEST(TypeRegistry, ASpecMustHaveTheNameItIsReadBy) {
  TypeRegistry types;
  ASSERT_TRUE(types.Register<MaskedTensorSpec>("test.Renamed", MaskedTensorSpec::FromState).ok());
  EXPECT_FALSE(types.Deserialize("test.Renamed", MaskedTensorSpec({3}, DType::kInt32).Serialize()).ok());
}

}  // namespace
}  // namespace structtensor
