// Streams of batches for Arrow's PyCapsule protocol.
#ifndef STRUCTTENSOR_PYTHON_ARROW_H_
#define STRUCTTENSOR_PYTHON_ARROW_H_

#include <nanobind/nanobind.h>

#include "structtensor/bridges/arrow/stream.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::python {

// A capsule "arrow_array_stream" of the batches that `next` returns, which is called in any thread, without the interpreter's
// lock.
nanobind::object ArrowStream(const StructuredTensorSpec& spec, NextBatch next);

// A capsule "arrow_schema".
nanobind::object ArrowSchemaOf(const StructuredTensorSpec& spec);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_ARROW_H_
