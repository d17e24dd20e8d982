// Zstandard and LZ4 decompression of a byte source.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_CODEC_SOURCE_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_CODEC_SOURCE_H_

#include <memory>

#include "structtensor/io/records/internal/byte_source.h"

namespace structtensor::records_internal {

// Each returns the uncompressed bytes of `compressed`, which has one frame after another (as `cat a.zst b.zst` makes them).
// Checksums are verified if the file has them. Reading returns DataLoss if a frame is damaged or ends early. With Zstandard it
// also returns ResourceExhausted for a window of more than 128 MiB (files of `zstd --long=28` and more), to bound the memory,
// and FailedPrecondition for a frame that needs a dictionary.
std::unique_ptr<ByteSource> MakeZstdSource(std::unique_ptr<ByteSource> compressed);
std::unique_ptr<ByteSource> MakeLz4Source(std::unique_ptr<ByteSource> compressed);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_CODEC_SOURCE_H_
