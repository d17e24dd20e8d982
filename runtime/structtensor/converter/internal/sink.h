// Where decoded batches go.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_SINK_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_SINK_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::converter_internal {

enum class SinkFormat { kParquet, kArrowFile, kArrowStream, kJsonLines };

// A file in the making. All formats are written from front to back, so that pipes can take them.
class Sink {
 public:
  virtual ~Sink() = default;

  // Appends the rows of `batch`. Requires: rank 1 and the schema that the sink was made for.
  virtual absl::Status Write(const StructuredTensor& batch) = 0;

  // Writes what is left and the format's end. To be called once, after the last Write; a sink that is destroyed without has an
  // incomplete file.
  virtual absl::Status Finish() = 0;
};

// Returns a sink that writes to `fd`, which stays open and belongs to the caller.
//   schema  of all batches, with unknown sizes
// Errors: those of writing (a format may begin with a header), without the file's name; InvalidArgument if the format has no
//   place for the schema.
absl::StatusOr<std::unique_ptr<Sink>> MakeSink(SinkFormat format, int fd, const StructuredTensorSpec& schema);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_SINK_H_
