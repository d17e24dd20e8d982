#include "structtensor/core/base/abi/cpu.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/internal/cpu_request.h"
#include "structtensor/core/base/shared/strings.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace structtensor::base_internal {
namespace {

constexpr char kVariable[] = "STRUCTTENSOR_CPU";
constexpr CpuLevel kLevels[] = {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512};

struct Processor {
  CpuLevel best_level = CpuLevel::kPortable;
  bool has_fast_pext = false;
};

#if defined(__x86_64__) && defined(__GNUC__)

// Some compilers that build this have no name for LZCNT in __builtin_cpu_supports. A processor without LZCNT runs the
// instruction as BSR, which gives other results.
bool HasLzcnt() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & 1u << 5) != 0;
}

// Intel's PEXT takes three cycles. AMD's PEXT takes as many since Zen 3 (family 0x19), and took dozens before. For other
// makers, AVX-512 decides: every processor with AVX-512 has a fast PEXT.
bool IsPextFast() {
  if (__builtin_cpu_supports("avx512f")) return true;
  unsigned eax, vendor[3], edx;
  if (__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]) == 0) return false;
  const std::string_view maker(reinterpret_cast<const char*>(vendor), sizeof(vendor));
  if (maker == "GenuineIntel") return true;
  unsigned ebx, ecx;
  if (maker != "AuthenticAMD" || __get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const unsigned family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
  return family >= 0x19;
}

Processor Detect() {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2") && HasLzcnt();
  if (!has_avx2) return {};
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                          __builtin_cpu_supports("avx512vbmi2");
  return {has_avx512 ? CpuLevel::kAvx512 : CpuLevel::kAvx2, IsPextFast()};
}

#else

Processor Detect() { return {}; }

#endif

// Kernels are chosen while static objects are initialised, so this must not be such an object: it is made on the first call.
const Processor& ThisProcessor() {
  static const Processor processor = Detect();
  return processor;
}

// The environment variable as it was at the first call. A copy, because the program may change its environment.
const std::string& Request() {
  static const std::string& request = *new std::string([] {
    const char* const text = std::getenv(kVariable);
    return text != nullptr ? text : "";
  }());
  return request;
}

}  // namespace

std::string_view CpuLevelName(CpuLevel level) {
  switch (level) {
    case CpuLevel::kPortable:
      return "portable";
    case CpuLevel::kAvx2:
      return "avx2";
    case CpuLevel::kAvx512:
      return "avx512";
  }
  return "";
}

CpuLevel BestCpuLevel() { return ThisProcessor().best_level; }

CpuChoice ChooseCpuLevel(std::string_view request, CpuLevel best) {
  if (request.empty()) return {best, CpuChoice::Request::kFulfilled};
  for (const CpuLevel level : kLevels) {
    if (request != CpuLevelName(level)) continue;
    if (level > best) return {best, CpuChoice::Request::kProcessorLacksIt};
    return {level, CpuChoice::Request::kFulfilled};
  }
  return {best, CpuChoice::Request::kNoLevel};
}

CpuLevel ChosenCpuLevel() {
  static const CpuLevel level = ChooseCpuLevel(Request(), BestCpuLevel()).level;
  return level;
}

bool HasFastPext() { return ChosenCpuLevel() >= CpuLevel::kAvx2 && ThisProcessor().has_fast_pext; }

absl::Status CpuRequestStatus() {
  const CpuChoice choice = ChooseCpuLevel(Request(), BestCpuLevel());
  switch (choice.request) {
    case CpuChoice::Request::kFulfilled:
      return absl::OkStatus();
    case CpuChoice::Request::kNoLevel:
      return absl::InvalidArgumentError(absl::StrCat(kVariable, "=", Request(),
                                                     " is not a CPU level: expected portable, avx2 or avx512; ",
                                                     ToAbsl(CpuLevelName(choice.level)), " is used"));
    case CpuChoice::Request::kProcessorLacksIt:
      return absl::FailedPreconditionError(absl::StrCat(kVariable, "=", Request(),
                                                        ": this processor does not support that level; ",
                                                        ToAbsl(CpuLevelName(choice.level)), " is used"));
  }
  return absl::OkStatus();
}

}  // namespace structtensor::base_internal
