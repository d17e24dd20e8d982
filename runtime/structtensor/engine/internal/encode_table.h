// What the engine's encode function goes by: one table for each message type, made from its plan.
#ifndef STRUCTTENSOR_ENGINE_INTERNAL_ENCODE_TABLE_H_
#define STRUCTTENSOR_ENGINE_INTERNAL_ENCODE_TABLE_H_

#include <cstdint>
#include <vector>

#include "structtensor/encode/internal/varint.h"
#include "structtensor/plan/plan.h"

namespace structtensor::engine_internal {

// The archetypes (encode/internal/fields.h), in the order of their labels in encode.cc.
// clang-format off
#define STRUCTTENSOR_ENGINE_ENCODE_OPS(X)                                                                                   \
  X(None)                                                                                                                   \
  X(SingularInt32) X(SingularInt64) X(SingularUint32) X(SingularUint64) X(SingularSint32) X(SingularSint64) X(SingularBool) \
  X(SingularFixed32) X(SingularFixed64) X(SingularString)                                                                   \
  X(NonZeroInt32) X(NonZeroInt64) X(NonZeroUint32) X(NonZeroUint64) X(NonZeroSint32) X(NonZeroSint64) X(NonZeroBool)        \
  X(NonZeroFixed32) X(NonZeroFixed64) X(NonZeroString)                                                                      \
  X(EntryInt32) X(EntryInt64) X(EntryUint32) X(EntryUint64) X(EntrySint32) X(EntrySint64) X(EntryBool)                      \
  X(EntryFixed32) X(EntryFixed64) X(EntryString)                                                                            \
  X(RepeatedInt32) X(RepeatedInt64) X(RepeatedUint32) X(RepeatedUint64) X(RepeatedSint32) X(RepeatedSint64) X(RepeatedBool) \
  X(RepeatedFixed32) X(RepeatedFixed64) X(RepeatedString)                                                                   \
  X(PackedInt32) X(PackedInt64) X(PackedUint32) X(PackedUint64) X(PackedSint32) X(PackedSint64) X(PackedBool)               \
  X(PackedFixed32) X(PackedFixed64)                                                                                         \
  X(SingularMessage) X(EntryMessage) X(RepeatedMessage) X(Map) X(SingularGroup) X(RepeatedGroup) X(MessageSetItem)
// clang-format on

enum class EncodeOp : uint8_t {
#define STRUCTTENSOR_ENGINE_OP(name) k##name,
  STRUCTTENSOR_ENGINE_ENCODE_OPS(STRUCTTENSOR_ENGINE_OP)
#undef STRUCTTENSOR_ENGINE_OP
};

struct EncodeStep {
  EncodeOp op = EncodeOp::kNone;
  uint32_t column_offset = 0;
  uint64_t presence = 0;  // of a singular field, its bit in the presence word; else none
  encode_internal::VariableTag tag;
  encode_internal::VariableTag end_tag;   // of a group
  plan::EncodeFunction encode = nullptr;  // of a message
  bool taken = false;                     // a singular field of a type without presence words
};

struct EncodeTable : plan::EncodeProgram {
  std::vector<EncodeStep> steps;  // of each field of the plan; kNone for the cases of oneofs
};

// Requires: the plans of the messages in it have their encode functions.
EncodeTable MakeEncodeTable(const plan::MessagePlan& message);

// plan::EncodeFunction of all message types whose plan's encode_program is an EncodeTable.
uint8_t* Encode(uint8_t* p, plan::EncodeSource* source, uint32_t row, plan::EncodeState* state);

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_ENGINE_INTERNAL_ENCODE_TABLE_H_
