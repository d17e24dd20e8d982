// From tensors to messages: a StructuredTensor whose fields fit a message type, as serialized messages of that type.
//
//   absl::StatusOr<structtensor::TensorEncoder> encoder = structtensor::TensorEncoder::Create(plan);
//   absl::StatusOr<structtensor::EncodedBatch> messages = encoder->Encode(recipes);
//
// The way back of batch_to_tensor/to_structured_tensor.h, for tensors from anywhere. Buffers whose layout already fits are read
// where they are, by the same functions that encode decoded batches.
#ifndef STRUCTTENSOR_TENSOR_TO_MESSAGES_TENSOR_ENCODER_H_
#define STRUCTTENSOR_TENSOR_TO_MESSAGES_TENSOR_ENCODER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "structtensor/encode/encoder.h"
#include "structtensor/plan/plan.h"
#include "structtensor/tensor/structured_tensor.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct TensorEncodeOptions {
  // As in EncodeOptions. Unknown fields are those of the bytes fields that TensorOptions::unknown_fields makes.
  bool sort_map_keys = false;
  bool unknown_fields = true;
  // Passes over fields that the message type does not have instead of refusing them.
  bool ignore_extra_fields = false;
  // Writes messages without their required fields instead of refusing them.
  bool allow_missing_required = false;
};

// Encodes tensors of one message type. Keep it: it reuses its memory as soon as nobody holds the batch before. One thread at a
// time; encoders are independent of each other.
class TensorEncoder {
 public:
  // `plan` must outlive the encoder and what it makes.
  // Errors: FailedPrecondition if the plan has no encode functions (that of code which was generated without encoders).
  static absl::StatusOr<TensorEncoder> Create(const plan::MessagePlan& plan, TensorEncodeOptions options = {});

  ~TensorEncoder();
  TensorEncoder(TensorEncoder&&) noexcept;
  TensorEncoder& operator=(TensorEncoder&&) noexcept;

  // Returns a message for each row of `rows`. Fields match by name, an extension's being "[pkg.name]", or by the name that an
  // annotation gives their column; fields that `rows` lacks are absent. A message that an annotation flattens is present where
  // one of its columns has a value.
  //
  //   field of the message         what `rows` may have
  //   singular                     a tensor [nrows], absent where it has no value; a ragged tensor [nrows, 0 or 1]
  //   singular message             the same of structs; serialized bytes (not strings), which are written as they are
  //   repeated                     a ragged tensor [nrows, None], a dense one [nrows, n]; structs or serialized bytes likewise
  //   map                          structs [nrows, None] with fields key and value; structs [nrows] with a field for each key,
  //                                whose rows have an entry for each field that is present
  //   oneof                        its members; <oneof>_case says which one counts where members have a value in every row
  //   Timestamp, Duration          timestamps and durations, in any unit, beside structs
  //   wrappers (Int32Value, ...)   the wrapped scalar, beside structs
  //   numbers                      numbers and booleans that the field can hold without loss; floats of 16 bits
  //   enum                         numbers, or names as strings, of which digits are numbers
  //   string, bytes                strings and bytes; a string has to be UTF-8 where the schema asks for that
  //
  // A tensor of booleans stands for messages of which only presence is known, as files have them of types without fields: true
  // makes an empty message, false or absent none.
  //
  // A value that is present is written even if it is the default, where the field has presence. Structs that are absent have no
  // fields, whatever is in their rows.
  //
  // Errors: InvalidArgument if `rows` is not of rank 1, or a field is none of the message type's, or has a shape or type that
  //   does not fit; the message has the field path. OutOfRange if a value does not fit: two of one oneof, a number out of
  //   range, an unknown name of an enum, invalid UTF-8, an absent element of a repeated field, an absent required field; the
  //   message has the row, the field path and the value. ResourceExhausted if a message would be longer than the 2 GiB that
  //   protobuf allows, or there are more than 2^32 - 2 elements of one field.
  // `first_row`: the number that errors give the first row, for rows that are part of something larger.
  absl::StatusOr<EncodedBatch> Encode(const StructuredTensor& rows, int64_t first_row = 0);

 private:
  class Impl;

  explicit TensorEncoder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TO_MESSAGES_TENSOR_ENCODER_H_
