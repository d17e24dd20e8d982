// Packs integers of a fixed bit width, in the layout of Parquet's encodings.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_

#include <cstddef>
#include <cstdint>

namespace structtensor::column_files_internal {

// Values are packed in groups of eight.
inline constexpr size_t kPackedGroup = 8;

// Packs `groups` groups of values, the least significant bit first, into `groups` * `bit_width` bytes. Returns the end of these
// bytes. Up to seven bytes after it may be overwritten.
// Requires: each value is less than 2^bit_width, and bit_width is at most the number of bits of a value.
uint8_t* PackBits(const uint16_t* values, size_t groups, int bit_width, uint8_t* out);
uint8_t* PackBits(const uint32_t* values, size_t groups, int bit_width, uint8_t* out);
uint8_t* PackBits(const uint64_t* values, size_t groups, int bit_width, uint8_t* out);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_BIT_PACKING_H_
