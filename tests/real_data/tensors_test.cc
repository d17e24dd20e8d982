// Real messages to tensors and back: byte for byte what BatchEncoder makes from the same columns. columns_test.cc compares
// BatchEncoder's messages with libprotobuf.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <span>
#include <string>

#include "real_data.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::testing {
namespace {

class TensorsTest : public RealDataTest {};

TEST_P(TensorsTest, EncodeLikeColumns) {
  DecodeOptions options;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  options.on_error = DecodeOptions::OnError::kSkip;  // tensors do not record that a required field is missing
  options.recursion_depth = 1;
  BatchDecoder decoder = *BatchDecoder::Create(plan(), options);
  BatchEncoder batch_encoder(plan());
  TensorEncoder tensor_encoder = *TensorEncoder::Create(plan());
  for (size_t begin = 0; begin < messages().size(); begin += 1000) {
    const auto batch = decoder.Decode(std::span(messages()).subspan(begin, std::min<size_t>(1000, messages().size() - begin)));
    ASSERT_TRUE(batch.ok()) << batch.status();
    const absl::StatusOr<EncodedBatch> expected = batch_encoder.Encode(*batch);
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable}) {
      for (const WellKnownTypes well_known_types : {WellKnownTypes::kStructs, WellKnownTypes::kNative}) {
        SCOPED_TRACE("batch from message " + std::to_string(begin) + ", optionals " +
                     std::to_string(static_cast<int>(optionals)) + ", well-known types " +
                     std::to_string(static_cast<int>(well_known_types)));
        const absl::StatusOr<StructuredTensor> rows =
            ToStructuredTensor(*batch, {.optionals = optionals, .well_known_types = well_known_types});
        ASSERT_TRUE(rows.ok()) << rows.status();
        const absl::StatusOr<EncodedBatch> actual = tensor_encoder.Encode(*rows);
        ASSERT_TRUE(actual.ok()) << actual.status();
        ASSERT_EQ(actual->size(), expected->size());
        for (size_t i = 0; i < expected->size(); ++i) ASSERT_EQ((*actual)[i], (*expected)[i]) << "message " << i;
      }
    }
  }
  std::cout << "compared: " << set().name() << ", " << messages().size() << " messages" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Sets, TensorsTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
