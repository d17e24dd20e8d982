// Compresses the pages of a Parquet file.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PAGE_CODEC_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PAGE_CODEC_H_

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

#include <cstddef>
#include <memory>

#include "structtensor/io/column_files/internal/hybrid_encoding.h"

namespace structtensor::column_files_internal {

struct ArrowCodec {
  arrow::Compression::type type = arrow::Compression::UNCOMPRESSED;
  int level = arrow::util::kUseDefaultCompressionLevel;
};

// Returns a buffer that owns `bytes`.
std::shared_ptr<arrow::Buffer> BufferOf(Bytes bytes);

// Returns the compressed bytes of `page`.
// Errors: CapacityError for 2^31 bytes and more; others if the codec fails.
arrow::Result<std::shared_ptr<arrow::Buffer>> Compressed(ArrowCodec codec, Bytes page);

// Returns how many bytes `sample` takes once it is compressed.
// Errors: if the codec fails.
arrow::Result<size_t> CompressedSize(ArrowCodec codec, const Bytes& sample);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PAGE_CODEC_H_
