// Parquet, Arrow and CSV files as sinks: the only code of sinks that calls io/column_files.
#ifndef STRUCTTENSOR_APP_SINKS_INTERNAL_COLUMN_FILE_SINK_H_
#define STRUCTTENSOR_APP_SINKS_INTERNAL_COLUMN_FILE_SINK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/io/column_files/file_format.h"

namespace structtensor::sinks_internal {

// As Sink::Create, for the format of io/column_files that options.format is.
absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFileSink(FileFormat format, const SinkOptions& options, int fd,
                                                         const StructuredTensorSpec& schema);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_APP_SINKS_INTERNAL_COLUMN_FILE_SINK_H_
