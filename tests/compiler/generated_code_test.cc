// Decoders of the golden schemas at work. That every kind of field is decoded rightly is shown by tests/oracle; here it is what
// only compiled code can show: extensions across files, defaults, and the accessors of fields with awkward names.
#include <cmath>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "naming.structtensor.h"
#include "naming_forwards.structtensor.h"
#include "naming_no_package.structtensor.h"
#include "proto2.structtensor.h"
#include "proto2_extensions.structtensor.h"

namespace structtensor {
namespace {

using namespace std::string_view_literals;
using ::testing::ElementsAre;
namespace naming = ::structtensor::golden::namespace_::std_;

// The batch of one message.
template <typename Batch, typename Decoder>
Batch Decode(Decoder& decoder, std::string_view message) {
  const std::string_view messages[] = {message};
  absl::StatusOr<Batch> batch = decoder.Decode(messages);
  if (!batch.ok()) ADD_FAILURE() << batch.status();
  return *std::move(batch);
}

TEST(GeneratedCodeTest, ExtensionsOfAnotherFileAreColumns) {
  golden::MeasurementDecoder decoder;
  const auto batch = Decode<golden::MeasurementBatch>(decoder,
                                                      "\x0a\x01s"                 // sensor: "s"
                                                      "\xa0\x06\x07"              // [room]: 7
                                                      "\xaa\x06\x03\x08\xe8\x0f"  // [calibration] { year: 2024 }
                                                      "\xb0\x06\x02\xb0\x06\x09"  // [kinds]: FIELD, and a number without a name
                                                      "\xb2\x06\x02\x01\x02"sv);  // [kinds], packed: FACTORY, FIELD
  EXPECT_THAT(batch.structtensor_golden_extensions_room(), ElementsAre(7));
  const auto calibration = batch.structtensor_golden_extensions_Calibration_calibration();
  EXPECT_TRUE(calibration.has(0));
  EXPECT_THAT(calibration.year(), ElementsAre(2024));
  EXPECT_THAT(batch.structtensor_golden_extensions_kinds().values(), ElementsAre(2, 1, 2));
}

TEST(GeneratedCodeTest, PlanKnowsDeclaredDefaults) {
  const plan::MessagePlan& measurement = golden::MeasurementColumns::plan();
  const auto default_of = [&](std::string_view name) { return measurement.FindByName(name)->default_value; };
  EXPECT_EQ(static_cast<int64_t>(default_of("value").bits), -7);
  EXPECT_EQ(default_of("unit").text, "a\"\\\001?\?/z");
  EXPECT_EQ(default_of("level").bits, 5u);
  EXPECT_EQ(std::bit_cast<double>(default_of("ratio").bits), -HUGE_VAL);
  EXPECT_EQ(default_of("serial").bits, ~uint64_t{0});
  EXPECT_FALSE(default_of("sensor").declared);
}

TEST(GeneratedCodeTest, FieldsWithAwkwardNamesAreRead) {
  naming::FooDecoder decoder;
  const auto batch = Decode<naming::FooBatch_>(decoder,
                                               "\x08\x01\x10\x02\x18\x03\x50\x04"   // class, class_, nrows, int32_t
                                               "\x58\x05\x58\x06\x62\x01s"          // uint64_t, std
                                               "\x7a\x04\x0a\x02\x0a\x00"           // structtensor_internal
                                               "\xd2\x01\x04\x0a\x02\x08\x07"       // no_package
                                               "\xc8\x01\x08"                       // NodeColumns
                                               "\x82\x02\x05\x0a\x01k\x12\x00"sv);  // map
  EXPECT_THAT(batch.class_(), ElementsAre(1));
  EXPECT_THAT(batch.class__(), ElementsAre(2));
  EXPECT_EQ(batch.nrows(), 1u);
  EXPECT_THAT(batch.nrows_(), ElementsAre(3));
  EXPECT_THAT(batch.int32_t_(), ElementsAre(4));
  EXPECT_THAT(batch.uint64_t_().values(), ElementsAre(5, 6));
  EXPECT_THAT(batch.std(), ElementsAre("s"));
  EXPECT_TRUE(batch.structtensor_internal().null().null().has(0));
  EXPECT_THAT(batch.no_package().nested().value(), ElementsAre(7));
  EXPECT_THAT(batch.NodeColumns(), ElementsAre(8));
  EXPECT_THAT(batch.which_case_(), ElementsAre(25));
  EXPECT_THAT(batch.map().key().values(), ElementsAre("k"));
}

}  // namespace
}  // namespace structtensor
