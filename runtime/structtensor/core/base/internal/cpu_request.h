// Whether the instruction level that the environment asks for (cpu.h) is the level in use.
#ifndef STRUCTTENSOR_CORE_BASE_INTERNAL_CPU_REQUEST_H_
#define STRUCTTENSOR_CORE_BASE_INTERNAL_CPU_REQUEST_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/core/base/abi/cpu.h"

namespace structtensor::base_internal {

// OK if STRUCTTENSOR_CPU is not set, is empty, or names the level in use.
// Errors: InvalidArgument if it names no level; FailedPrecondition if the processor lacks the level.
absl::Status CpuRequestStatus();

// What STRUCTTENSOR_CPU=`request` means where `best` is the highest level.
struct CpuChoice {
  CpuLevel level;
  enum class Request : uint8_t { kFulfilled, kNoLevel, kProcessorLacksIt } request;
};
CpuChoice ChooseCpuLevel(std::string_view request, CpuLevel best);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_INTERNAL_CPU_REQUEST_H_
