// Parquet and Arrow files as sinks: the converter's only contact with runtime/bridges/arrow_files.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_FILE_SINK_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_FILE_SINK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/converter/internal/sink.h"

namespace structtensor::converter_internal {

// As MakeSink. Requires: format is not kJsonLines.
absl::StatusOr<std::unique_ptr<Sink>> MakeColumnFileSink(SinkFormat format, int fd, const StructuredTensorSpec& schema);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_COLUMN_FILE_SINK_H_
