// Chooses the kernel for packed runs.
#include "structtensor/core/wire/abi/packed.h"

#include "structtensor/core/wire/internal/packed_kernels.h"

namespace structtensor::wire_internal {

using base_internal::CpuLevel;

const PackedFunctions* PackedFunctionsOf(CpuLevel level) {
  if (level > base_internal::BestCpuLevel()) return nullptr;
  switch (level) {
    case CpuLevel::kPortable:
      return &kernels::kPortableFunctions;
#ifdef STRUCTTENSOR_X86_KERNELS
    case CpuLevel::kAvx2:
      return &kernels::kAvx2Functions;
    case CpuLevel::kAvx512:
      return &kernels::kAvx512Functions;
#else
    case CpuLevel::kAvx2:
    case CpuLevel::kAvx512:
      break;
#endif
  }
  return nullptr;
}

bool SetPackedKernel(CpuLevel level) {
  const PackedFunctions* functions = PackedFunctionsOf(level);
  if (functions == nullptr) return false;
  kernels::g_packed_functions.store(functions, std::memory_order_relaxed);
  return true;
}

namespace kernels {

constinit std::atomic<const PackedFunctions*> g_packed_functions{&kPortableFunctions};

namespace {

[[maybe_unused]] const bool g_packed_chosen = SetPackedKernel(base_internal::ChosenCpuLevel());

}  // namespace
}  // namespace kernels
}  // namespace structtensor::wire_internal
