#include "structtensor/core/encode/abi/varint.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "structtensor/core/base/abi/cpu.h"

namespace structtensor::encode_internal {

uint8_t* WriteLongestVarint(uint8_t* p, uint64_t value) {
  const uint64_t low = OpenGaps(value) | 0x8080808080808080;
  const uint64_t high = value >> 56;
  if (high < 0x80) {
    *--p = static_cast<uint8_t>(high);
  } else {
    p -= 2;
    p[0] = static_cast<uint8_t>(high);
    p[1] = 1;
  }
  p -= 8;
  std::memcpy(p, &low, 8);
  return p;
}

uint8_t* WriteLongText(uint8_t* p, const char* text, size_t size_bytes) {
  if (size_bytes > 128) return WriteBytes(p, text, size_bytes);
  // Two halves that overlap.
  std::memcpy(p - 64, text + size_bytes - 64, 64);
  p -= size_bytes;
  std::memcpy(p, text, 64);
  return p;
}

namespace {

uint8_t* WriteVarintPortable(uint8_t* p, uint64_t value) { return WriteAnyVarint(p, value); }

#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("bmi,bmi2,lzcnt"))) uint8_t* WriteVarintBmi2(uint8_t* p, uint64_t value) {
  if (value >> 56 != 0) [[unlikely]]
    return WriteLongestVarint(p, value);
  const uint64_t groups = _pdep_u64(value, 0x7f7f7f7f7f7f7f7f);
  const uint64_t unused_bits = _lzcnt_u64(groups | 1) & ~uint64_t{7};
  const uint64_t continues = (0x8080808080808080 >> unused_bits) >> 8;
  const uint64_t word = (groups | continues) << unused_bits;
  std::memcpy(p - 8, &word, 8);
  return p - 8 + unused_bits / 8;
}

WriteVarintFunction BestVarint() { return base_internal::HasFastPext() ? WriteVarintBmi2 : WriteVarintPortable; }

#else

WriteVarintFunction BestVarint() { return WriteVarintPortable; }

#endif

}  // namespace

constinit const WriteVarintFunction kPortableVarint = WriteVarintPortable;
constinit std::atomic<WriteVarintFunction> g_write_any_varint{WriteVarintPortable};

namespace {

[[maybe_unused]] const bool g_varint_chosen = (g_write_any_varint.store(BestVarint(), std::memory_order_relaxed), true);

}  // namespace

}  // namespace structtensor::encode_internal
