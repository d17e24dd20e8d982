// run_at_cpu_level LEVEL PROGRAM ARGUMENT...: runs the program with STRUCTTENSOR_CPU=LEVEL. Exits with 77, which ctest counts
// as skipped, if this processor lacks the level.
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "structtensor/core/base/internal/cpu_request.h"

int main(int argc, char** argv) {
  using structtensor::base_internal::BestCpuLevel;
  using structtensor::base_internal::ChooseCpuLevel;
  using structtensor::base_internal::CpuChoice;
  using structtensor::base_internal::CpuLevelName;
  constexpr int kSkipped = 77;
  if (argc < 3) {
    std::fprintf(stderr, "usage: run_at_cpu_level LEVEL PROGRAM ARGUMENT...\n");
    return 2;
  }
  switch (ChooseCpuLevel(argv[1], BestCpuLevel()).request) {
    case CpuChoice::Request::kFulfilled:
      break;
    case CpuChoice::Request::kNoLevel:
      std::fprintf(stderr, "run_at_cpu_level: %s names no level: expected portable, avx2 or avx512\n", argv[1]);
      return 2;
    case CpuChoice::Request::kProcessorLacksIt:
      std::printf("not run: this processor lacks the level %s, its best is %s\n", argv[1],
                  std::string(CpuLevelName(BestCpuLevel())).c_str());
      return kSkipped;
  }
  setenv("STRUCTTENSOR_CPU", argv[1], 1);
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}
