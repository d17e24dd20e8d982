#include "structtensor/core/base/abi/cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "structtensor/core/base/internal/cpu_request.h"

namespace structtensor::base_internal {
namespace {

using Request = CpuChoice::Request;

constexpr CpuLevel kLevels[] = {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512};

TEST(CpuTest, WithoutRequestTheBestLevelIsUsed) {
  for (const CpuLevel best : kLevels) {
    EXPECT_EQ(ChooseCpuLevel("", best).level, best);
    EXPECT_EQ(ChooseCpuLevel("", best).request, Request::kFulfilled);
  }
}

TEST(CpuTest, EveryLevelThatTheProcessorHasCanBeAskedFor) {
  for (const CpuLevel best : kLevels) {
    for (const CpuLevel level : kLevels) {
      if (level > best) continue;
      EXPECT_EQ(ChooseCpuLevel(CpuLevelName(level), best).level, level);
      EXPECT_EQ(ChooseCpuLevel(CpuLevelName(level), best).request, Request::kFulfilled);
    }
  }
}

TEST(CpuTest, ALevelThatTheProcessorLacksIsIgnored) {
  EXPECT_EQ(ChooseCpuLevel("avx512", CpuLevel::kAvx2).level, CpuLevel::kAvx2);
  EXPECT_EQ(ChooseCpuLevel("avx512", CpuLevel::kAvx2).request, Request::kProcessorLacksIt);
  EXPECT_EQ(ChooseCpuLevel("avx2", CpuLevel::kPortable).level, CpuLevel::kPortable);
  EXPECT_EQ(ChooseCpuLevel("avx2", CpuLevel::kPortable).request, Request::kProcessorLacksIt);
}

TEST(CpuTest, AWordThatNamesNoLevelIsIgnored) {
  for (const char* word : {"sse", "AVX2", "avx2 ", "avx", "512"}) {
    EXPECT_EQ(ChooseCpuLevel(word, CpuLevel::kAvx512).level, CpuLevel::kAvx512) << word;
    EXPECT_EQ(ChooseCpuLevel(word, CpuLevel::kAvx512).request, Request::kNoLevel) << word;
  }
}

// Holds in each of the three runs with STRUCTTENSOR_CPU set, too.
TEST(CpuTest, TheChosenLevelIsThatOfTheEnvironment) {
  const char* const text = std::getenv("STRUCTTENSOR_CPU");
  const CpuChoice choice = ChooseCpuLevel(text != nullptr ? text : "", BestCpuLevel());
  EXPECT_EQ(ChosenCpuLevel(), choice.level);
  EXPECT_EQ(CpuRequestStatus().ok(), choice.request == Request::kFulfilled) << CpuRequestStatus();
  if (ChosenCpuLevel() == CpuLevel::kPortable) {
    EXPECT_FALSE(HasFastPext());
  }
}

// Each in a process of its own, which reads the variable anew.
void ExitWithStatus(const char* request) {
  setenv("STRUCTTENSOR_CPU", request, 1);
  const absl::Status status = CpuRequestStatus();
  fprintf(stderr, "%s\n", status.ToString().c_str());
  _exit(ChosenCpuLevel() == BestCpuLevel() ? static_cast<int>(status.code()) : 99);
}

TEST(CpuDeathTest, TheStatusNamesTheWordAndTheLevelsThatThereAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ExitWithStatus("sse9"), ::testing::ExitedWithCode(static_cast<int>(absl::StatusCode::kInvalidArgument)),
              "STRUCTTENSOR_CPU=sse9 is not a CPU level: expected portable, avx2 or avx512; " +
                  std::string(CpuLevelName(BestCpuLevel())) + " is used");
}

}  // namespace
}  // namespace structtensor::base_internal
