// Packed runs: compares each kernel with a plain loop of ReadVarint on the same bytes, and with the function that decoders call
// ("in_use": the best kernel, except for runs of one byte). Names are kind/values/values per run/contender. Items are values.
//   packed_benchmark --benchmark_filter=uint64/       see `packed_benchmark --help`
// Runs follow one another, as in a file. Their lengths are random, around the given length. Timed decoding writes each run
// over the one before, so that it measures the kernels and not the memory. Before anything is timed, all contenders must agree
// on all values.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "structtensor/core/wire/abi/packed.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::wire_internal {
namespace {

// Enough values that no branch predictor learns the sequence of lengths. With 16,384 values, it does.
constexpr size_t kValues = size_t{1} << 18;
constexpr size_t kMaxRunValues = 512;

// `percent` of the values have from `low` to `high` bits, evenly distributed. The others have up to 7 bits.
struct Values {
  const char* name;
  unsigned low;
  unsigned high;
  unsigned percent = 100;
};

struct Runs {
  std::vector<uint8_t> bytes;
  std::vector<size_t> ends;  // positions in `bytes`
};

Runs MakeRuns(const Values& values, size_t values_per_run) {
  std::mt19937_64 random(11);
  Runs runs;
  size_t left = 0;
  for (size_t i = 0; i < kValues; ++i) {
    if (left == 0) {
      if (i != 0) runs.ends.push_back(runs.bytes.size());
      left = values_per_run / 2 + 1 + random() % values_per_run;
    }
    --left;
    const bool wide = random() % 100 < values.percent;
    const unsigned bits = wide ? values.low + static_cast<unsigned>(random() % (values.high - values.low + 1)) : 7;
    uint64_t value = random() >> (64 - bits);
    for (; value >= 0x80; value >>= 7) runs.bytes.push_back(static_cast<uint8_t>(value) | 0x80);
    runs.bytes.push_back(static_cast<uint8_t>(value));
  }
  runs.ends.push_back(runs.bytes.size());
  runs.bytes.resize(runs.bytes.size() + kReadableSlackBytes);
  return runs;
}

template <typename T>
T Convert(uint64_t value);
template <>
uint32_t Convert(uint64_t value) {
  return static_cast<uint32_t>(value);
}
template <>
uint64_t Convert(uint64_t value) {
  return value;
}
template <>
int64_t Convert(uint64_t value) {
  return ZigZag64(value);
}

template <typename T>
T* Loop(const uint8_t* p, const uint8_t* end, T* out) {
  while (p < end) {
    const Varint varint = ReadVarint(p);
    if (varint.next == nullptr) return nullptr;
    p = varint.next;
    *out++ = Convert<T>(varint.value);
  }
  return p == end ? out : nullptr;
}

template <typename T, typename Unpack>
std::vector<T> Decode(const Runs& runs, Unpack unpack) {
  std::vector<T> values(kValues + kWritableSlackBytes);
  T* out = values.data();
  const uint8_t* p = runs.bytes.data();
  for (const size_t end : runs.ends) {
    out = unpack(p, runs.bytes.data() + end, out);
    if (out == nullptr) return {};
    p = runs.bytes.data() + end;
  }
  values.resize(static_cast<size_t>(out - values.data()));
  return values;
}

template <typename T, typename Unpack>
void Register(const std::string& name, const Runs& runs, Unpack unpack) {
  if (Decode<T>(runs, unpack) != Decode<T>(runs, Loop<T>)) {
    std::fprintf(stderr, "%s: values differ from those of the loop\n", name.c_str());
    std::exit(1);
  }
  benchmark::RegisterBenchmark(name.c_str(), [&runs, unpack](benchmark::State& state) {
    std::vector<T> out(kMaxRunValues + kWritableSlackBytes);
    for (auto _ : state) {
      const uint8_t* p = runs.bytes.data();
      for (const size_t end : runs.ends) {
        benchmark::DoNotOptimize(unpack(p, runs.bytes.data() + end, out.data()));
        p = runs.bytes.data() + end;
      }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kValues));
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(runs.bytes.size() - kReadableSlackBytes));
  });
}

template <typename T>
void RegisterKind(const char* kind, T* (*PackedFunctions::*function)(const uint8_t*, const uint8_t*, T*), auto in_use) {
  for (const Values& values : {Values{"1_byte", 1, 7}, Values{"1_byte_few_2", 8, 14, 20}, Values{"1_or_2_bytes", 7, 8},
                               Values{"1_to_5_bytes", 1, 32}, Values{"4_to_9_bytes", 22, 63}, Values{"10_bytes", 64, 64}}) {
    for (const size_t values_per_run : {size_t{1}, size_t{2}, size_t{4}, size_t{8}, size_t{16}, kMaxRunValues / 2}) {
      static std::deque<Runs> all_runs;  // outlive the benchmarks, which refer to them
      const Runs& runs = all_runs.emplace_back(MakeRuns(values, values_per_run));
      const std::string name = std::string(kind) + '/' + values.name + '/' + std::to_string(values_per_run) + '/';
      Register<T>(name + "loop", runs, Loop<T>);
      using base_internal::CpuLevel;
      for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
        const PackedFunctions* functions = PackedFunctionsOf(level);
        if (functions == nullptr) continue;
        Register<T>(name + std::string(base_internal::CpuLevelName(level)), runs, functions->*function);
      }
      Register<T>(name + "in_use", runs, in_use);
    }
  }
}

}  // namespace
}  // namespace structtensor::wire_internal

int main(int argc, char** argv) {
  using namespace structtensor::wire_internal;
  const auto uint32 = [](const uint8_t* p, const uint8_t* end, uint32_t* out) { return UnpackUint32(p, end, out); };
  const auto uint64 = [](const uint8_t* p, const uint8_t* end, uint64_t* out) { return UnpackUint64(p, end, out); };
  const auto sint64 = [](const uint8_t* p, const uint8_t* end, int64_t* out) { return UnpackSint64(p, end, out); };
  RegisterKind<uint32_t>("uint32", &PackedFunctions::uint32, uint32);
  RegisterKind<uint64_t>("uint64", &PackedFunctions::uint64, uint64);
  RegisterKind<int64_t>("sint64", &PackedFunctions::sint64, sint64);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
