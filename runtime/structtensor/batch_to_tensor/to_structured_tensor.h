// From columns to tensors: a decoded batch as a StructuredTensor that shares its memory.
#ifndef STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_
#define STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_

#include "absl/status/statusor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/tensor/value.h"

namespace structtensor {

// How a singular scalar field with explicit presence appears.
enum class Optionals {
  kRagged,         // a ragged dimension of length 0 or 1, as the StructuredTensor RFC has it
  kNullable,       // one value a row, with validity: what files and data frames want
  kDefaultFilled,  // one value a row; where absent the default: the one that the schema declares, else zero or empty
};

// How google.protobuf.Timestamp, Duration and the wrappers (Int32Value, ...) appear.
enum class WellKnownTypes {
  kNative,   // timestamp[ns], duration[ns], the wrapped scalar with explicit presence
  kStructs,  // as the messages that they are
};

struct TensorOptions {
  Optionals optionals = Optionals::kRagged;
  WellKnownTypes well_known_types = WellKnownTypes::kNative;
  // Adds to every struct, behind its fields, the bytes tensor `unknown_fields` [nrows] (with '_' behind it where a field has that
  // name): what DecodeOptions::UnknownFields::kKeep kept. Map entries and native well-known types, of which files and data frames
  // expect exactly their parts, have none.
  bool unknown_fields = false;
};

// Returns the batch as a StructuredTensor of rank 1. Every declared field is there, whether data touched it or not, so that all
// batches of a decoder have the same fields, in the order of their numbers, the case columns of oneofs last:
//   implicit presence, required     tensor [nrows]
//   explicit presence               as options.optionals says
//   repeated                        ragged tensor [nrows, None]
//   singular message                structured tensor [nrows] with validity
//   repeated message, group         structured tensor [nrows, None]
//   map                             structured tensor [nrows, None] of kind kMapEntry with fields key and value
//   oneof                           its members, and <oneof>_case: int32 [nrows], 0 for none
// A message type that stands on its own path (a tree, say) is expanded as DecodeOptions::recursion_depth says and is bytes beyond
// it; without that limit it is expanded as far as this batch's data goes, and the fields depend on the data.
//
// Ownership: the result shares the batch's memory and keeps it. Cost: O(columns); only timestamps, durations, ragged wrappers
// and columns filled with declared defaults are computed from their parts.
// Errors: OutOfRange for a Timestamp or Duration that int64 nanoseconds cannot hold (years 1677 to 2262); the message names field,
// row and value. Nothing is clamped.
absl::StatusOr<StructuredTensor> ToStructuredTensor(const DecodedBatch& batch, const TensorOptions& options = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_
