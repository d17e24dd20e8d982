// From columns to tensors: a decoded batch as a StructuredTensor that shares its memory.
#ifndef STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_
#define STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/dtype.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How a singular field with explicit presence appears.
enum class Optionals {
  kRagged,    // a ragged dimension of length 0 or 1, as the StructuredTensor RFC has it; messages likewise
  kNullable,  // one value a row, with validity: what files and data frames want; messages likewise
  // One value a row; where absent the default: the one that the schema declares, else zero or empty. Messages, which have none,
  // keep their validity.
  kDefaultFilled,
};

// How google.protobuf.Timestamp, Duration and the wrappers (Int32Value, ...) appear.
enum class WellKnownTypes {
  kNative,   // timestamps and durations in one unit, the wrapped scalar with explicit presence
  kStructs,  // as the messages that they are
};

// For fields whose annotations (proto_schemas/structtensor/options.proto) say nothing else.
struct TensorOptions {
  Optionals optionals = Optionals::kRagged;
  WellKnownTypes well_known_types = WellKnownTypes::kNative;
  // The unit of native timestamps and durations. What is finer is cut off, towards the past. What int64 cannot hold in this
  // unit is absent: nanoseconds reach from 1677 to 2262, microseconds 292,000 years to either side. The end of the year 9999,
  // which many systems write for "never", needs microseconds.
  TimeUnit timestamps = TimeUnit::kNanoseconds;
  // Adds to every struct, behind its fields, the bytes tensor `unknown_fields` [nrows] (with '_' behind it where a field has
  // that name): what DecodeOptions::UnknownFields::kKeep kept. Map entries and native well-known types, of which files and data
  // frames expect exactly their parts, have none.
  bool unknown_fields = false;
};

// The times of one field that int64 cannot hold in the unit that was asked for.
struct TimesOutOfRange {
  std::string field_path;  // "a.b.c"
  int64_t count = 0;
  TimeUnit unit = TimeUnit::kNanoseconds;
  bool annotated = false;  // the unit comes from the field's annotation, not from TensorOptions
};

// Returns the batch as a StructuredTensor of rank 1. Every declared field is there, whether data touched it or not, so that all
// batches of a decoder have the same fields, in the order of their numbers, the case columns of oneofs last:
//   implicit presence, required     tensor [nrows]
//   explicit presence               as options.optionals says
//   repeated                        ragged tensor [nrows, None]
//   singular message                as options.optionals says: structured tensor [nrows, None], or [nrows] with validity
//   required message                structured tensor [nrows]
//   repeated message, group         structured tensor [nrows, None]
//   map                             structured tensor [nrows, None] of kind kMapEntry with fields key and value
//   oneof                           its members, and <oneof>_case: int32 [nrows], 0 for none
// Annotations leave fields out, rename them, and say otherwise for some of them (docs/formats.md). The columns of a flattened
// message that may be absent are absent where it is, as optionals are.
// Native timestamps and durations always have validity, whatever their presence: a time that int64 cannot hold in the unit is
// absent in the tensor, or of the elements of a ragged tensor. Fields with such times are added to `out_of_range`, if that is
// not null.
//
// A message type that stands on its own path (a tree, say) is expanded as DecodeOptions::recursion_depth says and is bytes
// beyond it; without that limit it is expanded as far as this batch's data goes, and the fields depend on the data.
//
// Ownership: the result shares the batch's memory and keeps it. Cost: O(columns); only timestamps, durations, ragged wrappers
// and columns filled with declared defaults are computed from their parts, and under kRagged a message that is absent in some
// rows is copied without these, once for each such message around it.
// Errors: InvalidArgument if an option is not in its enum (the message names it), and if there would be more than 1,000,000
//   columns. ResourceExhausted if what is computed would exceed the decoder's max_memory_bytes together with the batch's
//   columns.
absl::StatusOr<StructuredTensor> ToStructuredTensor(const DecodedBatch& batch, const TensorOptions& options = {},
                                                    std::vector<TimesOutOfRange>* out_of_range = nullptr);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_BATCH_TO_TENSOR_TO_STRUCTURED_TENSOR_H_
