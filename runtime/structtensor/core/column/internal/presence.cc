#include "structtensor/core/column/internal/presence.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "structtensor/core/base/abi/cpu.h"

namespace structtensor::column_internal {
namespace {

InAnyAndAll Summarise(const uint64_t* words, uint32_t nrows) {
  InAnyAndAll result;
  for (uint32_t row = 0; row < nrows; ++row) {
    result.in_any |= words[row];
    result.in_all &= words[row];
  }
  return result;
}

uint32_t ListRows(const uint64_t* words, uint64_t mask, uint32_t nrows, uint64_t* validity, uint32_t* rows) {
  uint32_t size = 0;
  for (uint32_t begin = 0; begin < nrows; begin += 64) {
    const uint32_t end = std::min(begin + 64, nrows);
    uint64_t bits = 0;
    for (uint32_t row = end; row-- > begin;) bits = bits << 1 | ((words[row] & mask) != 0);
    validity[begin / 64] = bits;
    for (; bits != 0; bits &= bits - 1) rows[size++] = begin + static_cast<uint32_t>(std::countr_zero(bits));
  }
  return size;
}

template <typename T>
void Separate(T* values, const uint64_t* validity, uint32_t nrows, T* compact) {
  for (uint32_t begin = 0; begin < nrows; begin += 64) {
    const uint32_t size = std::min<uint32_t>(64, nrows - begin);
    uint64_t present = validity[begin / 64];
    uint64_t absent = ~present;
    if (size < 64) absent &= (uint64_t{1} << size) - 1;
    for (; present != 0; present &= present - 1) *compact++ = values[begin + static_cast<uint32_t>(std::countr_zero(present))];
    if (absent == ~uint64_t{0}) {
      std::memset(values + begin, 0, 64 * sizeof(T));
      continue;
    }
    for (; absent != 0; absent &= absent - 1) values[begin + static_cast<uint32_t>(std::countr_zero(absent))] = 0;
  }
}

}  // namespace

constinit const PresenceFunctions kPortablePresence = {Summarise, ListRows, Separate<uint8_t>, Separate<uint32_t>,
                                                       Separate<uint64_t>};

const PresenceFunctions& ChosenPresence() {
  static const PresenceFunctions& chosen =
      base_internal::ChosenCpuLevel() >= base_internal::CpuLevel::kAvx512 ? *Avx512Presence() : kPortablePresence;
  return chosen;
}

}  // namespace structtensor::column_internal
