// What the headers promise of threads: a batch may be read in several at once, decoders in different threads do not disturb
// each other, and a batch may die in any thread, also after its decoder. The thread sanitizer (preset `tsan`) sees what breaks
// a promise.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::testing {
namespace {

constexpr int kThreads = 6;
constexpr int kBatches = 12;

void InThreads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

void Mix(uint64_t& hash, const void* bytes, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; ++i) hash = (hash ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
}

// A number that depends on every value of every column.
void MixNode(uint64_t& hash, const NodeView& node) {
  if (!node.touched()) return;
  for (size_t i = 0; i < node.plan().fields.size(); ++i) {
    const ColumnView column = node.column(i);
    Mix(hash, &column.nvals, sizeof(column.nvals));
    Mix(hash, column.validity, column.validity == nullptr ? 0 : (column.nrows + 7) / 8);
    if (column.row_splits != nullptr) Mix(hash, column.row_splits, (column.nrows + 1) * sizeof(int64_t));
    if (column.is_text()) {
      for (uint32_t k = 0; k < column.size(); ++k) Mix(hash, column.text(k).data(), column.text(k).size());
    } else if (column.values != nullptr) {
      Mix(hash, column.values, column.size() * plan::ElementSizeBytes(column.field->element));
    }
    if (column.field->element == plan::Element::kMessage && !column.opaque) MixNode(hash, node.child(i));
  }
}

uint64_t Fingerprint(const DecodedBatch& batch) {
  uint64_t hash = 0xcbf29ce484222325;
  MixNode(hash, batch.root());
  return hash;
}

class ThreadsTest : public ::testing::Test {
 protected:
  ThreadsTest() {
    OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
    Random random(5);
    FillOptions fill;
    fill.depth = 3;
    fill.probability = 0.2;
    for (int i = 0; i < 20; ++i) {
      const auto message = schema.New(schema.Find(std::string(plan_.full_name)));
      Fill(random, fill, message.get());
      bytes_.push_back(message->SerializePartialAsString());
    }
    messages_.assign(bytes_.begin(), bytes_.end());
    options_.recursion_depth = 1;
    options_.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  }

  DecodedBatch Decode(BatchDecoder& decoder) const {
    absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages_);
    EXPECT_TRUE(batch.ok()) << batch.status();
    return *std::move(batch);
  }

  const plan::MessagePlan& plan_ = *FindMessageType("Everything")->plan();
  DecodeOptions options_;
  std::vector<std::string> bytes_;
  std::vector<std::string_view> messages_;
};

TEST_F(ThreadsTest, ManyReadOneBatch) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  const DecodedBatch batch = Decode(decoder);
  const uint64_t expected = Fingerprint(batch);
  InThreads([&](int) { EXPECT_EQ(Fingerprint(DecodedBatch(batch)), expected); });
}

TEST_F(ThreadsTest, ManyEncodeOneBatch) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  const DecodedBatch batch = Decode(decoder);
  InThreads([&](int) {
    const absl::StatusOr<EncodedBatch> encoded = BatchEncoder(plan_).Encode(batch.tree());
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    EXPECT_EQ(encoded->size(), messages_.size());
  });
}

// Whatever a tensor computes on first use is asked for by all at once.
TEST_F(ThreadsTest, ManyReadOneTensor) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable}) {
    // Timestamps as they are: random ones do not fit in nanoseconds.
    const absl::StatusOr<StructuredTensor> made =
        ToStructuredTensor(Decode(decoder), {.optionals = optionals, .well_known_types = WellKnownTypes::kStructs});
    ASSERT_TRUE(made.ok()) << made.status();
    const StructuredTensor& tensor = *made;
    std::vector<std::string> strings(kThreads);
    InThreads([&](int thread) {
      const StructuredTensor copy = tensor;
      for (int64_t row = 0; row < copy.nrows(); ++row) AppendJson(copy, row, strings[static_cast<size_t>(thread)]);
    });
    for (const std::string& text : strings) EXPECT_EQ(text, strings[0]);
  }
}

// They share what the decoder keeps for each form of tensor.
TEST_F(ThreadsTest, ManyMakeTensorsOfOneBatch) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  const DecodedBatch batch = Decode(decoder);
  InThreads([&](int thread) {
    for (int i = 0; i < kBatches; ++i) {
      const Enums enums = (thread + i) % 2 == 0 ? Enums::kNumbers : Enums::kNames;
      const absl::StatusOr<StructuredTensor> tensor =
          ToStructuredTensor(batch, {.well_known_types = WellKnownTypes::kStructs, .enums = enums});
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      EXPECT_EQ(tensor->nrows(), batch.nrows());
    }
  });
}

TEST_F(ThreadsTest, DecodersDoNotDisturbEachOther) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  const uint64_t expected = Fingerprint(Decode(decoder));
  InThreads([&](int) {
    BatchDecoder own = *BatchDecoder::Create(plan_, options_);
    for (int i = 0; i < kBatches; ++i) EXPECT_EQ(Fingerprint(Decode(own)), expected);
  });
}

// Batches on their way from the thread that decodes to those that read and drop them.
class BatchQueue {
 public:
  void Push(DecodedBatch batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    changed_.notify_one();
  }
  DecodedBatch Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batches_.empty(); });
    DecodedBatch batch = std::move(batches_.front());
    batches_.pop_front();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<DecodedBatch> batches_;
};

TEST_F(ThreadsTest, BatchesDieInOtherThreads) {
  BatchQueue queue;
  std::atomic<uint64_t> expected = 0;
  std::thread producer([&] {
    BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
    expected = Fingerprint(Decode(decoder));
    for (int i = 0; i < kThreads * kBatches; ++i) queue.Push(Decode(decoder));
    // The decoder dies here, with batches of its own still in the queue.
  });
  InThreads([&](int) {
    for (int i = 0; i < kBatches; ++i) EXPECT_EQ(Fingerprint(queue.Pop()), expected);
  });
  producer.join();
}

// The last of many owners gives the memory back, whichever that is, while the decoder takes memory for the next batch.
TEST_F(ThreadsTest, CopiesOfOneBatchDieInManyThreads) {
  BatchDecoder decoder = *BatchDecoder::Create(plan_, options_);
  for (int i = 0; i < kBatches; ++i) {
    DecodedBatch batch = Decode(decoder);
    const uint64_t expected = Fingerprint(batch);
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k) {
      threads.emplace_back([copy = batch, expected] { EXPECT_EQ(Fingerprint(copy), expected); });
    }
    batch = Decode(decoder);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Fingerprint(batch), expected);
  }
}

}  // namespace
}  // namespace structtensor::testing
