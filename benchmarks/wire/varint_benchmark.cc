// The readers that every field goes through: ReadVarint, ReadLength and PeekTag. They read adjacent numbers, so
// the position of each number depends on the number before. Names are function/numbers. Items are numbers.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::wire_internal {
namespace {

// Enough numbers that no branch predictor learns the sequence of lengths.
constexpr size_t kNumbers = size_t{1} << 17;

struct Numbers {
  const char* name;
  unsigned low_bits;
  unsigned high_bits;
};

std::vector<uint8_t> MakeBytes(const Numbers& numbers) {
  std::mt19937_64 random(3);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < kNumbers; ++i) {
    const unsigned bits = numbers.low_bits + static_cast<unsigned>(random() % (numbers.high_bits - numbers.low_bits + 1));
    uint64_t value = random() >> (64 - bits) | uint64_t{1} << (bits - 1);
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value) | 0x80);
    bytes.push_back(static_cast<uint8_t>(value));
  }
  bytes.resize(bytes.size() + kReadableSlackBytes);
  return bytes;
}

// `step` returns the position after a number, and adds the number to `sum`.
template <typename Step>
void Register(const char* function, const Numbers& numbers, Step step) {
  const std::string name = std::string(function) + '/' + numbers.name;
  benchmark::RegisterBenchmark(name.c_str(), [numbers, step](benchmark::State& state) {
    const std::vector<uint8_t> bytes = MakeBytes(numbers);
    const uint8_t* const end = bytes.data() + bytes.size() - kReadableSlackBytes;
    for (auto _ : state) {
      uint64_t sum = 0;
      for (const uint8_t* p = bytes.data(); p < end;) {
        p = step(p, &sum);
        if (p == nullptr) {
          state.SkipWithError("malformed");
          break;
        }
      }
      benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kNumbers));
  });
}

}  // namespace
}  // namespace structtensor::wire_internal

int main(int argc, char** argv) {
  using namespace structtensor::wire_internal;
  const auto read_varint = [](const uint8_t* p, uint64_t* sum) {
    const Varint varint = ReadVarint(p);
    *sum += varint.value;
    return varint.next;
  };
  const auto read_length = [](const uint8_t* p, uint64_t* sum) {
    const Length length = ReadLength(p);
    *sum += length.size_bytes;
    return length.next;
  };
  const auto peek_tag = [](const uint8_t* p, uint64_t* sum) {
    uint32_t tag;
    const uint8_t* const next = PeekTag(p, &tag);
    *sum += tag;
    return next == nullptr ? nullptr : next + TagSizeBytes(tag);
  };
  for (const Numbers& numbers : {Numbers{"1_byte", 1, 7}, Numbers{"2_bytes", 8, 14}, Numbers{"1_or_2_bytes", 7, 8},
                                 Numbers{"1_to_5_bytes", 1, 31}, Numbers{"1_to_10_bytes", 1, 64}}) {
    Register("ReadVarint", numbers, read_varint);
    if (numbers.high_bits <= 31) Register("ReadLength", numbers, read_length);
    if (numbers.high_bits <= 31) Register("PeekTag", numbers, peek_tag);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
