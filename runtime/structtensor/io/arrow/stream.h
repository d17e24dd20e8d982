// Batches of rows, one after another, through the Arrow C stream interface, which pyarrow, DuckDB, polars and pandas read.
#ifndef STRUCTTENSOR_IO_ARROW_STREAM_H_
#define STRUCTTENSOR_IO_ARROW_STREAM_H_

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/arrow/c_data.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the next batch, or nothing at the end.
using NextBatch = std::function<absl::StatusOr<std::optional<StructuredTensor>>()>;

// Makes *out a stream of the batches that `next` returns, written as by ExportBatch (export.h). The consumer calls `next` in
// any thread, one call at a time. An error of `next`, or a batch that does not have `spec`, is an error of the stream, with its
// message.
//   layouts  as in ExportSchema
// Ownership: *out is overwritten, and its owner must release it, which destroys `next`. On error it is left empty.
// Errors: the errors of ExportSchema.
absl::Status ExportStream(const StructuredTensorSpec& spec, NextBatch next, ArrowArrayStream* out,
                          std::vector<ArrowLayout> layouts = {});

// Returns the arrays of the stream as ImportValue (import.h) reads them. If there are none, returns one without rows.
// Ownership: the call takes over `stream`, also when it fails: its release is null afterwards.
// Errors: the errors of ImportValue; the stream's own errors, as ResourceExhausted if it lacks memory, else as Unknown.
absl::StatusOr<std::vector<Value>> ImportStream(ArrowArrayStream* stream);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_ARROW_STREAM_H_
