// The tables that drive the engine's decode function: one for each message type, made from its plan.
//
// A table has a step for each encoding that a field may have on the wire: the tag, the archetype that reads the value
// (core/decode/abi/fields.h), where the value goes, and which steps are expected next. Finding the step of an unexpected tag
// takes one or two loads.
#ifndef STRUCTTENSOR_CORE_ENGINE_INTERNAL_DECODE_TABLE_H_
#define STRUCTTENSOR_CORE_ENGINE_INTERNAL_DECODE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::engine_internal {

struct DecodeTable;

// The archetypes, in the order of the labels in decode.cc. X is called with the name of each. OTHER_OPS exist once; VALUE_OPS
// read a value and exist for each TagSizeClass.
// clang-format off
#define STRUCTTENSOR_ENGINE_OTHER_OPS(X)                                                                                    \
  X(Other)        /* a tag that no step has */                                                                              \
  X(LongerTag)    /* a tag of two bytes or more, whose first one does not identify the field */                             \
  X(GroupEnd)     /* an END_GROUP of one byte */                                                                            \
  X(MessageSetItem)
#define STRUCTTENSOR_ENGINE_VALUE_OPS(X)                                                                                    \
  X(OneofMember)  /* clears the other members of the oneof; member_op reads the value */                                    \
  STRUCTTENSOR_ENGINE_SCALAR_OPS(X, Singular) X(SingularBytes) X(SingularUtf8) X(SingularFixedSize)                         \
  X(SingularClosedEnum) X(MapValueClosedEnum) X(OneofClosedEnum) X(SingularMessage) X(SingularGroup)                        \
  STRUCTTENSOR_ENGINE_SCALAR_OPS(X, Repeated) X(RepeatedBytes) X(RepeatedUtf8) X(RepeatedFixedSize)                         \
  X(RepeatedClosedEnum) X(RepeatedMessage) X(RepeatedGroup) X(ClosedEnumMap)                                                \
  STRUCTTENSOR_ENGINE_SCALAR_OPS(X, Packed) X(PackedClosedEnum)
// The ops of one form, "SingularInt32" to "SingularFixed64".
#define STRUCTTENSOR_ENGINE_SCALAR_OPS(X, form)                                                                             \
  STRUCTTENSOR_READ_VARINTS(STRUCTTENSOR_ENGINE_NAMED, X, form)                                                             \
  STRUCTTENSOR_FIXED_SIZES(STRUCTTENSOR_ENGINE_NAMED, X, form##Fixed)
#define STRUCTTENSOR_ENGINE_NAMED(X, form, name) X(form##name)
// clang-format on

#define STRUCTTENSOR_ENGINE_OP(name) k##name,
enum class DecodeOp : uint8_t {
  STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_OP) STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_OP)
};
#undef STRUCTTENSOR_ENGINE_OP
// All data that the decode function needs at a field, in one cache line.
struct alignas(64) DecodeStep {
  static constexpr size_t kExpected = 2;
  static constexpr uint32_t kNeverMet = 0xffffffff;

  // After a tag of two to four bytes: the tags that are expected next, as encoded on the wire. An expected tag has as many
  // bytes as this one; others are replaced by kNeverMet.
  std::array<uint32_t, kExpected> expected = {kNeverMet, kNeverMet};
  std::array<int16_t, kExpected> next = {};      // distance in steps to the step of the expected tag
  std::array<DecodeOp, kExpected> next_op = {};  // the op of that step
  DecodeOp op = DecodeOp::kOther;
  DecodeOp member_op = DecodeOp::kOther;  // of a oneof's member: the op that reads the value
  uint32_t tag = 0;
  uint32_t column_offset = 0;
  uint64_t presence = 0;    // bit of the presence word
  uint32_t field : 24 = 0;  // index in the plan
  uint32_t tag_size_bytes : 8 = 0;
  bool child_by_row = false;                // of a message: whether its rows have presence words
  const DecodeStep* child_steps = nullptr;  // of a message: the steps of its table
  union {
    uint64_t other_members;    // of a oneof's member, with presence words: the bits of the others
    uint32_t oneof_case;       // without: index of the case column
    const DecodeTable* table;  // of kLongerTag's: the table that the step is in
  };

  DecodeStep() : other_members(0) {}
};
static_assert(sizeof(DecodeStep) == 64);

// What the decode function learns about a tag before it reads the step. The op is here, too: after a wrong branch prediction,
// the processor then notices sooner, because it need not load the op from the step.
struct StepAndOp {
  uint32_t step : 24;
  DecodeOp op : 8;
};
// The step and op of a tag of one byte, in fewer instructions: the low 16 bits are the byte offset of the step from the first
// step, and the op is above them.
class FirstByteEntry {
 public:
  FirstByteEntry() = default;
  FirstByteEntry(uint32_t step, DecodeOp op)
      : value_(static_cast<uint32_t>(op) << 16 | static_cast<uint32_t>(step * sizeof(DecodeStep))) {}

  const DecodeStep* StepIn(const DecodeStep* steps) const {
    return reinterpret_cast<const DecodeStep*>(reinterpret_cast<const char*>(steps) + (value_ & 0xffff));
  }
  DecodeOp Op() const { return static_cast<DecodeOp>(value_ >> 16); }

 private:
  uint32_t value_ = 0;
};

// The first kIndexSteps entries of `steps` are not steps: they hold the index of the steps by the first byte of a tag, so that
// one pointer leads to both. Then come the steps for kOther, kLongerTag and kGroupEnd, the step of the items of a MessageSet,
// and the others in the order of field numbers.
struct DecodeTable : plan::DecodeProgram {
  static constexpr uint32_t kIndexSteps = 256 * sizeof(FirstByteEntry) / sizeof(DecodeStep);
  static constexpr uint32_t kOtherStep = kIndexSteps;
  static constexpr uint32_t kLongerTagStep = kIndexSteps + 1;
  static constexpr uint32_t kGroupEndStep = kIndexSteps + 2;
  static constexpr uint32_t kFirstStep = kIndexSteps + 3;
  static constexpr StepAndOp kOther = {.step = kOtherStep, .op = DecodeOp::kOther};

  std::vector<DecodeStep> steps;     // and one without a tag at the end
  std::vector<StepAndOp> by_number;  // for tags of two bytes, by field number: the first step, or kOther
  uint32_t first_long_step = 0;      // the first with a tag of three bytes or more; 0 if none
  uint32_t numbers = 0;              // size of by_number

  // The step of the field that has this number and tags of two bytes, or kOther. If the field has two encodings on the wire,
  // the step of the other encoding follows.
  __attribute__((always_inline)) StepAndOp FirstOfNumber(uint32_t number) const {
    return number < numbers ? by_number.data()[number] : kOther;
  }

  // The step of a tag of three bytes or more at `p`, or kOtherStep.
  uint32_t FindLong(const uint8_t* p) const;
};

// The steps and ops of tags of one byte, by the first byte; kLongerTag for the first byte of a longer tag.
inline const FirstByteEntry* ByFirstByte(const DecodeStep* steps) { return reinterpret_cast<const FirstByteEntry*>(steps); }

// Returns the table of `message`. Its steps of messages do not have their child tables yet.
DecodeTable MakeDecodeTable(const plan::MessagePlan& message);

// Sets the child tables in the steps of `table`. After that `table` must not move. Requires: the messages in `message` have
// their decode_program.
void LinkDecodeTable(const plan::MessagePlan& message, DecodeTable& table);

// The decode functions of all message types whose plan's decode_program is a DecodeTable: kDecodeByRow for types whose rows
// have presence words, kDecodeAppended for the others.
extern const plan::DecodeFunction kDecodeByRow;
extern const plan::DecodeFunction kDecodeAppended;

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_CORE_ENGINE_INTERNAL_DECODE_TABLE_H_
