// Parquet's DELTA_BINARY_PACKED: integers as bit-packed differences from the integers before them
// (https://github.com/apache/parquet-format/blob/master/Encodings.md, "Delta Encoding").
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_DELTA_ENCODING_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_DELTA_ENCODING_H_

#include <cstdint>
#include <span>

#include "structtensor/io/column_files/internal/hybrid_encoding.h"

namespace structtensor::column_files_internal {

// Appends `values`, which are all values of a page, to `out`. Signed and unsigned integers with the same bits have the same
// encoding. It exceeds the size of the values by at most 1/32 and 300 bytes.
// Cost: O(number of values).
void AppendDelta(std::span<const uint32_t> values, Bytes& out);
void AppendDelta(std::span<const uint64_t> values, Bytes& out);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_DELTA_ENCODING_H_
