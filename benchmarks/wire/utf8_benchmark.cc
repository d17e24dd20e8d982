// Validation of UTF-8: compares the function that decoders call ("in_use") with simdjson alone, on adjacent strings.
// Names are alphabet/most bytes per string/contender; lengths are random, from half of this number on. Items are
// strings. "accents" has a character of two bytes now and then; "cyrillic" has almost only such characters.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::wire_internal {
namespace {

constexpr size_t kStrings = size_t{1} << 14;

struct Alphabet {
  const char* name;
  unsigned percent_two_bytes;
};

struct Strings {
  std::string bytes;
  std::vector<uint32_t> sizes_bytes;
};

Strings MakeStrings(const Alphabet& alphabet, size_t most_bytes) {
  std::mt19937_64 random(5);
  Strings strings;
  for (size_t i = 0; i < kStrings; ++i) {
    const size_t size_bytes = most_bytes / 2 + random() % (most_bytes / 2 + 1);
    const size_t begin = strings.bytes.size();
    while (strings.bytes.size() - begin + 2 <= size_bytes) {
      if (random() % 100 < alphabet.percent_two_bytes) {
        strings.bytes += static_cast<char>(0xd0);
        strings.bytes += static_cast<char>(0x80 + random() % 64);
      } else {
        strings.bytes += static_cast<char>('a' + random() % 26);
      }
    }
    strings.sizes_bytes.push_back(static_cast<uint32_t>(strings.bytes.size() - begin));
  }
  strings.bytes.append(kReadableSlackBytes, '\0');
  return strings;
}

template <typename Validate>
void Register(const std::string& name, const Strings& strings, Validate validate) {
  benchmark::RegisterBenchmark(name.c_str(), [name, &strings, validate](benchmark::State& state) {
    for (auto _ : state) {
      const auto* p = reinterpret_cast<const uint8_t*>(strings.bytes.data());
      for (const uint32_t size_bytes : strings.sizes_bytes) {
        if (!validate(p, size_bytes)) {
          std::fprintf(stderr, "%s: takes a string for invalid\n", name.c_str());
          std::exit(1);
        }
        p += size_bytes;
      }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kStrings));
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(strings.bytes.size() - kReadableSlackBytes));
  });
}

}  // namespace
}  // namespace structtensor::wire_internal

int main(int argc, char** argv) {
  using namespace structtensor::wire_internal;
  std::deque<Strings> all_strings;  // outlive the benchmarks, which refer to them
  for (const Alphabet& alphabet : {Alphabet{"ascii", 0}, Alphabet{"accents", 10}, Alphabet{"cyrillic", 90}}) {
    for (const size_t most_bytes : {4, 8, 16, 32, 64, 256}) {
      const Strings& strings = all_strings.emplace_back(MakeStrings(alphabet, most_bytes));
      const std::string name = std::string(alphabet.name) + '/' + std::to_string(most_bytes) + '/';
      Register(name + "in_use", strings, [](const uint8_t* p, size_t size_bytes) { return IsUtf8(p, size_bytes); });
      Register(name + "simdjson", strings, [](const uint8_t* p, size_t size_bytes) { return IsUtf8Slow(p, size_bytes); });
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
