// What the engine's decode function goes by: one table for each message type, made from its plan.
//
// A table has a step for each way in which a field may stand on the wire: the tag, the archetype that reads the value
// (decode/internal/fields.h), where it goes, and which steps are to be expected behind it. Finding the step of a tag that was
// not expected takes one or two loads.
#ifndef STRUCTTENSOR_ENGINE_INTERNAL_DECODE_TABLE_H_
#define STRUCTTENSOR_ENGINE_INTERNAL_DECODE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structtensor/plan/plan.h"

namespace structtensor::engine_internal {

// The archetypes, in the order of the labels in decode.cc. X is called with the name of each: of those that are there once,
// and of those that read a value, which are there for each TagSizeClass.
// clang-format off
#define STRUCTTENSOR_ENGINE_OTHER_OPS(X)                                                                                    \
  X(Other)        /* a tag that no step has */                                                                              \
  X(LongerTag)    /* a tag of two bytes or more, whose first one does not tell the field */                                 \
  X(GroupEnd)     /* an END_GROUP of one byte */                                                                            \
  X(OneofMember)  /* clears the other members of the oneof; member_labels tell what reads the value */                      \
  X(MessageSetItem)
#define STRUCTTENSOR_ENGINE_VALUE_OPS(X)                                                                                    \
  X(SingularInt32) X(SingularInt64) X(SingularSint32) X(SingularSint64) X(SingularBool) X(SingularFixed32)                  \
  X(SingularFixed64) X(SingularBytes) X(SingularUtf8)                                                                       \
  X(SingularClosedEnum) X(MapValueClosedEnum) X(OneofClosedEnum) X(SingularMessage) X(SingularGroup)                        \
  X(RepeatedInt32) X(RepeatedInt64) X(RepeatedSint32) X(RepeatedSint64) X(RepeatedBool) X(RepeatedFixed32)                  \
  X(RepeatedFixed64) X(RepeatedBytes) X(RepeatedUtf8)                                                                       \
  X(RepeatedClosedEnum) X(RepeatedMessage) X(RepeatedGroup) X(ClosedEnumMap)                                                \
  X(PackedInt32) X(PackedInt64) X(PackedSint32) X(PackedSint64) X(PackedBool) X(PackedFixed32) X(PackedFixed64)             \
  X(PackedClosedEnum)
// clang-format on

#define STRUCTTENSOR_ENGINE_OP(name) k##name,
enum class DecodeOp : uint8_t {
  STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_OP) STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_OP)
};
#undef STRUCTTENSOR_ENGINE_OP
#define STRUCTTENSOR_ENGINE_ONE(name) +1
inline constexpr size_t kDecodeOps =
    0 STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_ONE) STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_ONE);
#undef STRUCTTENSOR_ENGINE_ONE

// How many bytes a tag has, as far as the code that reads the value behind it knows.
enum class TagSizeClass : uint8_t { kOneByte, kTwoBytes, kMoreBytes };
inline constexpr size_t kTagSizeClasses = 3;

// All that the decode function asks for at a field, in one cache line.
struct alignas(64) DecodeStep {
  static constexpr size_t kExpected = 2;
  static constexpr uint32_t kNeverMet = 0xffffffff;

  const void* label = nullptr;  // where the archetype `op` is in the decode function
  // Behind a tag of two to four bytes: the tags that are expected next, as they stand on the wire. They have as many bytes;
  // kNeverMet stands in place of others.
  std::array<uint32_t, kExpected> expected = {kNeverMet, kNeverMet};
  std::array<int16_t, kExpected> next = {};  // how many steps from here that of the expected tag is
  uint32_t tag = 0;
  uint64_t presence = 0;  // bit of the presence word
  uint32_t column_offset = 0;
  uint32_t field : 24 = 0;  // index in the plan
  uint32_t tag_size_bytes : 8 = 0;
  DecodeOp op = DecodeOp::kOther;
  plan::DecodeFunction decode = nullptr;  // of a message
  union {
    uint64_t other_members;  // of a oneof's member, with presence words: the bits of the others
    uint32_t oneof_case;     // without: index of the case column
  };

  DecodeStep() : other_members(0) {}
};
static_assert(sizeof(DecodeStep) == 64);

// The first steps are none: their bytes are the index of the steps by the first byte of a tag, so that one pointer leads to
// both. Then come those for kOther, kLongerTag and kGroupEnd, that of the items of a MessageSet, and the others in the order of
// field numbers.
struct DecodeTable : plan::DecodeProgram {
  static constexpr uint32_t kIndexSteps = 256 / sizeof(DecodeStep);
  static constexpr uint32_t kOtherStep = kIndexSteps;
  static constexpr uint32_t kLongerTagStep = kIndexSteps + 1;
  static constexpr uint32_t kGroupEndStep = kIndexSteps + 2;
  static constexpr uint32_t kFirstStep = kIndexSteps + 3;

  std::vector<DecodeStep> steps;           // and one without a tag behind them
  std::vector<uint32_t> by_number;         // of fields with tags of two bytes, by their number: the first step, or kOtherStep
  std::vector<const void*> member_labels;  // of steps for kOneofMember: what reads the value
  uint32_t first_long_step = 0;            // the first with a tag of three bytes or more; 0 if there is none
  uint32_t numbers = 0;                    // size of by_number, ready to be compared with

  // The step of the field that has this number and tags of two bytes, or kOtherStep. If the field may stand on the wire in two
  // ways, the step of the other one follows.
  __attribute__((always_inline)) uint32_t FirstOfNumber(uint32_t number) const {
    return number < numbers ? by_number.data()[number] : kOtherStep;
  }

  // The step of a tag of three bytes or more at `p`, or kOtherStep.
  uint32_t FindLong(const uint8_t* p) const;
};

// The index of the step of a tag of one byte; of kLongerTag for the first byte of another.
inline const uint8_t* ByFirstByte(const DecodeStep* steps) { return reinterpret_cast<const uint8_t*>(steps); }

// The table of `message`. Requires: the plans of the messages in it have their decode functions.
DecodeTable MakeDecodeTable(const plan::MessagePlan& message);

// The function of all message types whose plan's decode_program is a DecodeTable: of those whose rows have presence words, and
// of the others.
extern const plan::DecodeFunction kDecodeByRow;
extern const plan::DecodeFunction kDecodeAppended;

// Where `function`, one of these two, has the archetype.
const void* LabelOf(plan::DecodeFunction function, TagSizeClass size, DecodeOp op);

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_ENGINE_INTERNAL_DECODE_TABLE_H_
