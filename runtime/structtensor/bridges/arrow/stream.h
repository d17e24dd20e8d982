// Batches of rows, one after another, through the Arrow C stream interface: what pyarrow, DuckDB, polars and pandas read in a
// loop.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_STREAM_H_
#define STRUCTTENSOR_BRIDGES_ARROW_STREAM_H_

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/bridges/arrow/arrow_layout.h"
#include "structtensor/bridges/arrow/c_data.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the next batch, or nothing at the end.
using NextBatch = std::function<absl::StatusOr<std::optional<StructuredTensor>>()>;

// Makes *out the stream of the batches that `next` returns, as ExportBatch (export.h) writes them. The consumer calls `next` in
// whatever thread it reads, one at a time; an error of `next`, or of a batch that is not of `spec`, is an error of the stream,
// with its message.
//   layouts  as ExportSchema has them
// Ownership: *out is overwritten, and its owner has to release it, which destroys `next`; left empty on error.
// Errors: those of ExportSchema.
absl::Status ExportStream(const StructuredTensorSpec& spec, NextBatch next, ArrowArrayStream* out,
                          std::vector<ArrowLayout> layouts = {});

// Returns the arrays of the stream as ImportValue (import.h) reads them; one without rows if there are none.
// Ownership: the call takes over `stream`, also when it fails: its release is null then.
// Errors: those of ImportValue; what the stream says of its own errors, as Unknown, and of its memory, as ResourceExhausted.
absl::StatusOr<std::vector<Value>> ImportStream(ArrowArrayStream* stream);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_BRIDGES_ARROW_STREAM_H_
