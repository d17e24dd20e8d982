// Varints as encoders write them, against a loop that writes one byte after another.
#include "structtensor/core/encode/abi/packed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/wire/abi/kinds.h"

namespace structtensor::encode_internal {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

// The smallest and the largest number of each length in bits.
std::vector<uint64_t> Borders() {
  std::vector<uint64_t> values = {0};
  for (int bits = 1; bits <= 64; ++bits) {
    values.push_back(uint64_t{1} << (bits - 1));
    values.push_back(~uint64_t{0} >> (64 - bits));
  }
  return values;
}

// Memory that is written backwards from its end, followed by a byte that must not change.
class Memory {
 public:
  explicit Memory(size_t size_bytes) : bytes_(kWritableSlackBytes + size_bytes + 1, '\x55') {}
  uint8_t* end() { return reinterpret_cast<uint8_t*>(bytes_.data()) + bytes_.size() - 1; }
  std::string From(const uint8_t* begin) {
    EXPECT_EQ(bytes_.back(), '\x55');
    return std::string(reinterpret_cast<const char*>(begin), static_cast<size_t>(end() - begin));
  }

 private:
  std::string bytes_;
};

TEST(VarintTest, ShortestEncodingOfEveryLength) {
  for (const uint64_t value : Borders()) {
    Memory memory(10);
    EXPECT_EQ(memory.From(WriteVarint(memory.end(), value)), Varint(value)) << value;
    EXPECT_EQ(memory.From(WriteAnyVarint(memory.end(), value)), Varint(value)) << value;
  }
}

class PackedTest : public ::testing::TestWithParam<base_internal::CpuLevel> {
 protected:
  void SetUp() override {
    writers_ = PackedWritersOf(GetParam());
    if (writers_ == nullptr) GTEST_SKIP() << "this processor does not have the level";
  }

  template <typename Kind, typename Write>
  void Expect(const std::vector<typename Kind::Type>& values, Write write) {
    std::string expected;
    for (const auto value : values) expected += Varint(Kind::ToWire(value));
    Memory memory(expected.size());
    ASSERT_EQ(memory.From(write(memory.end(), values.data(), values.data() + values.size())), expected);
  }

  // `values` cut to what each kind has.
  void ExpectAllKinds(const std::vector<uint64_t>& values) {
    Expect<wire_internal::Uint64>({values.begin(), values.end()}, writers_->uint64);
    Expect<wire_internal::Sint64>({values.begin(), values.end()}, writers_->sint64);
    std::vector<uint32_t> narrow;
    for (const uint64_t value : values) narrow.push_back(static_cast<uint32_t>(value));
    Expect<wire_internal::Uint32>(narrow, writers_->uint32);
    Expect<wire_internal::Int32>({narrow.begin(), narrow.end()}, writers_->int32);
    Expect<wire_internal::Sint32>({narrow.begin(), narrow.end()}, writers_->sint32);
  }

  const PackedWriters* writers_ = nullptr;
};

TEST_P(PackedTest, EmptyRunsHaveNoBytes) { ExpectAllKinds({}); }

TEST_P(PackedTest, EveryLengthInEveryPlace) {
  for (const uint64_t value : Borders()) {
    for (size_t size = 1; size <= 35; ++size) {
      for (size_t i = 0; i < size; i += 3) {
        std::vector<uint64_t> values(size, 1);
        values[i] = value;
        ExpectAllKinds(values);
      }
    }
  }
}

TEST_P(PackedTest, RandomLengthsUpToEachNumberOfBits) {
  std::mt19937_64 random(1);
  for (uint64_t most_bits = 1; most_bits <= 64; ++most_bits) {
    for (int round = 0; round < 20; ++round) {
      std::vector<uint64_t> values(random() % 100);
      for (uint64_t& value : values) value = random() >> (64 - 1 - random() % most_bits);
      ExpectAllKinds(values);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PackedTest,
                         ::testing::Values(base_internal::CpuLevel::kPortable, base_internal::CpuLevel::kAvx512),
                         [](const auto& info) {
                           return info.param == base_internal::CpuLevel::kPortable ? "Portable" : "Avx512";
                         });

}  // namespace
}  // namespace structtensor::encode_internal
