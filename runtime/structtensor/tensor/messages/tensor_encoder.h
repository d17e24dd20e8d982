// From tensors to messages: encodes a StructuredTensor whose fields fit a message type as serialized messages of that type.
//
//   absl::StatusOr<structtensor::TensorEncoder> encoder = structtensor::TensorEncoder::Create(plan);
//   absl::StatusOr<structtensor::EncodedBatch> messages = encoder->Encode(recipes);
//
// The inverse of tensor/messages/to_structured_tensor.h, for tensors of any origin. Buffers whose layout fits are read in
// place, by the same functions that encode decoded batches.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_TENSOR_ENCODER_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_TENSOR_ENCODER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/values/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct TensorEncodeOptions {
  // As in EncodeOptions. Unknown fields come from the bytes fields `unknown_fields` of ToStructuredTensor().
  bool sort_map_keys = false;
  bool unknown_fields = true;
  // Skips fields that the message type does not have instead of refusing them.
  bool ignore_extra_fields = false;
  // Writes messages without their required fields instead of refusing them.
  bool allow_missing_required = false;
};

// Encodes tensors as messages of one type. Keep the encoder: it reuses its memory once the previous batch is released. Only one
// thread at a time may use it; encoders are independent of each other.
class TensorEncoder {
 public:
  // `plan` must outlive the encoder.
  // Errors: FailedPrecondition if the plan has no encode functions (because its code was generated without encoders).
  static absl::StatusOr<TensorEncoder> Create(const plan::MessagePlan& plan, TensorEncodeOptions options = {});
  // Takes a plan that a Schema has made (app/schema/schema.h). The encoder keeps it alive. Same errors. Requires: plan is not
  // null.
  static absl::StatusOr<TensorEncoder> Create(std::shared_ptr<const plan::MessagePlan> plan, TensorEncodeOptions options = {});

  ~TensorEncoder();
  TensorEncoder(TensorEncoder&&) noexcept;
  TensorEncoder& operator=(TensorEncoder&&) noexcept;

  // Returns a message for each row of `rows`. Fields match by name (for an extension, "[pkg.name]"), or by the name that an
  // annotation gives their column. Fields that `rows` lacks are absent. A message that an annotation flattens is present where
  // one of its columns has a value.
  //
  //   field of the message         what `rows` may have
  //   singular                     a tensor [nrows], absent where it has no value; a ragged tensor [nrows, 0 or 1]
  //   singular message             structs in the same two forms; serialized bytes (not strings), which are checked and
  //                                written unchanged
  //   repeated                     a ragged tensor [nrows, None], a dense one [nrows, n]; also of structs or serialized bytes
  //   map                          structs [nrows, None] with fields key and value; structs [nrows] with a field for each key,
  //                                whose rows have an entry for each field that is present
  //   oneof                        its members; <oneof>_case says which one counts where members have a value in every row,
  //                                which of nullable times are 0 in the rows of other members
  //   Timestamp, Duration          timestamps and durations, in any unit; or structs
  //   wrappers (Int32Value, ...)   the wrapped scalar; or structs
  //   numbers                      numbers and booleans that the field can hold without loss; floats of 16 bits
  //   enum                         numbers, or names as strings; digits are read as numbers
  //   string, bytes                strings and bytes; a string must be UTF-8 where the schema requires it
  //
  // A tensor of booleans represents messages with only presence, which is how files store types without fields: true makes an
  // empty message, false or absent makes none.
  //
  // If a field has presence, a present value is written even if it is the default. The contents of absent structs are ignored.
  //
  // Errors: InvalidArgument if `rows` is not of rank 1, the message type does not have a field, or the shape or type of a field
  //   does not fit; the message has the field path. OutOfRange if a value does not fit: two members of one oneof, a number out
  //   of range, an unknown name of an enum, invalid UTF-8, an absent element of a repeated field, an absent required field,
  //   bytes that are not a message of the field's type (their required fields are not looked for); the message has the row, the
  //   field path and the value. ResourceExhausted if a message would exceed protobuf's limit of 2 GiB, or one field has more
  //   than 2^32 - 2 elements.
  // `first_row`: the number of the first row in errors, for rows that are a part of a larger input.
  absl::StatusOr<EncodedBatch> Encode(const StructuredTensor& rows, int64_t first_row = 0);

 private:
  class Impl;

  explicit TensorEncoder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_TENSOR_ENCODER_H_
