// Slicing by eight: a CRC is linear over xor, so the CRC of eight bytes is the xor of the contributions of the single bytes.
// kTables[k][b] is the contribution of byte b with k more bytes after it. Eight independent loads replace eight dependent
// steps.
#include "structtensor/io/records/internal/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "structtensor/core/base/abi/cpu.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace structtensor::records_internal {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 0xff];
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

uint64_t LoadWord(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cSse42(std::string_view bytes) {
  uint64_t crc = 0xffffffff;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  for (; end - p >= 8; p += 8) crc = _mm_crc32_u64(crc, LoadWord(p));
  for (; p != end; ++p) crc = _mm_crc32_u8(static_cast<uint32_t>(crc), static_cast<uint8_t>(*p));
  return ~static_cast<uint32_t>(crc);
}
#endif

using Crc32cFunction = uint32_t (*)(std::string_view);

Crc32cFunction ChooseCrc32c() {
#if defined(__x86_64__)
  if (base_internal::ChosenCpuLevel() >= base_internal::CpuLevel::kAvx2) return Crc32cSse42;
#endif
  return Crc32cPortable;
}

}  // namespace

uint32_t Crc32cPortable(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  for (; end - p >= 8; p += 8) {
    const uint64_t word = LoadWord(p) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; p != end; ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(*p)) & 0xff];
  return ~crc;
}

uint32_t Crc32c(std::string_view bytes) {
  static const Crc32cFunction crc32c = ChooseCrc32c();
  return crc32c(bytes);
}

}  // namespace structtensor::records_internal
