// Packs integers into as few bits as they need, as Parquet's encodings have them.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_

#include <cstddef>
#include <cstdint>

namespace structtensor::column_files_internal {

// Values are packed in groups of eight.
inline constexpr size_t kPackedGroup = 8;

// Packs the values of `groups` groups, from the least significant bit on, and returns the end of the `groups` * `bit_width`
// bytes. May write up to seven bytes more.
// Requires: each value is less than 2^bit_width, and bit_width is at most the number of bits of a value.
uint8_t* PackBits(const uint16_t* values, size_t groups, int bit_width, uint8_t* out);
uint8_t* PackBits(const uint32_t* values, size_t groups, int bit_width, uint8_t* out);
uint8_t* PackBits(const uint64_t* values, size_t groups, int bit_width, uint8_t* out);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_
