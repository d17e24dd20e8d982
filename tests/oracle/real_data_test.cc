// Every data set of STRUCTTENSOR_DATA (or, in demo_data_test, of the demo): our columns against libprotobuf, for all messages.
// A set that is not there is named as such and is never counted as compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "delimited_file.h"
#include "oracle.h"
#include "real_data_sets.h"

namespace structtensor::testing {
namespace {

std::filesystem::path DataRoot() {
  const char* root = std::getenv("STRUCTTENSOR_DATA");
  return root != nullptr ? root : STRUCTTENSOR_DATA_DEFAULT;
}

class RealDataTest : public ::testing::TestWithParam<size_t> {
 protected:
  static std::string NameOf(const RealDataSet& set) { return set.folder + "/" + set.file; }

  void SetUp() override {
    const RealDataSet& set = RealDataSets()[GetParam()];
    const std::filesystem::path folder = DataRoot() / set.folder;
    if (set.plan == nullptr || !std::filesystem::exists(folder / set.file)) {
      std::cout << "not there: " << NameOf(set) << std::endl;
      GTEST_SKIP() << "not there: " << NameOf(set);
    }
    schema_ = std::make_unique<OracleSchema>((folder / "descriptor_set.pb").string());
    bytes_ = ReadWholeFile((folder / set.file).string());
    messages_ = SplitDelimited(bytes_);
    ASSERT_FALSE(messages_.empty());
    parsed_ = ParseAll(*schema_, schema_->Find(std::string(set.plan->full_name)), messages_);
    plan_ = set.plan;
  }

  // Decodes all messages in batches of `size` with one decoder; the batch before is kept until the next is compared.
  void CompareInBatchesOf(size_t size, int recursion_depth) {
    DecodeOptions options;
    options.on_error = DecodeOptions::OnError::kSkip;
    options.recursion_depth = recursion_depth;
    BatchDecoder decoder = *BatchDecoder::Create(*plan_, options);
    DecodedBatch batch((decode_internal::TreeRef()));
    DecodedBatch before((decode_internal::TreeRef()));
    for (size_t begin = 0; begin < messages_.size(); begin += size) {
      const size_t count = std::min(size, messages_.size() - begin);
      before = batch;
      const std::string difference = DecodeAndCompare(*schema_, std::span(parsed_).subspan(begin, count),
                                                      std::span(messages_).subspan(begin, count), decoder, &batch);
      ASSERT_EQ(difference, "") << "in the batch of " << count << " messages from " << begin;
    }
    std::cout << "compared: " << NameOf(RealDataSets()[GetParam()]) << ", " << messages_.size() << " messages in batches of "
              << size << std::endl;
  }

  // Decodes and encodes all messages, and compares them with the originals.
  void RoundTripInBatchesOf(size_t size, int recursion_depth) {
    DecodeOptions options;
    options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
    options.recursion_depth = recursion_depth;
    BatchDecoder decoder = *BatchDecoder::Create(*plan_, options);
    for (size_t begin = 0; begin < messages_.size(); begin += size) {
      const size_t count = std::min(size, messages_.size() - begin);
      const auto messages = std::span(messages_).subspan(begin, count);
      const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
      ASSERT_TRUE(batch.ok()) << batch.status();
      ASSERT_EQ(EncodeAndCompare(*schema_, std::span(parsed_).subspan(begin, count), messages, *batch), "");
    }
    std::cout << "round trip: " << NameOf(RealDataSets()[GetParam()]) << ", " << messages_.size() << " of " << messages_.size()
              << " messages equal, in batches of " << size << std::endl;
  }

  std::unique_ptr<OracleSchema> schema_;
  std::string bytes_;
  std::vector<std::string_view> messages_;
  std::vector<ParsedMessage> parsed_;
  const plan::MessagePlan* plan_ = nullptr;
};

// Says what this run compared: a set that is not there proves nothing.
TEST(RealDataSetsTest, AreListed) {
  size_t there = 0;
  for (const RealDataSet& set : RealDataSets()) {
    const bool found = set.plan != nullptr && std::filesystem::exists(DataRoot() / set.folder / set.file);
    there += found;
    std::cout << (found ? "there: " : "not there: ") << (DataRoot() / set.folder / set.file).string() << std::endl;
  }
  std::cout << there << " of " << RealDataSets().size() << " sets of real data are there" << std::endl;
}

TEST_P(RealDataTest, BatchesOfOne) { CompareInBatchesOf(1, 0); }
TEST_P(RealDataTest, BatchesOfSeven) { CompareInBatchesOf(7, 0); }
TEST_P(RealDataTest, BatchesOfThousand) { CompareInBatchesOf(1000, 0); }
TEST_P(RealDataTest, OneBatch) { CompareInBatchesOf(messages_.size(), 0); }
TEST_P(RealDataTest, RoundTrip) { RoundTripInBatchesOf(1000, 0); }
TEST_P(RealDataTest, RoundTripFirstRecursionKeptAsBytes) { RoundTripInBatchesOf(7, 1); }
TEST_P(RealDataTest, FirstRecursionKeptAsBytes) { CompareInBatchesOf(1000, 1); }

INSTANTIATE_TEST_SUITE_P(Sets, RealDataTest, ::testing::Range(size_t{0}, RealDataSets().size()), [](const auto& info) {
  const RealDataSet& set = RealDataSets()[info.param];
  std::string name = std::filesystem::path(set.folder).filename().string() + "_" + set.file;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace structtensor::testing
