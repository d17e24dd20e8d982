// The tables that drive the engine's encode function: one for each message type, made from its plan.
#ifndef STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_
#define STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_

#include <cstdint>
#include <vector>

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::engine_internal {

// The archetypes (core/encode/abi/fields.h). Each family is in the order of value_index.h.
enum class EncodeOp : uint8_t {
  kNone,
  kSingularInt32,
  kSingularInt64,
  kSingularUint32,
  kSingularUint64,
  kSingularSint32,
  kSingularSint64,
  kSingularBool,
  kSingularFixed32,
  kSingularFixed64,
  kSingularString,
  kNonZeroInt32,
  kNonZeroInt64,
  kNonZeroUint32,
  kNonZeroUint64,
  kNonZeroSint32,
  kNonZeroSint64,
  kNonZeroBool,
  kNonZeroFixed32,
  kNonZeroFixed64,
  kNonZeroString,
  kEntryInt32,
  kEntryInt64,
  kEntryUint32,
  kEntryUint64,
  kEntrySint32,
  kEntrySint64,
  kEntryBool,
  kEntryFixed32,
  kEntryFixed64,
  kEntryString,
  kRepeatedInt32,
  kRepeatedInt64,
  kRepeatedUint32,
  kRepeatedUint64,
  kRepeatedSint32,
  kRepeatedSint64,
  kRepeatedBool,
  kRepeatedFixed32,
  kRepeatedFixed64,
  kRepeatedString,
  kPackedInt32,
  kPackedInt64,
  kPackedUint32,
  kPackedUint64,
  kPackedSint32,
  kPackedSint64,
  kPackedBool,
  kPackedFixed32,
  kPackedFixed64,
  kSingularMessage,
  kEntryMessage,
  kRepeatedMessage,
  kMap,
  kSingularGroup,
  kRepeatedGroup,
  kMessageSetItem,
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

// Requires: the plans of the messages in `message` have their encode functions.
EncodeTable MakeEncodeTable(const plan::MessagePlan& message);

// The plan::EncodeFunction of all message types whose plan's encode_program is an EncodeTable.
uint8_t* Encode(uint8_t* p, plan::EncodeSource* source, uint32_t row, plan::EncodeState* state);

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_CORE_ENGINE_INTERNAL_ENCODE_TABLE_H_
