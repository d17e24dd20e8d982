// Our columns against libprotobuf, for all messages of each real data set.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle.h"
#include "real_data.h"

namespace structtensor::testing {
namespace {

class ColumnsTest : public RealDataTest {
 protected:
  void SetUp() override {
    RealDataTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    parsed_ = ParseAll(schema(), type(), messages());
  }

  // Decodes all messages in batches of `size` with one decoder; the batch before is kept until the next is compared.
  void CompareInBatchesOf(size_t size, int recursion_depth) {
    DecodeOptions options;
    options.on_error = DecodeOptions::OnError::kSkip;
    options.recursion_depth = recursion_depth;
    BatchDecoder decoder = *BatchDecoder::Create(plan(), options);
    DecodedBatch batch((decode_internal::TreeRef()));
    DecodedBatch before((decode_internal::TreeRef()));
    for (size_t begin = 0; begin < messages().size(); begin += size) {
      const size_t count = std::min(size, messages().size() - begin);
      before = batch;
      const std::string difference = DecodeAndCompare(schema(), std::span(parsed_).subspan(begin, count),
                                                      std::span(messages()).subspan(begin, count), decoder, &batch);
      ASSERT_EQ(difference, "") << "in the batch of " << count << " messages from " << begin;
    }
    std::cout << "compared: " << set().name() << ", " << messages().size() << " messages in batches of " << size << std::endl;
  }

  // Decodes and encodes all messages, and compares them with the originals.
  void RoundTripInBatchesOf(size_t size, int recursion_depth) {
    DecodeOptions options;
    options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
    options.recursion_depth = recursion_depth;
    BatchDecoder decoder = *BatchDecoder::Create(plan(), options);
    for (size_t begin = 0; begin < messages().size(); begin += size) {
      const size_t count = std::min(size, messages().size() - begin);
      const auto batch_messages = std::span(messages()).subspan(begin, count);
      const absl::StatusOr<DecodedBatch> batch = decoder.Decode(batch_messages);
      ASSERT_TRUE(batch.ok()) << batch.status();
      ASSERT_EQ(EncodeAndCompare(schema(), std::span(parsed_).subspan(begin, count), batch_messages, *batch), "");
    }
    std::cout << "round trip: " << set().name() << ", " << messages().size() << " of " << messages().size()
              << " messages equal, in batches of " << size << std::endl;
  }

  std::vector<ParsedMessage> parsed_;
};

TEST_P(ColumnsTest, BatchesOfOne) { CompareInBatchesOf(1, 0); }
TEST_P(ColumnsTest, BatchesOfSeven) { CompareInBatchesOf(7, 0); }
TEST_P(ColumnsTest, BatchesOfThousand) { CompareInBatchesOf(1000, 0); }
TEST_P(ColumnsTest, OneBatch) { CompareInBatchesOf(messages().size(), 0); }
TEST_P(ColumnsTest, RoundTrip) { RoundTripInBatchesOf(1000, 0); }
TEST_P(ColumnsTest, RoundTripFirstRecursionKeptAsBytes) { RoundTripInBatchesOf(7, 1); }
TEST_P(ColumnsTest, FirstRecursionKeptAsBytes) { CompareInBatchesOf(1000, 1); }

INSTANTIATE_TEST_SUITE_P(Sets, ColumnsTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
