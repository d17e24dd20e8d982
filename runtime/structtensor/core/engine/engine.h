// Decoding and encoding without generated code: with tables that are made from plans at run time.
//
//   const std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(plan_of_the_schema);
//   BatchDecoder decoder(*plan);
//
// The tables drive the archetypes that generated code is made of (core/decode/abi/fields.h, core/encode/abi/fields.h) and fill
// the same columns. So results, errors, options, projections and unknown fields are the same.
#ifndef STRUCTTENSOR_CORE_ENGINE_ENGINE_H_
#define STRUCTTENSOR_CORE_ENGINE_ENGINE_H_

#include <memory>

#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns a copy of `root`, with copies of all message types that it reaches. The copies have the engine's decode and encode
// functions, whether or not `root` has functions.
//
// Ownership: the result keeps the copies and their tables; it must outlive every decoder, encoder and batch that is made with
// it. Names, enums and keys are not copied: they stay in `root`. Thread-safe: the result is never written to.
// Cost: O(fields).
// Requires: node_size_bytes and the columns' offsets are set, the offsets are multiples of eight bytes, and no message type has
// more than 2^24 - 1 fields.
std::shared_ptr<const plan::MessagePlan> MakeEnginePlan(const plan::MessagePlan& root);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENGINE_ENGINE_H_
