// The step that turns presence words into rows and validity, and into values without gaps, by each kernel. Items are rows.
// Names are kernel/percent of the rows that have the value. Results are compared before anything is timed.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "structtensor/core/column/internal/presence.h"

namespace structtensor::column_internal {
namespace {

constexpr uint32_t kRows = 100'000;
constexpr uint64_t kMask = 1 << 5;

struct Columns {
  std::vector<uint64_t> words = std::vector<uint64_t>(kRows + kPresenceSlackBytes);
  std::vector<uint64_t> validity = std::vector<uint64_t>(kRows / 64 + 2);
  std::vector<uint32_t> rows = std::vector<uint32_t>(kRows + kPresenceSlackBytes);
  std::vector<uint32_t> values = std::vector<uint32_t>(kRows + kPresenceSlackBytes);
  std::vector<uint32_t> compact = std::vector<uint32_t>(kRows + kPresenceSlackBytes);
  uint32_t size = 0;

  explicit Columns(unsigned percent) {
    std::mt19937 random(3);
    for (uint32_t row = 0; row < kRows; ++row) {
      words[row] = random() % 100 < percent ? kMask : 0;
      values[row] = random();
    }
  }

  void Finish(const PresenceFunctions& functions) {
    size = functions.list_rows(words.data(), kMask, kRows, validity.data(), rows.data());
    functions.separate4(values.data(), validity.data(), kRows, compact.data());
  }
};

void Run(benchmark::State& state, const PresenceFunctions* functions, unsigned percent) {
  Columns columns(percent);
  for (auto _ : state) {
    columns.Finish(*functions);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kRows);
}

void Compare(const PresenceFunctions& functions, unsigned percent) {
  Columns expected(percent), found(percent);
  expected.Finish(kPortablePresence);
  found.Finish(functions);
  found.rows.resize(found.size);
  expected.rows.resize(expected.size);
  found.compact.resize(found.size);
  expected.compact.resize(expected.size);
  if (found.rows == expected.rows && found.compact == expected.compact && found.values == expected.values) return;
  std::fprintf(stderr, "the kernels disagree\n");
  std::exit(1);
}

}  // namespace
}  // namespace structtensor::column_internal

int main(int argc, char** argv) {
  using namespace structtensor;
  for (const unsigned percent : {1u, 33u, 90u}) {
    benchmark::RegisterBenchmark(("portable/" + std::to_string(percent)).c_str(), Run, &kPortablePresence, percent);
    if (Avx512Presence() == nullptr) continue;
    Compare(*Avx512Presence(), percent);
    benchmark::RegisterBenchmark(("avx512/" + std::to_string(percent)).c_str(), Run, Avx512Presence(), percent);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
