// Parquet's hybrid of runs and bit-packing, in which levels and dictionary indices are stored
// (https://github.com/apache/parquet-format/blob/master/Encodings.md, "Run Length Encoding / Bit-Packing Hybrid").
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_HYBRID_ENCODING_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_HYBRID_ENCODING_H_

#include <cstdint>
#include <span>

#include "structtensor/core/base/shared/growing_array.h"

namespace structtensor::column_files_internal {

using Bytes = base_internal::GrowingArray<uint8_t>;

// Appends an unsigned LEB128 number.
inline void AppendVarint(uint64_t value, Bytes& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

// How many bits a number from 0 to `max` needs.
constexpr int BitWidthOf(uint32_t max) {
  int bits = 0;
  for (; max != 0; max >>= 1) ++bits;
  return bits;
}

// Appends `values` to `out`. Several calls with the same bit width make one sequence. `last` is true in the last call, which
// may leave a group of eight packed values unfilled.
// Requires: each value is at least 0 and less than 2^bit_width, and bit_width is at most the number of bits of a value.
void AppendHybrid(std::span<const int16_t> values, int bit_width, bool last, Bytes& out);
void AppendHybrid(std::span<const uint16_t> values, int bit_width, bool last, Bytes& out);
void AppendHybrid(std::span<const uint32_t> values, int bit_width, bool last, Bytes& out);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_HYBRID_ENCODING_H_
