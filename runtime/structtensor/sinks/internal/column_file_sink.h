// Parquet, Arrow and CSV files as sinks: the only code of sinks that calls bridges/arrow_files.
#ifndef STRUCTTENSOR_SINKS_INTERNAL_COLUMN_FILE_SINK_H_
#define STRUCTTENSOR_SINKS_INTERNAL_COLUMN_FILE_SINK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/bridges/arrow_files/file_format.h"
#include "structtensor/sinks/sink.h"

namespace structtensor::sinks_internal {

// Both require a format that is neither kJsonLines nor kNpz.
FileFormat FileFormatOf(SinkFormat format);
// As Sink::Create.
absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFileSink(const SinkOptions& options, int fd,
                                                         const StructuredTensorSpec& schema);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_SINKS_INTERNAL_COLUMN_FILE_SINK_H_
