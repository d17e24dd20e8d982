// Messages of the real sets with bytes flipped, cut out, repeated or cut off at the end: our decoder refuses the messages that
// libprotobuf refuses, reads the others as libprotobuf does, and decodes the good messages between them correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "delimited_file.h"
#include "oracle.h"
#include "random_message.h"
#include "real_data_sets.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using OnError = DecodeOptions::OnError;

constexpr size_t kBatches = 12;
constexpr size_t kMostMessages = 60;         // of a batch
constexpr size_t kMostBatchBytes = 1 << 20;  // so that sets of large messages take no minutes

enum class Damage { kFlip, kCut, kRepeat, kTruncate };
constexpr Damage kDamages[] = {Damage::kFlip, Damage::kCut, Damage::kRepeat, Damage::kTruncate};

// Requires: `message` is not empty.
std::string Damaged(Random& random, Damage damage, std::string message) {
  const size_t position = Pick(random, message.size());
  const size_t run_bytes = std::min<size_t>(1 + Pick(random, 16), message.size() - position);
  switch (damage) {
    case Damage::kFlip:
      message[position] = static_cast<char>(message[position] ^ (1 << Pick(random, 8)));
      break;
    case Damage::kCut:
      message.erase(position, run_bytes);
      break;
    case Damage::kRepeat:
      message.insert(position, message.substr(position, run_bytes));
      break;
    case Damage::kTruncate:
      message.resize(position);
      break;
  }
  return message;
}

class CorruptionTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    const RealDataSet& set = RealDataSets()[GetParam()];
    const char* root = std::getenv("STRUCTTENSOR_DATA");
    const std::filesystem::path folder = std::filesystem::path(root != nullptr ? root : STRUCTTENSOR_DATA_DEFAULT) / set.folder;
    if (set.plan == nullptr || !std::filesystem::exists(folder / set.file)) {
      GTEST_SKIP() << "not there: " << set.folder << "/" << set.file;
    }
    schema_ = std::make_unique<OracleSchema>((folder / "descriptor_set.pb").string());
    bytes_ = ReadWholeFile((folder / set.file).string());
    messages_ = SplitDelimited(bytes_);
    ASSERT_FALSE(messages_.empty());
    plan_ = set.plan;
    type_ = schema_->Find(std::string(set.plan->full_name));
  }

  // Messages of the set in their order, round and round from a random one on; about every third is damaged.
  std::vector<std::string> DamagedBatch(Random& random, Damage damage) const {
    std::vector<std::string> batch;
    size_t batch_bytes = 0;
    const size_t first = Pick(random, messages_.size());
    for (size_t i = first; batch.size() < kMostMessages && batch_bytes < kMostBatchBytes; ++i) {
      std::string message(messages_[i % messages_.size()]);
      if (!message.empty() && Chance(random, 0.35)) message = Damaged(random, damage, std::move(message));
      batch_bytes += message.size();
      batch.push_back(std::move(message));
    }
    return batch;
  }

  // The rows of kNull: those of the messages that libprotobuf accepts, and empty ones.
  std::string DifferenceOfNullRows(const std::vector<ParsedMessage>& parsed, std::span<const std::string_view> messages) {
    const std::unique_ptr<pb::Message> empty = schema_->New(type_);
    std::vector<const pb::Message*> rows;
    for (const ParsedMessage& message : parsed) rows.push_back(message.accepted ? message.message.get() : empty.get());
    const absl::StatusOr<DecodedBatch> batch = BatchDecoder::Create(*plan_, {.on_error = OnError::kNull})->Decode(messages);
    return batch.ok() ? Difference(*schema_, rows, *batch) : batch.status().ToString();
  }

  std::unique_ptr<OracleSchema> schema_;
  std::string bytes_;
  std::vector<std::string_view> messages_;
  const plan::MessagePlan* plan_ = nullptr;
  const pb::Descriptor* type_ = nullptr;
};

TEST_P(CorruptionTest, SurvivorsAreThoseOfLibprotobufAndUnharmed) {
  BatchDecoder decoder = *BatchDecoder::Create(*plan_, {.on_error = OnError::kSkip});
  size_t survived = 0;
  size_t refused = 0;
  for (const Damage damage : kDamages) {
    for (size_t seed = 0; seed < kBatches; ++seed) {
      SCOPED_TRACE("damage " + std::to_string(static_cast<int>(damage)) + ", seed " + std::to_string(seed));
      Random random(seed);
      const std::vector<std::string> batch = DamagedBatch(random, damage);
      const std::vector<std::string_view> messages(batch.begin(), batch.end());
      const std::vector<ParsedMessage> parsed = ParseAll(*schema_, type_, messages);
      ASSERT_EQ(DecodeAndCompare(*schema_, parsed, messages, decoder), "");
      ASSERT_EQ(DifferenceOfNullRows(parsed, messages), "");
      const auto accepted =
          static_cast<size_t>(std::count_if(parsed.begin(), parsed.end(), [](const ParsedMessage& m) { return m.accepted; }));
      survived += accepted;
      refused += parsed.size() - accepted;
    }
  }
  std::cout << RealDataSets()[GetParam()].folder << ": " << survived << " messages survived, " << refused << " were refused"
            << std::endl;
  EXPECT_GT(survived, 0u);
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sets, CorruptionTest, ::testing::Range(size_t{0}, RealDataSets().size()), [](const auto& info) {
  const RealDataSet& set = RealDataSets()[info.param];
  std::string name = std::filesystem::path(set.folder).filename().string() + "_" + set.file;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace structtensor::testing
