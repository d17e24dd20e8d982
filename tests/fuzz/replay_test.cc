// Runs the checks of the fuzzers without libFuzzer, on the inputs in the tree, on the cases, and on random changes of both. In
// builds without sanitizers, messages are decoded in place, just before a page that cannot be accessed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "arrow_input.h"
#include "column_files_check.h"
#include "column_files_mutator.h"
#include "decode_check.h"
#include "decode_input.h"
#include "decode_mutator.h"
#include "json_check.h"
#include "message_types.h"
#include "records_check.h"
#include "records_mutator.h"
#include "rewrite.h"
#include "seeds.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::testing {
namespace {

#ifdef STRUCTTENSOR_SANITIZED
constexpr size_t kDistances = 1;  // all messages are decoded from copies
#else
// Messages nearer than the slack to the end of a page are decoded from a copy, the others where they are.
constexpr size_t kDistances = wire_internal::kReadableSlackBytes + 17;
#endif
constexpr size_t kMaxInputBytes = 4096;

std::vector<Seed> Corpus(const std::string& target) {
  std::vector<Seed> corpus;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STRUCTTENSOR_CORPUS_DIR) + "/" + target)) {
    std::ifstream in(entry.path(), std::ios::binary);
    corpus.push_back(
        {entry.path().filename(), std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>())});
  }
  std::sort(corpus.begin(), corpus.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return corpus;
}

std::string MutatePlainly(Random& random, std::string bytes, size_t max_size) {
  bytes = Corrupt(random, bytes);
  if (bytes.size() > max_size) bytes.resize(max_size);
  return bytes;
}

class DecodeReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<std::vector<Seed>> seeds = DecodeSeeds();
    ASSERT_TRUE(seeds.ok()) << seeds.status();
    inputs_ = *seeds;
    const std::vector<Seed> corpus = Corpus("decode");
    ASSERT_FALSE(corpus.empty());
    inputs_.insert(inputs_.end(), corpus.begin(), corpus.end());
  }

  OracleSchema schema_{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  DecodeChecker checker_{schema_};
  std::vector<Seed> inputs_;
};

TEST(ArrowReplayTest, ChangedInputs) {
  Random random(20);
  for (const Seed& seed : ArrowSeeds()) {
    EXPECT_EQ(CheckArrow(seed.bytes), "") << seed.name;
    for (int i = 0; i < 100; ++i) ASSERT_EQ(CheckArrow(MutatePlainly(random, seed.bytes, kMaxInputBytes)), "") << seed.name;
  }
}

class ColumnFilesReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<std::vector<Seed>> seeds = ColumnFilesSeeds();
    ASSERT_TRUE(seeds.ok()) << seeds.status();
    inputs_ = *seeds;
    const std::vector<Seed> corpus = Corpus("column_files");
    ASSERT_FALSE(corpus.empty());
    inputs_.insert(inputs_.end(), corpus.begin(), corpus.end());
  }

  std::vector<Seed> inputs_;
};

TEST_F(ColumnFilesReplayTest, Inputs) {
  const absl::StatusOr<std::vector<Seed>> seeds = ColumnFilesSeeds();
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  for (const Seed& seed : *seeds) EXPECT_TRUE(ReadsWhole(seed.bytes)) << seed.name;
  for (const Seed& input : inputs_) EXPECT_EQ(CheckColumnFile(input.bytes), "") << input.name;
}

TEST_F(ColumnFilesReplayTest, CutOffInputs) {
  for (const Seed& input : inputs_) {
    for (size_t size = 0; size < input.bytes.size(); size += 1 + size / 20) {
      EXPECT_EQ(CheckColumnFile(input.bytes.substr(0, size)), "") << input.name << " cut off at " << size;
    }
  }
}

TEST_F(ColumnFilesReplayTest, ChangedInputs) {
  Random random(22);
  size_t checked = 0;
  size_t whole = 0;
  for (const Seed& input : inputs_) {
    const bool was_whole = ReadsWhole(input.bytes);
    for (int change = 0; change < 40; ++change) {
      const std::string bytes = MutateColumnFile(random, input.bytes, kMaxInputBytes, MutatePlainly);
      ASSERT_LE(bytes.size(), kMaxInputBytes);
      ASSERT_EQ(CheckColumnFile(bytes), "") << input.name << " after change " << change << " with seed 22";
      checked += was_whole;
      whole += was_whole && ReadsWhole(bytes);
    }
  }
  // Changes that break everything, or nothing, would find little.
  EXPECT_GT(whole, checked / 10);
  EXPECT_LT(whole, checked - checked / 10);
}

TEST(JsonReplayTest, ChangedInputs) {
  const absl::StatusOr<std::vector<Seed>> seeds = JsonSeeds();
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  ASSERT_GT(seeds->size(), 50u);
  OracleSchema schema{STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET};
  JsonChecker checker(schema);
  Random random(19);
  for (const Seed& seed : *seeds) {
    EXPECT_EQ(checker.Check(seed.bytes), "") << seed.name;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(checker.Check(MutatePlainly(random, seed.bytes, kMaxInputBytes)), "") << seed.name;
  }
}

TEST_F(DecodeReplayTest, Inputs) {
  // All inputs are decoded just before the end of a page and on both sides of the distance below which messages are copied. At
  // each other distance, some inputs are: all of them at all distances would take a minute.
  constexpr size_t kStep = 6;
  for (const Seed& input : inputs_) {
    std::vector<size_t> distances = {0};
    if (kDistances > 1) {
      distances.insert(distances.end(), {wire_internal::kReadableSlackBytes - 1, wire_internal::kReadableSlackBytes});
    }
    for (size_t distance = 1 + input.bytes.size() % kStep; distance < kDistances; distance += kStep) {
      distances.push_back(distance);
    }
    EXPECT_EQ(checker_.Check(ParseDecodeInput(input.bytes), distances), "") << input.name;
  }
}

TEST_F(DecodeReplayTest, ChangedInputs) {
  Random random(17);
  DecodeMutator mutator(schema_, MutatePlainly);
  size_t messages = 0;
  size_t accepted = 0;
  for (const Seed& input : inputs_) {
    std::string bytes = input.bytes;
    for (int change = 0; change < 40; ++change) {
      bytes = Chance(random, 0.1)
                  ? mutator.CrossOver(random, bytes, inputs_[Pick(random, inputs_.size())].bytes, kMaxInputBytes)
                  : mutator.Mutate(random, bytes, kMaxInputBytes);
      ASSERT_LE(bytes.size(), kMaxInputBytes);
      const DecodeInput changed = ParseDecodeInput(bytes);
      const size_t distances[] = {wire_internal::kReadableSlackBytes, Pick(random, 2 * wire_internal::kReadableSlackBytes)};
      ASSERT_EQ(checker_.Check(changed, distances), "") << input.name << " after change " << change << " with seed 17";
      const auto* type = schema_.Find(std::string(MessageTypes()[changed.type].plan()->full_name));
      for (const ParsedMessage& message :
           ParseAll(schema_, type, std::vector<std::string_view>(changed.messages.begin(), changed.messages.end()))) {
        ++messages;
        accepted += message.accepted;
      }
    }
  }
  // Changes that break everything, or nothing, would find little.
  EXPECT_GT(accepted, messages / 4);
  EXPECT_LT(accepted, messages - messages / 10);
}

TEST(DecodeInputTest, SerializeAndParse) {
  DecodeInput input;
  input.type = 3;
  input.options = 5;
  input.messages = {"", std::string(300, 'x'), "abc"};
  const std::string bytes = SerializeDecodeInput(input);
  const DecodeInput parsed = ParseDecodeInput(bytes);
  EXPECT_EQ(parsed.type, 3u);
  EXPECT_EQ(parsed.options, 5);
  EXPECT_EQ(parsed.messages, input.messages);
  for (size_t size = 0; size < bytes.size(); ++size) ParseDecodeInput(std::string_view(bytes).substr(0, size));
}

class RecordsReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    inputs_ = RecordsSeeds();
    const std::vector<Seed> corpus = Corpus("records");
    ASSERT_FALSE(corpus.empty());
    inputs_.insert(inputs_.end(), corpus.begin(), corpus.end());
  }

  std::vector<Seed> inputs_;
};

TEST_F(RecordsReplayTest, Inputs) {
  for (const Seed& input : inputs_) EXPECT_EQ(CheckRecords(ParseRecordsInput(input.bytes)), "") << input.name;
}

TEST_F(RecordsReplayTest, CutOffInputs) {
  for (const Seed& input : inputs_) {
    for (size_t size = 0; size < std::min<size_t>(input.bytes.size(), 300); ++size) {
      EXPECT_EQ(CheckRecords(ParseRecordsInput(input.bytes.substr(0, size))), "") << input.name << " cut off at " << size;
    }
  }
}

TEST_F(RecordsReplayTest, ChangedInputs) {
  Random random(18);
  for (const Seed& input : inputs_) {
    std::string bytes = input.bytes;
    for (int change = 0; change < 100; ++change) {
      bytes = MutateRecords(random, bytes, kMaxInputBytes, MutatePlainly);
      ASSERT_LE(bytes.size(), kMaxInputBytes);
      ASSERT_EQ(CheckRecords(ParseRecordsInput(bytes)), "") << input.name << " after change " << change << " with seed 18";
    }
  }
}

}  // namespace
}  // namespace structtensor::testing
