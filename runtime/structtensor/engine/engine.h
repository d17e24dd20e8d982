// Decoding and encoding without generated code: by tables, which are made from plans when the program runs.
//
//   const std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(plan_of_the_schema);
//   BatchDecoder decoder(*plan);
//
// The tables drive the same archetypes that generated code is made of (decode/internal/fields.h, encode/internal/fields.h),
// into the same columns, so that results, errors, options, projections and unknown fields are the same.
#ifndef STRUCTTENSOR_ENGINE_ENGINE_H_
#define STRUCTTENSOR_ENGINE_ENGINE_H_

#include <memory>

#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

class DecoderLibrary;

// Returns a copy of `root`, with copies of all message types that it reaches, whose decode and encode functions are the
// engine's. Whether `root` has functions does not matter.
//
// Ownership: the result keeps the copies and their tables; every decoder, encoder and batch that is made with it must be gone
// before it is. Names, enums and keys stay where `root` has them. Thread-safe: the result is never written to.
// Cost: O(fields).
// Requires: node_size_bytes and the columns' offsets are set, the offsets are multiples of eight bytes, and no message type has
// more than 2^24 - 1 fields.
//
// `library` (decode/decoder_library.h): null, or where decode functions come from instead, if it has them for all of these
// types; it must outlive the result.
std::shared_ptr<const plan::MessagePlan> MakeEnginePlan(const plan::MessagePlan& root, const DecoderLibrary* library = nullptr);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_ENGINE_ENGINE_H_
