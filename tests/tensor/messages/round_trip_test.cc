// Messages to columns to tensors, and back: byte for byte what BatchEncoder makes of the same columns, whose round trips
// tests/oracle compares with libprotobuf.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor::testing {
namespace {

DecodeOptions Keeping(int recursion_depth = 0) {
  DecodeOptions options;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  options.on_error = DecodeOptions::OnError::kSkip;  // what lacks a required field: tensors do not show that it is absent
  options.recursion_depth = recursion_depth;
  return options;
}

TensorOptions Options(Optionals optionals, WellKnownTypes well_known_types, Enums enums = Enums::kNumbers) {
  return {.optionals = optionals, .well_known_types = well_known_types, .enums = enums};
}

// Returns the first difference, or "".
std::string Difference(const EncodedBatch& expected, const absl::StatusOr<EncodedBatch>& actual) {
  if (!actual.ok()) return actual.status().ToString();
  if (actual->size() != expected.size()) return "other number of messages";
  for (size_t i = 0; i < expected.size(); ++i) {
    if ((*actual)[i] != expected[i]) return "message " + std::to_string(i) + " differs";
  }
  return "";
}

std::vector<std::string> RandomMessages(OracleSchema& schema, const plan::MessagePlan& plan, Random& random, size_t count) {
  std::vector<std::string> bytes;
  for (size_t i = 0; i < count; ++i) {
    FillOptions fill;
    fill.extensions = &schema.pool();
    fill.depth = 3;
    fill.probability = i % 3 == 0 ? 0.05 : 0.25;
    const auto message = schema.New(schema.Find(std::string(plan.full_name)));
    Fill(random, fill, message.get());
    bytes.push_back(message->SerializePartialAsString());
    if (i % 5 == 0) bytes.back() += "\xba\xb9\xc5\xa9\x01\x03xyz";  // number 44444567, which no type has
  }
  return bytes;
}

class RandomRoundTripTest : public ::testing::TestWithParam<MessageType> {
 protected:
  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
};

TEST_P(RandomRoundTripTest, EqualsTheEncodedColumns) {
  const plan::MessagePlan& plan = *GetParam().plan();
  Random random(7);
  TensorEncoder encoder = *TensorEncoder::Create(plan);
  BatchEncoder batch_encoder(plan);
  for (const int recursion_depth : {0, 1}) {
    BatchDecoder decoder = *BatchDecoder::Create(plan, Keeping(recursion_depth));
    for (int round = 0; round < 4; ++round) {
      const std::vector<std::string> bytes = RandomMessages(schema_, plan, random, 60);
      const absl::StatusOr<DecodedBatch> batch = decoder.Decode(bytes);
      ASSERT_TRUE(batch.ok()) << batch.status();
      const absl::StatusOr<EncodedBatch> expected = batch_encoder.Encode(*batch);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable}) {
        for (const Enums enums : {Enums::kNumbers, Enums::kNames}) {
          const absl::StatusOr<StructuredTensor> rows =
              ToStructuredTensor(*batch, Options(optionals, WellKnownTypes::kStructs, enums));
          ASSERT_TRUE(rows.ok()) << rows.status();
          ASSERT_EQ(Difference(*expected, encoder.Encode(*rows)), "")
              << "optionals " << static_cast<int>(optionals) << ", recursion depth " << recursion_depth << ", enums "
              << static_cast<int>(enums);
        }
      }
    }
  }
}

// Tensors that share the memory of larger ones, or are put together from them in another order.
TEST_P(RandomRoundTripTest, EqualsTheEncodedColumnsOfChosenRows) {
  const plan::MessagePlan& plan = *GetParam().plan();
  Random random(11);
  TensorEncoder encoder = *TensorEncoder::Create(plan);
  BatchDecoder decoder = *BatchDecoder::Create(plan, Keeping());
  const std::vector<std::string> bytes = RandomMessages(schema_, plan, random, 80);
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(bytes);
  ASSERT_TRUE(batch.ok()) << batch.status();
  const absl::StatusOr<EncodedBatch> whole = BatchEncoder(plan).Encode(*batch);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_GE(whole->size(), 61u);
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable}) {
    const StructuredTensor rows = *ToStructuredTensor(*batch, Options(optionals, WellKnownTypes::kStructs));
    const absl::StatusOr<EncodedBatch> slice = encoder.Encode(rows.SliceRows(13, 61));
    ASSERT_TRUE(slice.ok()) << slice.status();
    ASSERT_EQ(slice->size(), 48u);
    for (size_t i = 0; i < slice->size(); ++i) ASSERT_EQ((*slice)[i], (*whole)[i + 13]) << "row " << i << " of a slice";

    std::vector<int64_t> chosen;
    for (int i = 0; i < 40; ++i) chosen.push_back(static_cast<int64_t>(Pick(random, whole->size())));
    const Value taken = *values_internal::TakeRowsChecked(Value(rows), chosen);
    const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(*taken.structured());
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    for (size_t i = 0; i < chosen.size(); ++i) {
      ASSERT_EQ((*encoded)[i], (*whole)[static_cast<size_t>(chosen[i])]) << "row " << i << " of chosen ones";
    }
  }
}

std::string TypeName(const ::testing::TestParamInfo<MessageType>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Types, RandomRoundTripTest, ::testing::ValuesIn(MessageTypes().begin(), MessageTypes().end()),
                         TypeName);

}  // namespace
}  // namespace structtensor::testing
