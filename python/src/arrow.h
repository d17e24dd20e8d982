// Streams of batches for Arrow's PyCapsule protocol.
#ifndef STRUCTTENSOR_PYTHON_ARROW_H_
#define STRUCTTENSOR_PYTHON_ARROW_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/arrow/stream.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::python {

// A capsule "arrow_array_stream" of the batches that `next` returns. `next` may be called in any thread, without the
// interpreter's lock. `layouts`: as for ExportStream.
nanobind::object ArrowStream(const StructuredTensorSpec& spec, NextBatch next, std::vector<ArrowLayout> layouts = {});

// A capsule "arrow_schema".
nanobind::object ArrowSchemaOf(const StructuredTensorSpec& spec, const std::vector<ArrowLayout>& layouts = {});

// A tuple of capsules "arrow_schema" and "arrow_array": a record batch. `layouts` grow as in ExportBatch. Errors: those of
// ExportBatch.
absl::StatusOr<nanobind::object> ArrowBatchOf(const StructuredTensor& batch, const StructuredTensorSpec& spec,
                                              std::span<ArrowLayout> layouts);

// A capsule "arrow_array_stream" of one batch. Errors: those of ExportBatch.
nanobind::object ArrowStreamOfOne(const StructuredTensor& rows, std::vector<ArrowLayout> layouts = {});

// The record batch that an object with __arrow_c_array__ gives. `max_dictionary_bytes` and errors: those of ImportBatch. Throws
// the exceptions of the object.
absl::StatusOr<StructuredTensor> BatchOfArrow(nanobind::handle object,
                                              int64_t max_dictionary_bytes = std::numeric_limits<int64_t>::max());

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_ARROW_H_
