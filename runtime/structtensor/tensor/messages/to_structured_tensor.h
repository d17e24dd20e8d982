// From columns to tensors: a decoded batch as a StructuredTensor that shares the batch's memory.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_TO_STRUCTURED_TENSOR_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_TO_STRUCTURED_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The form of a singular field with explicit presence.
enum class Optionals {
  kRagged,    // a ragged dimension of length 0 or 1, as in the StructuredTensor RFC; also for messages
  kNullable,  // one value per row, with validity, as files and data frames expect; also for messages
  // One value per row. Absent values have the default that the schema declares, else zero or empty. Messages have no default:
  // they keep their validity.
  kDefaultFilled,
};

// The form of google.protobuf.Timestamp, Duration and the wrappers (Int32Value, ...).
enum class WellKnownTypes {
  kNative,   // timestamps and durations in one unit; wrappers as their scalar with explicit presence
  kStructs,  // as messages
};

// The form of enums, and of the case of a oneof. Whatever the form, TensorEncoder reads it.
enum class Enums {
  kNumbers,     // int32: an enum's number; for the case, the number of the member that is set, or 0
  kNames,       // string: the enum's name, or the digits of a number without one; the member's column, or ""
  kDictionary,  // as kNames in tensors; in Arrow and Parquet, a dictionary of all names
};

// The default of TensorOptions::timestamps, and of every option that sets it.
inline constexpr TimeUnit kDefaultTimeUnit = TimeUnit::kMicroseconds;

// Defaults for all fields; annotations (proto_schemas/structtensor/options.proto) override them.
struct TensorOptions {
  Optionals optionals = Optionals::kNullable;
  WellKnownTypes well_known_types = WellKnownTypes::kNative;
  // Numbers cost nothing: they share the batch's memory. Names are made, and take memory for their text.
  Enums enums = Enums::kNumbers;
  // The unit of native timestamps and durations. Finer parts are cut off, towards the past. A time that int64 cannot hold in
  // this unit is absent. Microseconds hold every valid Timestamp and Duration, also those of the years 1 and 9999, which many
  // systems write for "never". Nanoseconds keep all digits, but reach only from 1677 to 2262.
  TimeUnit timestamps = kDefaultTimeUnit;

  friend bool operator==(const TensorOptions&, const TensorOptions&) = default;
};

// How many times of one field differ from those of the messages, because of their unit.
struct InexactTimes {
  std::string field_path;    // "a.b.c"
  int64_t out_of_range = 0;  // absent: int64 cannot hold them in the unit
  int64_t truncated = 0;     // without their digits below the unit
  TimeUnit unit = kDefaultTimeUnit;
  bool annotated = false;  // the unit comes from the field's annotation, not from TensorOptions
};

// Returns the batch as a StructuredTensor of rank 1. It has every declared field, with or without data, so all batches of a
// decoder have the same fields. They are in the order of field numbers, with the case columns of oneofs last:
//   implicit presence, required     tensor [nrows]
//   explicit presence               as options.optionals says
//   repeated                        ragged tensor [nrows, None]
//   singular message                as options.optionals says: structured tensor [nrows, None], or [nrows] with validity
//   required message                structured tensor [nrows]
//   repeated message, group         structured tensor [nrows, None]
//   map                             structured tensor [nrows, None] of kind kMapEntry with fields key and value
//   oneof                           its members, and <oneof>_case [nrows], see Enums
// Annotations can leave fields out, rename them, or change their form (docs/formats.md). The columns of a flattened message are
// absent where the message is absent, like optionals.
// Native timestamps and durations always have validity, whatever their presence: a time that int64 cannot hold in the unit is
// absent in the tensor, or among the elements of a ragged tensor. Fields with such times, or with times that lose digits, are
// added to `inexact_times`, if it is not null.
//
// If the decoder kept unknown fields (DecodeOptions::UnknownFields::kKeep), every struct has after its fields the bytes tensor
// `unknown_fields` [nrows], with '_' appended to the name where a field has it. Map entries and native well-known types do not
// have it: files and data frames expect exactly their parts.
//
// A recursive message type (a tree, for example) is expanded to DecodeOptions::recursion_depth, and is bytes below that depth.
// Without that limit it is expanded as deep as this batch's data, so the fields depend on the data.
//
// Ownership: the result shares the batch's memory and keeps it. Columns that need no memory of their own and cannot fail are
// made when they are first read, by whatever thread. Only timestamps, durations, ragged wrappers, names of enums and columns
// filled with declared defaults are computed from their parts, and under kRagged a message that is absent in some rows is
// copied without these rows, once for each such message around it.
// Cost: O(1) for a struct that has only columns of the first kind, O(columns) for others and for recursive types. For the first
//   batch of a decoder, and each time the options change, O(fields of all message types).
// Errors: InvalidArgument if an option is not in its enum (the message names it), or if there would be more than 1,000,000
//   columns. ResourceExhausted if the batch's columns and the computed data together would exceed the decoder's
//   max_memory_bytes.
absl::StatusOr<StructuredTensor> ToStructuredTensor(const DecodedBatch& batch, const TensorOptions& options = {},
                                                    std::vector<InexactTimes>* inexact_times = nullptr);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_TO_STRUCTURED_TENSOR_H_
