// Gzip decompression of a byte source.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_GZIP_SOURCE_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_GZIP_SOURCE_H_

#include <memory>

#include "structtensor/io/records/internal/byte_source.h"

namespace structtensor::records_internal {

// Returns the uncompressed bytes of `compressed`, which has one gzip member after another (as `cat a.gz b.gz` makes them) and
// may be padded with zeros. Reading returns DataLoss if a member is damaged or ends early.
std::unique_ptr<ByteSource> MakeGzipSource(std::unique_ptr<ByteSource> compressed);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_GZIP_SOURCE_H_
