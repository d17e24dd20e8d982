// Which instructions the kernels may use. The one place that asks the processor.
//
// Levels; each includes the level before it:
//   portable   what every processor of the build's target has
//   avx2       AVX2, BMI, BMI2, LZCNT, POPCNT, SSE 4.2
//   avx512     AVX-512 F, BW, CD, VBMI, VBMI2
//
// The environment variable STRUCTTENSOR_CPU=portable|avx2|avx512 sets the level, for tests and to look for a fault in a kernel.
// It is read once, before the first kernel is chosen. A level that the processor lacks, or a word that names no level, is
// ignored: the best level is used, and CpuRequestStatus (cpu_request.h) says so.
//
// Generated decoders include this header, so it needs nothing but the standard library.
#ifndef STRUCTTENSOR_CORE_BASE_ABI_CPU_H_
#define STRUCTTENSOR_CORE_BASE_ABI_CPU_H_

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)

namespace structtensor::base_internal {

enum class CpuLevel : uint8_t { kPortable, kAvx2, kAvx512 };

// "portable", "avx2" or "avx512".
std::string_view CpuLevelName(CpuLevel level);

// The highest level that this processor has. Tests and benchmarks compare all kernels up to it.
CpuLevel BestCpuLevel();

// The level that kernels are chosen by: the one that STRUCTTENSOR_CPU names, else the best one. The same in every call.
CpuLevel ChosenCpuLevel();

// Whether PEXT and PDEP may be used and are fast. Some processors with the level avx2 (AMD's before Zen 3) run them as
// microcode.
bool HasFastPext();

}  // namespace structtensor::base_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_BASE_ABI_CPU_H_
