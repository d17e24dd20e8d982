// Writes rows to the files of a folder, one for each value of some columns, named as Hive, Spark, pyarrow and DuckDB name them:
//
//   day=2024-05-01/service=cart%2Fcheckout/part-0.parquet
//   day=2024-05-01/service=__HIVE_DEFAULT_PARTITION__/part-0.parquet        where the service is absent
//
// A folder gets more files (part-1, part-2, ...) if the metadata of its first file would need too much memory.
// These columns are not in the files. Parquet and Arrow files name them in their metadata.
#ifndef STRUCTTENSOR_APP_SINKS_PARTITIONED_SINK_H_
#define STRUCTTENSOR_APP_SINKS_PARTITIONED_SINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/sinks/output_folder.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// The metadata key under which a file names the columns whose values its folders are named after: their paths, one on each
// line, outermost first.
inline constexpr char kPartitionByMetadataKey[] = "structtensor.partition_by";
// Takes the place of an absent value in a folder's name.
inline constexpr std::string_view kAbsentPartition = "__HIVE_DEFAULT_PARTITION__";

struct PartitionedSinkOptions {
  SinkOptions files = {};
  // Paths of different columns: strings, integers, booleans and enums that have at most one value in a row. They may be fields
  // of messages that are not repeated ("resource.service"). At least one. The first names the outermost folders.
  std::vector<std::string> partition_by = {};
  // If there are more different values than this, writing fails. A file for each of them is open at a time. At least 1.
  size_t max_partitions = 1000;
  // When the rows that all files keep in memory take more than about this many bytes, files write their rows, beginning with
  // the files that have most. At least 0.
  int64_t max_buffered_bytes = int64_t{256} << 20;
  // When what all files keep in memory until they are finished (Sink::retained_bytes) takes more than about this many bytes,
  // files are finished, beginning with those that keep most. Later rows with their values go into new files. At least 0.
  int64_t max_retained_bytes = int64_t{64} << 20;
};

class PartitionedSink : public Sink {
 public:
  // Returns a sink that makes its files in `folder`, which must outlive it. The caller commits the folder after Finish().
  //   empty  a batch without rows that has the fields of all batches
  // Errors: InvalidArgument or NotFound, with the path, if a path does not name such a column; the errors of Sink::Create.
  static absl::StatusOr<std::unique_ptr<PartitionedSink>> Create(const PartitionedSinkOptions& options, OutputFolder* folder,
                                                                 const StructuredTensor& empty);
  // The errors of Create, found without a folder.
  static absl::Status Check(const PartitionedSinkOptions& options, const StructuredTensor& empty);

  ~PartitionedSink() override;

  // Errors of all: the errors of the files' sinks and of OutputFolder::MakeFile, with the name of the file. ResourceExhausted
  //   if there are more than max_partitions. OutOfRange for a value that cannot be part of a folder's name: the name would have
  //   more than 255 bytes, or the value is kAbsentPartition.
  absl::Status Write(const StructuredTensor& batch) override;
  absl::Status Flush() override;
  int64_t buffered_bytes() const override;
  int64_t retained_bytes() const override;
  absl::Status Finish() override;

 private:
  class Impl;

  explicit PartitionedSink(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SINKS_PARTITIONED_SINK_H_
