// The tables that drive the engine's encode function: one for each message type, made from its plan.
#ifndef STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_
#define STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_

#include <cstdint>
#include <vector>

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::engine_internal {

// The archetypes (core/encode/abi/fields.h). Those of one form are in the order of plan::Scalar, with strings at the end.
// clang-format off
#define STRUCTTENSOR_ENGINE_ENCODE_OPS(X)                                                                                   \
  X(None)                                                                                                                   \
  STRUCTTENSOR_ENGINE_WRITTEN(X, Singular) X(SingularString)                                                                \
  STRUCTTENSOR_ENGINE_WRITTEN(X, NonZero) X(NonZeroString)                                                                  \
  STRUCTTENSOR_ENGINE_WRITTEN(X, Entry) X(EntryString)                                                                      \
  STRUCTTENSOR_ENGINE_WRITTEN(X, Repeated) X(RepeatedString)                                                                \
  STRUCTTENSOR_ENGINE_WRITTEN(X, Packed)                                                                                    \
  X(SingularMessage) X(EntryMessage) X(RepeatedMessage) X(Map) X(SingularGroup) X(RepeatedGroup) X(MessageSetItem)
#define STRUCTTENSOR_ENGINE_WRITTEN(X, form)                                                                                \
  STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_ENGINE_ENCODE_NAMED, X, form)                                                   \
  STRUCTTENSOR_FIXED_SIZES(STRUCTTENSOR_ENGINE_ENCODE_NAMED, X, form##Fixed)
#define STRUCTTENSOR_ENGINE_ENCODE_NAMED(X, form, name) X(form##name)
// clang-format on

#define STRUCTTENSOR_ENGINE_ENCODE_OP(name) k##name,
enum class EncodeOp : uint8_t { STRUCTTENSOR_ENGINE_ENCODE_OPS(STRUCTTENSOR_ENGINE_ENCODE_OP) };
#undef STRUCTTENSOR_ENGINE_ENCODE_OP

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

// Requires: the plans of the messages in `message` have their encode functions.
EncodeTable MakeEncodeTable(const plan::MessagePlan& message);

// The plan::EncodeFunction of all message types whose plan's encode_program is an EncodeTable.
uint8_t* Encode(uint8_t* p, plan::EncodeSource* source, uint32_t row, plan::EncodeState* state);

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_
