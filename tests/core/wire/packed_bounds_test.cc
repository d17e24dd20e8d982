// Tests every kernel for packed runs in memory that ends exactly where the contract of core/wire/abi/packed.h lets reads and
// writes end: the slack of the input and that of the output are each followed by a page that cannot be accessed. Anything that
// may be special at one position of a block is tried at every position.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "naive_varint.h"
#include "structtensor/core/wire/abi/packed.h"

namespace structtensor::testing {
namespace {

using base_internal::CpuLevel;
using wire_internal::PackedFunctions;

// More than two blocks of every kernel.
constexpr size_t kPositions = 140;

// Memory whose last byte is just before a page that cannot be accessed.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t size_bytes) {
    const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    usable_bytes_ = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
    mapped_bytes_ = usable_bytes_ + page_bytes;
    void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    begin_ = static_cast<uint8_t*>(memory);
    EXPECT_EQ(mprotect(begin_ + usable_bytes_, page_bytes, PROT_NONE), 0);
  }
  ~GuardedMemory() { munmap(begin_, mapped_bytes_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // The last `size_bytes` bytes.
  uint8_t* Last(size_t size_bytes) {
    EXPECT_LE(size_bytes, usable_bytes_);
    return begin_ + usable_bytes_ - size_bytes;
  }

 private:
  uint8_t* begin_ = nullptr;
  size_t usable_bytes_ = 0;
  size_t mapped_bytes_ = 0;
};

std::string Hex(const std::string& run) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : run) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[c & 15];
    text += ' ';
  }
  return text;
}

std::string Varint(uint64_t value) { return VarintOf(value, VarintSize(value)); }

class PackedBoundsTest : public ::testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override {
    functions_ = wire_internal::PackedFunctionsOf(GetParam());
    if (functions_ == nullptr) GTEST_SKIP() << "this processor does not have what the kernel needs";
  }

  template <typename T, typename Convert>
  void CheckKind(const char* kind, const std::string& run, T* (*unpack)(const uint8_t*, const uint8_t*, T*), Convert convert) {
    bool valid = true;
    std::vector<T> expected;
    for (std::string_view rest = run; valid && !rest.empty();) {
      uint64_t value;
      const size_t size_bytes = NaiveRead(rest, 10, &value);
      valid = size_bytes != 0;
      if (valid) expected.push_back(convert(value));
      rest.remove_prefix(size_bytes);
    }
    uint8_t* const begin = input_.Last(run.size() + wire_internal::kReadableSlackBytes);
    uint8_t* const end = begin + run.size();
    std::copy(run.begin(), run.end(), begin);
    const size_t count = functions_->count(begin, run.size());
    T* const out = reinterpret_cast<T*>(output_.Last(count * sizeof(T) + wire_internal::kWritableSlackBytes));
    for (const int slack : {0x00, 0x80, 0xff}) {
      std::memset(end, slack, wire_internal::kReadableSlackBytes);
      std::memset(out, 0xee, count * sizeof(T) + wire_internal::kWritableSlackBytes);
      T* const out_end = unpack(begin, end, out);
      if (!valid) {
        ASSERT_EQ(out_end, nullptr) << kind << ": " << Hex(run);
        continue;
      }
      ASSERT_NE(out_end, nullptr) << kind << ": " << Hex(run);
      ASSERT_EQ(std::vector<T>(out, out_end), expected) << kind << ": " << Hex(run);
    }
  }

  void CheckFunctions(const std::string& run, const PackedFunctions& functions) {
    CheckKind<uint32_t>("uint32", run, functions.uint32, [](uint64_t v) { return static_cast<uint32_t>(v); });
    CheckKind<uint64_t>("uint64", run, functions.uint64, [](uint64_t v) { return v; });
    CheckKind<int32_t>("sint32", run, functions.sint32,
                       [](uint64_t v) { return wire_internal::ZigZag32(static_cast<uint32_t>(v)); });
    CheckKind<int64_t>("sint64", run, functions.sint64, [](uint64_t v) { return wire_internal::ZigZag64(v); });
    CheckKind<uint8_t>("bool", run, functions.boolean, [](uint64_t v) { return static_cast<uint8_t>(v != 0); });
  }

  void Check(const std::string& run) { CheckFunctions(run, *functions_); }

  const PackedFunctions* functions_ = nullptr;
  std::mt19937_64 random_{20240607};

 private:
  GuardedMemory input_{8192};
  GuardedMemory output_{65536};
};

TEST_P(PackedBoundsTest, EveryCountOfValuesOfManyWidths) {
  struct Bits {
    unsigned least;
    unsigned most;
  };
  for (const Bits bits : {Bits{1, 7}, Bits{8, 14}, Bits{7, 8}, Bits{1, 14}, Bits{15, 21}, Bits{1, 28}, Bits{29, 35},
                          Bits{1, 35}, Bits{50, 56}, Bits{1, 56}, Bits{57, 63}, Bits{64, 64}, Bits{1, 64}}) {
    for (int count = 0; count <= 300; ++count) {
      std::string run;
      for (int i = 0; i < count; ++i) {
        const unsigned width = bits.least + static_cast<unsigned>(random_() % (bits.most - bits.least + 1));
        run += Varint(random_() >> (64 - width) | uint64_t{1} << (width - 1));
      }
      ASSERT_NO_FATAL_FAILURE(Check(run));
    }
  }
}

TEST_P(PackedBoundsTest, OneLongerValueAtEachPosition) {
  for (size_t size_bytes = 2; size_bytes <= 10; ++size_bytes) {
    for (size_t position = 0; position < kPositions; ++position) {
      const std::string before(position, '\x01');
      const std::string after(position % 7, '\x7f');
      ASSERT_NO_FATAL_FAILURE(Check(before + VarintOf(~uint64_t{0}, size_bytes) + after));
      ASSERT_NO_FATAL_FAILURE(Check(before + VarintOf(0, size_bytes) + after));
    }
  }
}

TEST_P(PackedBoundsTest, NegativeInt32IsTenBytes) {
  std::string run;
  for (int64_t i = 0; i < 100; ++i) {
    run += Varint(static_cast<uint64_t>(-1 - i * 1000003));
    ASSERT_EQ(run.size() % 10, 0u);
    ASSERT_NO_FATAL_FAILURE(Check(run));
  }
}

TEST_P(PackedBoundsTest, BitsBeyond64AreDropped) {
  for (const char last : {'\x00', '\x01', '\x02', '\x7e', '\x7f'}) {
    for (size_t position = 0; position < kPositions; ++position) {
      ASSERT_NO_FATAL_FAILURE(Check(std::string(position, '\x03') + std::string(9, '\x80') + last));
    }
  }
}

TEST_P(PackedBoundsTest, MoreThanTenBytesAtEachPositionAreRefused) {
  for (const size_t size_bytes : {11, 12, 13, 63, 64, 65, 128, 150}) {
    for (size_t position = 0; position < kPositions; ++position) {
      const std::string run = std::string(position, '\x01') + VarintOf(5, size_bytes) + std::string(position % 3, '\x01');
      ASSERT_NO_FATAL_FAILURE(Check(run));
    }
  }
}

TEST_P(PackedBoundsTest, EndWithinAVarintAtEachPositionIsRefused) {
  for (size_t continues = 1; continues <= 12; ++continues) {
    for (size_t position = 0; position < kPositions; ++position) {
      ASSERT_NO_FATAL_FAILURE(Check(std::string(position, '\x01') + std::string(continues, '\x85')));
    }
  }
}

TEST_P(PackedBoundsTest, CountReadsNothingAfterTheRun) {
  GuardedMemory memory(4096);
  for (size_t size_bytes = 0; size_bytes <= 300; ++size_bytes) {
    uint8_t* const p = memory.Last(size_bytes);
    size_t expected = 0;
    for (size_t i = 0; i < size_bytes; ++i) {
      p[i] = static_cast<uint8_t>(random_());
      expected += p[i] < 0x80;
    }
    EXPECT_EQ(functions_->count(p, size_bytes), expected) << size_bytes;
  }
}

// The functions that decoders call, with this kernel in use.
TEST_P(PackedBoundsTest, CanBeMadeTheOneInUse) {
  ASSERT_TRUE(wire_internal::SetPackedKernel(GetParam()));
  const PackedFunctions in_use = {wire_internal::CountVarints, wire_internal::UnpackUint32, wire_internal::UnpackUint64,
                                  wire_internal::UnpackSint32, wire_internal::UnpackSint64, wire_internal::UnpackBool};
  for (const std::string& run : {std::string(), std::string("\x01"), std::string("\x80"), std::string("\x80\x01"),
                                 std::string("\x01\x80"), std::string("\x01\x02\x03")}) {
    CheckFunctions(run, in_use);
  }
  std::string run;
  for (uint64_t i = 0; i < 200; ++i) run += Varint(i * i * i);
  CheckFunctions(run, in_use);
  EXPECT_TRUE(wire_internal::SetPackedKernel(base_internal::ChosenCpuLevel()));
}

std::string KernelName(const ::testing::TestParamInfo<CpuLevel>& info) {
  switch (info.param) {
    case CpuLevel::kPortable:
      return "Portable";
    case CpuLevel::kAvx2:
      return "Avx2";
    case CpuLevel::kAvx512:
      return "Avx512";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Kernels, PackedBoundsTest, ::testing::Values(CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512),
                         KernelName);

}  // namespace
}  // namespace structtensor::testing
