// Every kernel for packed runs against a loop over single bytes: values, refusal, and what may be written.
#include "structtensor/core/wire/abi/packed.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "naive_varint.h"

namespace structtensor::testing {
namespace {

using base_internal::CpuLevel;
using wire_internal::PackedFunctions;

class PackedTest : public ::testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override {
    functions_ = wire_internal::PackedFunctionsOf(GetParam());
    if (functions_ == nullptr) GTEST_SKIP() << "this processor does not have the level";
  }

  // Unpacks `run` with the kernel and with a loop.
  template <typename T, typename Convert>
  void Compare(T* (*unpack)(const uint8_t*, const uint8_t*, T*), std::string_view run, char fill, Convert convert) {
    bool valid = true;
    std::vector<T> expected;
    for (std::string_view rest = run; !rest.empty();) {
      uint64_t value;
      const size_t size_bytes = NaiveRead(rest, 10, &value);
      if (size_bytes == 0) {
        valid = false;
        break;
      }
      expected.push_back(convert(value));
      rest.remove_prefix(size_bytes);
    }
    const std::string bytes = WithSlack(run, fill);
    const size_t count = wire_internal::CountVarints(Begin(bytes), run.size());
    if (valid) {
      ASSERT_EQ(count, expected.size());
    }
    constexpr uint8_t kGuard = 0x5a;
    const size_t room_bytes = count * sizeof(T) + wire_internal::kWritableSlackBytes;
    std::vector<uint8_t> out(room_bytes + 64, kGuard);
    T* begin = reinterpret_cast<T*>(out.data());
    T* end = unpack(Begin(bytes), Begin(bytes) + run.size(), begin);
    for (size_t i = room_bytes; i < out.size(); ++i)
      ASSERT_EQ(out[i], kGuard) << "written " << i - room_bytes << " bytes too far";
    if (!valid) {
      ASSERT_EQ(end, nullptr);
      return;
    }
    ASSERT_EQ(end, begin + expected.size());
    if (!expected.empty()) {
      ASSERT_EQ(std::memcmp(begin, expected.data(), expected.size() * sizeof(T)), 0);
    }
  }

  void CompareAll(std::string_view run) {
    ASSERT_EQ(functions_->count(Begin(WithSlack(run)), run.size()), NaiveCount(run));
    for (const char fill : {'\x00', '\x80', '\xff'}) {
      Compare<uint32_t>(functions_->uint32, run, fill, [](uint64_t v) { return static_cast<uint32_t>(v); });
      Compare<uint64_t>(functions_->uint64, run, fill, [](uint64_t v) { return v; });
      Compare<int32_t>(functions_->sint32, run, fill,
                       [](uint64_t v) { return wire_internal::ZigZag32(static_cast<uint32_t>(v)); });
      Compare<int64_t>(functions_->sint64, run, fill, [](uint64_t v) { return wire_internal::ZigZag64(v); });
      Compare<uint8_t>(functions_->boolean, run, fill, [](uint64_t v) { return static_cast<uint8_t>(v != 0); });
    }
  }

  static size_t NaiveCount(std::string_view run) {
    size_t count = 0;
    for (const char c : run) count += static_cast<uint8_t>(c) < 0x80;
    return count;
  }

  // `count` varints of `min_bytes` to `max_bytes` bytes, over-long ones among them.
  std::string RandomRun(size_t count, size_t min_bytes, size_t max_bytes) {
    std::string run;
    for (size_t i = 0; i < count; ++i) {
      const size_t size_bytes = min_bytes + random_() % (max_bytes - min_bytes + 1);
      run += VarintOf(random_() >> random_() % 64, size_bytes);
    }
    return run;
  }

  const PackedFunctions* functions_ = nullptr;
  std::mt19937_64 random_{9};
};

TEST_P(PackedTest, EveryCountOfEveryLength) {
  for (size_t size_bytes = 1; size_bytes <= 10; ++size_bytes) {
    for (size_t count = 0; count <= 140; ++count) {
      SCOPED_TRACE(std::to_string(count) + " varints of " + std::to_string(size_bytes) + " bytes");
      CompareAll(RandomRun(count, size_bytes, size_bytes));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(PackedTest, MixedLengths) {
  for (const size_t max_bytes : {2, 3, 5, 8, 9, 10}) {
    for (int round = 0; round < 300; ++round) {
      SCOPED_TRACE("up to " + std::to_string(max_bytes) + " bytes, round " + std::to_string(round));
      CompareAll(RandomRun(random_() % 200, 1, max_bytes));
      if (HasFatalFailure()) return;
    }
  }
}

// Long stretches of one length with another now and then, which is where kernels change their ways.
TEST_P(PackedTest, StretchesOfOneLength) {
  for (int round = 0; round < 300; ++round) {
    std::string run;
    for (int k = 0; k < 6; ++k) {
      const size_t size_bytes = 1 + random_() % 10;
      run += RandomRun(random_() % 80, size_bytes, size_bytes);
    }
    SCOPED_TRACE(round);
    CompareAll(run);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PackedTest, CutOffAndTooLong) {
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    std::string run = RandomRun(random_() % 100, 1, 1 + random_() % 10);
    if (round % 2 == 0) {
      run += std::string(1 + random_() % 12, '\x80');
    } else {
      run.insert(random_() % (run.size() + 1), VarintOf(1, 11 + random_() % 60));
    }
    CompareAll(run);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PackedTest, RandomBytes) {
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    std::string run(random_() % 300, '\0');
    const uint64_t mask = random_() % 2 == 0 ? 0xff : 0x7f | random_();
    for (char& c : run) c = static_cast<char>(random_() & mask);
    CompareAll(run);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, PackedTest, ::testing::Values(CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512), [](const auto& info) {
      return std::string(info.param == CpuLevel::kPortable ? "Portable" : info.param == CpuLevel::kAvx2 ? "Avx2" : "Avx512");
    });

// The functions that decoders call: they read runs of one-byte varints themselves and hand on the others.
TEST(UnpackTest, ShortRuns) {
  for (size_t size_bytes = 1; size_bytes <= 10; ++size_bytes) {
    const std::string run = VarintOf(77, size_bytes);
    const std::string bytes = WithSlack(run);
    uint64_t out[20];
    EXPECT_EQ(wire_internal::UnpackUint64(Begin(bytes), Begin(bytes) + run.size(), out), out + 1);
    EXPECT_EQ(out[0], 77u);
    EXPECT_EQ(wire_internal::UnpackUint64(Begin(bytes), Begin(bytes), out), out);
    if (size_bytes > 1) {
      EXPECT_EQ(wire_internal::UnpackUint64(Begin(bytes), Begin(bytes) + size_bytes - 1, out), nullptr);
    }
  }
}

}  // namespace
}  // namespace structtensor::testing
