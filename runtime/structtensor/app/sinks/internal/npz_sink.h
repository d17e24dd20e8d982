// Files of NumPy arrays, as numpy.load reads them (docs/formats.md names the arrays).
#ifndef STRUCTTENSOR_APP_SINKS_INTERNAL_NPZ_SINK_H_
#define STRUCTTENSOR_APP_SINKS_INTERNAL_NPZ_SINK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/app/sinks/sink.h"

namespace structtensor::sinks_internal {

// As Sink::Create. All batches become one file of whole arrays, so nothing is written before Finish(). What does not stay in
// memory is kept in a file in options.scratch_folder.
absl::StatusOr<std::unique_ptr<Sink>> MakeNpzSink(const SinkOptions& options, int fd, const StructuredTensorSpec& schema);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_APP_SINKS_INTERNAL_NPZ_SINK_H_
