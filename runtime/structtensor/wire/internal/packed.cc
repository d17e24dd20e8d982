// Chooses the kernel for packed runs.
#include "structtensor/wire/internal/packed.h"

#include "structtensor/wire/internal/packed_kernels.h"

#ifdef STRUCTTENSOR_X86_KERNELS
#include <cpuid.h>
#endif

namespace structtensor::wire_internal {
namespace {

#ifdef STRUCTTENSOR_X86_KERNELS
// Not among the features that __builtin_cpu_supports knows in every compiler we build with. Where it is missing, LZCNT silently
// runs as BSR and gives other results.
bool HasLzcnt() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & 1u << 5) != 0;
}

bool HasAvx2Kernel() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && HasLzcnt();
}

bool HasAvx512Kernel() {
  return HasAvx2Kernel() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
}
#endif

}  // namespace

const PackedFunctions* PackedFunctionsOf(PackedKernel kernel) {
  switch (kernel) {
    case PackedKernel::kPortable:
      return &kernels::kPortableFunctions;
    case PackedKernel::kAvx2:
    case PackedKernel::kAvx512:
      break;
  }
#ifdef STRUCTTENSOR_X86_KERNELS
  __builtin_cpu_init();
  if (kernel == PackedKernel::kAvx2) return HasAvx2Kernel() ? &kernels::kAvx2Functions : nullptr;
  return HasAvx512Kernel() ? &kernels::kAvx512Functions : nullptr;
#else
  return nullptr;
#endif
}

bool SetPackedKernel(PackedKernel kernel) {
  const PackedFunctions* functions = PackedFunctionsOf(kernel);
  if (functions == nullptr) return false;
  kernels::g_packed_functions.store(functions, std::memory_order_relaxed);
  return true;
}

namespace kernels {

constinit std::atomic<const PackedFunctions*> g_packed_functions{&kPortableFunctions};

namespace {

[[maybe_unused]] const bool g_kernel_chosen = SetPackedKernel(PackedKernel::kAvx512) || SetPackedKernel(PackedKernel::kAvx2);

}  // namespace
}  // namespace kernels
}  // namespace structtensor::wire_internal
