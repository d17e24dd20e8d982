// Messages of the real sets with bytes flipped, cut out, repeated or cut off at the end: our decoder refuses the messages that
// libprotobuf refuses, reads the others as libprotobuf does, and decodes the good messages between them correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle.h"
#include "random_message.h"
#include "real_data.h"

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

class CorruptionTest : public RealDataTest {
 protected:
  // Messages of the set in their order, round and round from a random one on; about every third is damaged.
  std::vector<std::string> DamagedBatch(Random& random, Damage damage) const {
    std::vector<std::string> batch;
    size_t batch_bytes = 0;
    const size_t first = Pick(random, messages().size());
    for (size_t i = first; batch.size() < kMostMessages && batch_bytes < kMostBatchBytes; ++i) {
      std::string message(messages()[i % messages().size()]);
      if (!message.empty() && Chance(random, 0.35)) message = Damaged(random, damage, std::move(message));
      batch_bytes += message.size();
      batch.push_back(std::move(message));
    }
    return batch;
  }

  // The rows of kNull: those of the messages that libprotobuf accepts, and empty ones.
  std::string DifferenceOfNullRows(const std::vector<ParsedMessage>& parsed, std::span<const std::string_view> messages) {
    const std::unique_ptr<pb::Message> empty = schema().New(type());
    std::vector<const pb::Message*> rows;
    for (const ParsedMessage& message : parsed) rows.push_back(message.accepted ? message.message.get() : empty.get());
    const absl::StatusOr<DecodedBatch> batch = BatchDecoder::Create(plan(), {.on_error = OnError::kNull})->Decode(messages);
    return batch.ok() ? Difference(schema(), rows, *batch) : batch.status().ToString();
  }
};

TEST_P(CorruptionTest, SurvivorsAreThoseOfLibprotobufAndUnharmed) {
  BatchDecoder decoder = *BatchDecoder::Create(plan(), {.on_error = OnError::kSkip});
  size_t survived = 0;
  size_t refused = 0;
  for (const Damage damage : kDamages) {
    for (size_t seed = 0; seed < kBatches; ++seed) {
      SCOPED_TRACE("damage " + std::to_string(static_cast<int>(damage)) + ", seed " + std::to_string(seed));
      Random random(seed);
      const std::vector<std::string> batch = DamagedBatch(random, damage);
      const std::vector<std::string_view> messages(batch.begin(), batch.end());
      const std::vector<ParsedMessage> parsed = ParseAll(schema(), type(), messages);
      ASSERT_EQ(DecodeAndCompare(schema(), parsed, messages, decoder), "");
      ASSERT_EQ(DifferenceOfNullRows(parsed, messages), "");
      const auto accepted =
          static_cast<size_t>(std::count_if(parsed.begin(), parsed.end(), [](const ParsedMessage& m) { return m.accepted; }));
      survived += accepted;
      refused += parsed.size() - accepted;
    }
  }
  std::cout << set().name() << ": " << survived << " messages survived, " << refused << " were refused" << std::endl;
  EXPECT_GT(survived, 0u);
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sets, CorruptionTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
