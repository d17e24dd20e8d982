// max_memory_bytes bounds what a batch really takes, and a larger limit holds more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "heap_meter.h"
#include "structtensor/core/decode/decoder.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr size_t kKibi = size_t{1} << 10;
constexpr size_t kMebi = size_t{1} << 20;

struct Shape {
  const char* name;
  const plan::MessagePlan* plan;
  std::string (*message)(size_t size);  // a message of about `size` bytes
};

std::string Repeat(std::string_view piece, size_t size_bytes) {
  std::string out;
  while (out.size() < size_bytes) out += piece;
  return out;
}

// Map entries with keys in no order, so that they are looked up. All have the same size, so each message is the beginning of a
// longer one. They are kept, because making them takes longer than decoding them.
std::string MapMessage(size_t size_bytes) {
  const auto entry = [](uint64_t i) {
    return LenField(20, LenField(1, std::to_string(1000000 + i * 7919 % 1000003)) + LenField(2, "v"));
  };
  static const size_t entry_bytes = entry(0).size();
  static std::string entries;
  while (entries.size() < size_bytes) entries += entry(entries.size() / entry_bytes);
  return entries.substr(0, (size_bytes + entry_bytes - 1) / entry_bytes * entry_bytes);
}
// The same keys over and over.
std::string RepeatedKeysMessage(size_t size_bytes) {
  return Repeat(LenField(20, LenField(1, "key") + LenField(2, "v")), size_bytes);
}

const Shape kShapes[] = {
    {"Text", &ImplicitColumns::plan(), [](size_t size) { return LenField(15, std::string(size, 'x')); }},
    {"Packed", &UnpackedColumns::plan(), [](size_t size) { return LenField(13, std::string(size / 8, '\1')); }},
    {"PackedInPieces", &UnpackedColumns::plan(),
     [](size_t size) { return Repeat(LenField(13, std::string(1000, '\1')), size / 8); }},
    {"Elements", &TreeColumns::plan(), [](size_t size) { return Repeat(LenField(4, VarintField(1, 7)), size); }},
    {"MapKeys", &MapsColumns::plan(), MapMessage},
    {"RepeatedKeys", &MapsColumns::plan(), RepeatedKeysMessage},
};

class MemoryLimitTest : public ::testing::TestWithParam<Shape> {
 protected:
  struct Outcome {
    bool ok;
    size_t peak_bytes;
  };
  Outcome DecodeOne(size_t limit_bytes, size_t message_bytes) const {
    const std::string message = GetParam().message(message_bytes);
    const std::string_view messages[] = {message};
    const HeapMeter heap;
    // Otherwise it depends on the message's place in its page whether there is a copy.
    const DecodeOptions options = {.max_memory_bytes = limit_bytes, .copy_messages = true};
    BatchDecoder decoder = *BatchDecoder::Create(*GetParam().plan, options);
    const bool ok = decoder.Decode(messages).ok();
    return {ok, heap.peak_bytes()};
  }
};

// Under a sanitizer the heap is not measured, and all takes ten times as long: small limits do.
#ifdef STRUCTTENSOR_SANITIZED_TESTS
constexpr size_t kLargestLimit = 256 * kKibi;
#else
constexpr size_t kLargestLimit = 40 * kMebi;
#endif

TEST_P(MemoryLimitTest, BoundsWhatIsUsed) {
  for (const size_t limit : {64 * kKibi, 128 * kKibi, 300 * kKibi, kMebi, 5 * kMebi, 16 * kMebi, 40 * kMebi}) {
    if (limit > kLargestLimit) break;
    for (const size_t percent : {1u, 5u, 10u, 20u, 40u, 60u, 90u, 200u}) {
      const Outcome outcome = DecodeOne(limit, limit / 100 * percent);
      ASSERT_LE(outcome.peak_bytes, limit + limit / 10 + 256 * kKibi) << "limit " << limit << ", " << percent << " %";
    }
  }
}

// The largest message that fits grows with the limit.
TEST_P(MemoryLimitTest, ALargerLimitHoldsMore) {
  size_t held_before = 0;
  for (size_t limit = 32 * kKibi; limit <= std::min(4 * kMebi, kLargestLimit); limit *= 2) {
    size_t held = 0;
    for (size_t size = limit / 512; size <= limit; size += size / 4 + 1) {
      if (!DecodeOne(limit, size).ok) break;
      held = size;
    }
    // A type with many fields needs some memory for any message.
    EXPECT_TRUE(held > held_before || (held == 0 && limit <= 64 * kKibi)) << limit << " holds " << held << " bytes";
    held_before = held;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MemoryLimitTest, ::testing::ValuesIn(kShapes),
                         [](const auto& info) { return std::string(info.param.name); });

// A decoder that met one huge batch does not keep its memory for ever.
TEST(DecoderMemoryTest, ShrinksWhenBatchesStaySmall) {
  const HeapMeter heap;
  UnpackedDecoder decoder;
  ASSERT_TRUE(decoder.Decode(std::vector<std::string>{LenField(13, std::string(8 * kMebi, '\1'))}).ok());
  const std::vector<std::string> small = {LenField(13, "\1\2\3")};
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(decoder.Decode(small).ok());
  EXPECT_LE(heap.live_bytes(), kMebi);
}

// After many batches were alive at the same time, the decoder keeps no more trees than later batches need.
TEST(DecoderMemoryTest, KeepsNoMoreTreesThanAreInUse) {
  const HeapMeter heap;
  UnpackedDecoder decoder;
  const std::vector<std::string> messages = {LenField(13, std::string(100000, '\1'))};
  {
    std::vector<UnpackedBatch> alive;
    for (int i = 0; i < 20; ++i) alive.push_back(*decoder.Decode(messages));
  }
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(decoder.Decode(messages).ok());
  EXPECT_LE(heap.live_bytes(), 4 * kMebi);
}

}  // namespace
}  // namespace structtensor::testing
