// Where the rows of a scan go: files of columns, or of lines. CMake target: structtensor::sinks (component files).
#ifndef STRUCTTENSOR_APP_SINKS_SINK_H_
#define STRUCTTENSOR_APP_SINKS_SINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/column_files/column_id.h"
#include "structtensor/io/column_files/file_format.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// kJsonLines has a line for each row: a JSON object of its columns, which is not protobuf's JSON. kCsv has a column for each
// field; schemas with repeated fields are errors. kNpz has NumPy arrays of all rows: nothing is written before Finish().
enum class SinkFormat { kParquet, kArrowFile, kArrowStream, kJsonLines, kCsv, kNpz };

// Of Parquet and Arrow files; the others have kDefault or kNone.
using SinkCompression = FileCompression;

struct SinkOptions {
  SinkFormat format = SinkFormat::kJsonLines;
  SinkCompression compression = SinkCompression::kDefault;
  // See CompressionCodecs(). Without a value, the codec chooses.
  std::optional<int> compression_level = std::nullopt;
  int threads = 1;  // how many encode Parquet columns at a time; the file does not depend on it
  // Where kNpz keeps the data that does not stay in memory, up to the size of its file, in a file without a name; "" for the
  // folder that TMPDIR names, or /tmp.
  std::string scratch_folder = "";
  // Keys and values that Parquet and Arrow files store beside their columns, all UTF-8.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // The numbers of their columns. For rows of messages, WithMessage() of message_columns.h sets metadata, ids and layouts.
  std::vector<ColumnId> ids = {};
  // How their columns are stored in Arrow and Parquet where their TypeSpecs do not say it.
  std::vector<ArrowLayout> layouts = {};
};

// SinkFormatName: the name in commands, "parquet", "arrow", "arrows", "rows", "csv" or "npz". SinkFormats: all formats.
std::string_view SinkFormatName(SinkFormat format);
std::span<const SinkFormat> SinkFormats();
// All names, with what they mean, for people: "parquet, arrow (IPC file), ... or npz (NumPy's arrays)".
std::string SinkFormatsHelp();

// SinkFormatOfPath: the format for the ending of a path (".parquet"), or nothing if it has none. SinkEndings: all endings that
// have a format, ".parquet, .arrow, ...".
std::optional<SinkFormat> SinkFormatOfPath(std::string_view path);
std::string SinkEndings();
// The ending of files of a format (".parquet").
std::string_view SinkEndingOf(SinkFormat format);
// Whether files of the format can be the files of partitions, and whether they can be compressed.
bool HasPartitions(SinkFormat format);
bool HasCompression(SinkFormat format);

// The compression that files have with these options. Requires: values of the enums.
SinkCompression CompressionOf(const SinkOptions& options);
// The errors of Sink::Create that are about the compression and its level.
absl::Status CheckCompression(const SinkOptions& options);

// Writes one file. All formats are written from front to back, so that pipes can take them.
class Sink {
 public:
  // Returns a sink that writes to `fd`, which stays open and belongs to the caller.
  //   schema  the spec of the batches; the spec of any batch will do, since sizes are ignored
  // Errors: the errors of writing (a format may begin with a header), without the file's name; InvalidArgument if the format
  //   cannot hold the schema, or does not have the compression or its level.
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const SinkOptions& options, int fd, const StructuredTensorSpec& schema);

  // The errors of Create that are about options and schema, found without a file.
  static absl::Status Check(const SinkOptions& options, const StructuredTensorSpec& schema);

  virtual ~Sink() = default;

  // Appends the rows of `batch`. Requires: rank 1 and the schema that the sink was made for.
  // Errors: of writing, without the file's name; values that the format cannot hold.
  virtual absl::Status Write(const StructuredTensor& batch) = 0;

  // Writes the rows that are still in memory, as far as the format allows it. For programs with many sinks: files are better,
  // and made faster, if a sink may wait for more rows. Errors: of writing, without the file's name.
  virtual absl::Status Flush() = 0;
  // The approximate memory of these rows.
  virtual int64_t buffered_bytes() const = 0;
  // The approximate memory that only Finish() frees, such as the metadata that the end of the file will have.
  virtual int64_t retained_bytes() const = 0;

  // Writes what is left and the end of the format. To be called once, after the last Write. Without it, the file is incomplete.
  virtual absl::Status Finish() = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SINKS_SINK_H_
