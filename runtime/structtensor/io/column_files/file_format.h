// The formats of column files, and how the files of each may be compressed.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_FILE_FORMAT_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_FILE_FORMAT_H_

#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace structtensor {

// Columns have the types that structtensor/io/arrow/export.h lists.
enum class FileFormat {
  kParquet,      // the Arrow schema goes into the metadata, so that Arrow readers get the same types back
  kArrowFile,    // Arrow IPC with a footer, for random access ("Feather V2")
  kArrowStream,  // Arrow IPC without a footer
  kCsv,          // text with a header line of field paths; no repeated fields; absent values are empty
};

enum class FileCompression {
  kDefault,  // DefaultCompressionOf() the format, or a weaker one if Arrow was built without it
  kNone,
  kSnappy,
  kZstd,
  kGzip,
  kLz4,  // LZ4_RAW in Parquet, LZ4_FRAME in Arrow files
};

struct CompressionCodec {
  FileCompression compression;
  std::string_view name;  // in commands: "zstd"
  bool in_parquet;
  bool in_arrow;
  // The compression levels, inclusive. Both are 0 if the codec has no levels.
  int least_level;
  int greatest_level;
};

// All compressions except kDefault.
std::span<const CompressionCodec> CompressionCodecs();
// Requires: one of CompressionCodecs().
const CompressionCodec& CodecOf(FileCompression compression);

FileCompression DefaultCompressionOf(FileFormat format);

// Returns InvalidArgument if `compression`, the value of the option called `option`, is not a value of the enum.
absl::Status CheckCompressionValue(std::string_view option, FileCompression compression);

// Returns InvalidArgument if files of `format` cannot have `compression`, or the codec does not have `level`.
// Requires: values of the enums.
absl::Status CheckCompression(FileFormat format, FileCompression compression, std::optional<int> level);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_FILE_FORMAT_H_
