// Where the rows of a scan go: files of columns, or of lines.
//
// This folder may include base/, storage/, tensor/, path/, ops/ and bridges/arrow_files.
#ifndef STRUCTTENSOR_SINKS_SINK_H_
#define STRUCTTENSOR_SINKS_SINK_H_

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
#include "structtensor/bridges/arrow/arrow_layout.h"
#include "structtensor/bridges/arrow_files/column_id.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor {

// kCsv has a column for each field that is not repeated; schemas with others are refused. kNpz has NumPy's arrays, each of
// all rows: nothing is written before Finish().
enum class SinkFormat { kParquet, kArrowFile, kArrowStream, kJsonLines, kCsv, kNpz };

enum class SinkCompression {
  kDefault,  // of the format: Parquet by zstd, else snappy where Arrow was built without; others not at all
  kNone,
  kSnappy,  // Parquet only
  kZstd,    // Parquet and Arrow
};

struct SinkOptions {
  SinkFormat format = SinkFormat::kJsonLines;
  SinkCompression compression = SinkCompression::kDefault;
  int threads = 1;  // that encode columns of Parquet at a time; the file does not depend on it
  // Where kNpz keeps what does not stay in memory, as much as its file has, in a file without a name; "" for the folder that
  // TMPDIR names, or /tmp.
  std::string scratch_folder = "";
  // Keys and values that Parquet and Arrow files carry beside their columns, all of them UTF-8.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // The numbers of their columns.
  std::vector<ColumnId> ids = {};
  // What their columns are in Arrow and Parquet where their TypeSpecs do not say it.
  std::vector<ArrowLayout> layouts = {};
};

// The name of a format, as commands take and print it: "parquet", "arrow", "arrows", "jsonl", "csv" or "npz". And all formats.
std::string_view SinkFormatName(SinkFormat format);
std::span<const SinkFormat> SinkFormats();

// The format that the ending of a path stands for (".parquet"), if it stands for one; and all endings that do: ".parquet,
// .arrow, ...".
std::optional<SinkFormat> SinkFormatOfPath(std::string_view path);
std::string SinkEndings();
// The ending that files of a format have (".parquet").
std::string_view SinkEndingOf(SinkFormat format);

// A file in the making. All formats are written from front to back, so that pipes can take them.
class Sink {
 public:
  // Returns a sink that writes to `fd`, which stays open and belongs to the caller.
  //   schema  of all batches, with unknown sizes
  // Errors: those of writing (a format may begin with a header), without the file's name; InvalidArgument if the format has no
  //   place for the schema, or no such compression.
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const SinkOptions& options, int fd, const StructuredTensorSpec& schema);

  // The errors of Create that are about options and schema, without a file.
  static absl::Status Check(const SinkOptions& options, const StructuredTensorSpec& schema);

  virtual ~Sink() = default;

  // Appends the rows of `batch`. Requires: rank 1 and the schema that the sink was made for.
  // Errors: of writing, without the file's name; what the format cannot hold.
  virtual absl::Status Write(const StructuredTensor& batch) = 0;

  // Writes rows that are in memory still, as far as the format lets it. For those who have many sinks: files are better, and
  // made faster, where a sink may wait for more rows. Errors: of writing, without the file's name.
  virtual absl::Status Flush() = 0;
  // The memory of these rows, about.
  virtual int64_t buffered_bytes() const = 0;

  // Writes what is left and the format's end. To be called once, after the last Write; a sink that is destroyed without has an
  // incomplete file.
  virtual absl::Status Finish() = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_SINKS_SINK_H_
