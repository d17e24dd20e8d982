// The engine's decode function: a loop over the steps of a table. Each step is one of the archetypes that generated code is
// made of. Each archetype ends in a jump of its own, so that processors can predict where it leads. The first byte of the next
// tag selects the target. After a longer tag, the decoder first compares the next tag with the ones it expects.
#include <cstdint>

#include "structtensor/core/decode/abi/fields.h"
#include "structtensor/core/engine/internal/decode_table.h"

namespace structtensor::engine_internal {
namespace {

// Parts of a step that are read only when they are needed, so that they occupy no register before. The field's index is read
// outside the fast path, and the bit of the presence word is read after the value.
struct StepField {
  const DecodeStep* step;
  operator uint32_t() const { return step->field; }  // NOLINT: used as the number
};
struct StepPresence {
  const DecodeStep* step;
  operator uint64_t() const { return step->presence; }  // NOLINT: used as the bit
};

using namespace decode_internal;  // NOLINT: the archetypes, whose names the ops have

template <bool kByRow>
const uint8_t* Decode(const uint8_t* p, const uint8_t* end, TreeNode* node, uint64_t row_and_nesting, DecodeContext* context,
                      const DecodeStep* steps);

// One argument for both, so that all six arguments are passed in registers.
STRUCTTENSOR_INLINE uint64_t RowAndNesting(uint32_t row, uint32_t nesting) { return uint64_t{nesting} << 32 | row; }

// Calls the decode function of the message that `step` reads. Takes the message's steps from `step`: the way through the
// child's node and its plan would take three more loads.
struct DecodeChild {
  const DecodeStep* step;

  STRUCTTENSOR_INLINE const uint8_t* operator()(const uint8_t* p, const uint8_t* end, TreeNode* child, uint32_t row,
                                                uint32_t nesting, DecodeContext* context) const {
    return step->child_by_row ? Decode<true>(p, end, child, RowAndNesting(row, nesting), context, step->child_steps)
                              : Decode<false>(p, end, child, RowAndNesting(row, nesting), context, step->child_steps);
  }
};

// Returns the position after the message, or null after an error, like plan::DecodeFunction. kByRow: rows have presence words.
template <bool kByRow>
const uint8_t* Decode(const uint8_t* p, const uint8_t* end, TreeNode* const node, uint64_t row_and_nesting,
                      DecodeContext* const context, const DecodeStep* const steps) {
// Jumps through tables of labels: a GNU extension that gcc and clang both support. There is one table for each tag size that
// the code knows. So the place in the code says where a value begins, and the processor need not wait for the step to be
// loaded.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define STRUCTTENSOR_ENGINE_LABEL(name) &&name,
#define STRUCTTENSOR_ENGINE_LABEL_1(name) &&name##_1,
#define STRUCTTENSOR_ENGINE_LABEL_2(name) &&name##_2,
#define STRUCTTENSOR_ENGINE_LABEL_N(name) &&name##_N,
  static const void* const kLabels_1[] = {STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_LABEL)
                                              STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_1)};
  static const void* const kLabels_2[] = {STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_LABEL)
                                              STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_2)};
  static const void* const kLabels_N[] = {STRUCTTENSOR_ENGINE_OTHER_OPS(STRUCTTENSOR_ENGINE_LABEL)
                                              STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_N)};
#undef STRUCTTENSOR_ENGINE_LABEL
#undef STRUCTTENSOR_ENGINE_LABEL_1
#undef STRUCTTENSOR_ENGINE_LABEL_2
#undef STRUCTTENSOR_ENGINE_LABEL_N

  const uint32_t row = static_cast<uint32_t>(row_and_nesting);
  const uint32_t nesting = static_cast<uint32_t>(row_and_nesting >> 32);
  const DecodeStep* step = steps;

  uint64_t present = 0;
  if constexpr (kByRow) {
    if (row == node->rows_entered && row < node->presence_limit) [[likely]] {
      node->rows_entered = row + 1;
    } else {
      if (!EnterRow(node, row, context)) return nullptr;
      present = node->presence[row];
    }
  }

  // Inline, so that `step` and `present` stay in registers.
  const auto at = [&]() __attribute__((always_inline)) {
    if constexpr (kByRow) {
      return PresentAt<StepPresence>{present, {step}};
    } else {
      return Appended{};
    }
  };
  // For a member of a oneof: clears the other members. Returns false after an error.
  const auto take_oneof = [&]() __attribute__((always_inline)) {
    if constexpr (kByRow) {
      at().ClearOthers(step->other_members, node, row, context);
      return true;
    } else {
      const plan::FieldPlan& case_field = node->plan->fields[step->oneof_case];
      return SetOneof(ColumnAt(node, case_field), static_cast<int32_t>(step->tag >> 3), node, step->oneof_case, row, context);
    }
  };

#define STRUCTTENSOR_ENGINE_COLUMN ColumnAt(node, *step), node, StepField{step}, row

// Jumps to the archetype. First come comparisons with the most frequent archetypes: if predicted, they cost nothing, while a
// predicted jump through a table still costs some cycles. Measured on Zen 4: messages of twenty fields take 0.85 of the time.
// Three more comparisons make it slower again.
#define STRUCTTENSOR_ENGINE_JUMP_1(op)                              \
  {                                                                 \
    if ((op) == DecodeOp::kSingularBytes) goto SingularBytes_1;     \
    if ((op) == DecodeOp::kSingularUtf8) goto SingularUtf8_1;       \
    if ((op) == DecodeOp::kSingularMessage) goto SingularMessage_1; \
    if ((op) == DecodeOp::kSingularInt32) goto SingularInt32_1;     \
    goto* kLabels_1[static_cast<size_t>(op)];                       \
  }
#define STRUCTTENSOR_ENGINE_JUMP_2(op)                          \
  {                                                             \
    if ((op) == DecodeOp::kSingularBytes) goto SingularBytes_2; \
    if ((op) == DecodeOp::kSingularUtf8) goto SingularUtf8_2;   \
    if ((op) == DecodeOp::kSingularBool) goto SingularBool_2;   \
    if ((op) == DecodeOp::kSingularInt32) goto SingularInt32_2; \
    goto* kLabels_2[static_cast<size_t>(op)];                   \
  }
#define STRUCTTENSOR_ENGINE_JUMP_N(op) goto* kLabels_N[static_cast<size_t>(op)];

// Finds the step of the tag at `p` by its first byte. A longer tag leads to kLongerTagStep.
#define STRUCTTENSOR_ENGINE_FIND                         \
  if (p == nullptr) [[unlikely]]                         \
    return nullptr;                                      \
  if (__builtin_expect(p >= end, 0)) goto done;          \
  {                                                      \
    const FirstByteEntry found = ByFirstByte(steps)[*p]; \
    step = found.StepIn(steps);                          \
    STRUCTTENSOR_ENGINE_JUMP_1(found.Op())               \
  }
// Like FIND, for the code after a longer tag, where more longer tags are likely.
#define STRUCTTENSOR_ENGINE_EXPECT(size)                               \
  if (p == nullptr) [[unlikely]]                                       \
    return nullptr;                                                    \
  if (__builtin_expect(p >= end, 0)) goto done;                        \
  {                                                                    \
    const uint32_t bytes = wire_internal::Load<uint32_t>(p);           \
    if (STRUCTTENSOR_ENGINE_IS_EXPECTED_##size(bytes, 0)) [[likely]] { \
      const DecodeOp op = step->next_op[0];                            \
      step += step->next[0];                                           \
      STRUCTTENSOR_ENGINE_JUMP_##size(op)                              \
    }                                                                  \
    if (STRUCTTENSOR_ENGINE_IS_EXPECTED_##size(bytes, 1)) [[likely]] { \
      const DecodeOp op = step->next_op[1];                            \
      step += step->next[1];                                           \
      STRUCTTENSOR_ENGINE_JUMP_##size(op)                              \
    }                                                                  \
    if ((bytes & 0x80) != 0) [[likely]]                                \
      goto LongerTag;                                                  \
    goto find;                                                         \
  }
#define STRUCTTENSOR_ENGINE_IS_EXPECTED_2(bytes, i) static_cast<uint16_t>(bytes) == step->expected[i]
#define STRUCTTENSOR_ENGINE_IS_EXPECTED_N(bytes, i) \
  step->expected[i] != DecodeStep::kNeverMet && (bytes & 0xffffffff >> (32 - 8 * step->tag_size_bytes)) == step->expected[i]
#define STRUCTTENSOR_ENGINE_NEXT_1 STRUCTTENSOR_ENGINE_FIND
#define STRUCTTENSOR_ENGINE_NEXT_2 STRUCTTENSOR_ENGINE_EXPECT(2)
#define STRUCTTENSOR_ENGINE_NEXT_N STRUCTTENSOR_ENGINE_EXPECT(N)
#define STRUCTTENSOR_ENGINE_TAG_BYTES_1 1
#define STRUCTTENSOR_ENGINE_TAG_BYTES_2 2
#define STRUCTTENSOR_ENGINE_TAG_BYTES_N step->tag_size_bytes

// `size` is 1, 2 or N: the class of the tag's size. The code after a tag: for values without a length prefix, for values with
// one, for messages and for groups.
#define STRUCTTENSOR_ENGINE_SCALAR(size, name, function, ...)                                                              \
  name##_##size : p = function(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context); \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_DELIMITED(size, name, function, ...)                                                      \
  name##_##size                                                                                                       \
      : p = function(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context); \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_MESSAGE(size, name, ...)                                                          \
  name##_##size : p = decode_internal::name(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, DecodeChild{step}, \
                                            STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context);        \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_GROUP(size, name, ...)                                                                            \
  name##_##size : p = decode_internal::name(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, step->tag >> 3, DecodeChild{step}, \
                                            STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context);                        \
  STRUCTTENSOR_ENGINE_NEXT_##size

find:
  STRUCTTENSOR_ENGINE_FIND

LongerTag : {
  const uint32_t bytes = wire_internal::Load<uint16_t>(p);
  if ((bytes & 0x8000) == 0) [[likely]] {
    const uint32_t tag = (bytes & 0x7f) | bytes >> 8 << 7;
    const StepAndOp found = steps[DecodeTable::kLongerTagStep].table->FirstOfNumber(tag >> 3);
    step = steps + found.step;
    // The field's number belongs to the steps of this one field only.
    if (step->tag == tag) [[likely]]
      STRUCTTENSOR_ENGINE_JUMP_2(found.op)
    ++step;
    if (step->tag == tag) STRUCTTENSOR_ENGINE_JUMP_2(step->op)
    if (!EndsGroup(tag) || tag < 0x80) goto Other;
    if constexpr (kByRow) node->presence[row] = present;
    return EndGroup(p, end, tag, nesting, context);
  }
  step = steps + steps[DecodeTable::kLongerTagStep].table->FindLong(p);
  STRUCTTENSOR_ENGINE_JUMP_N(step->op)
}

GroupEnd:
  if constexpr (kByRow) node->presence[row] = present;
  return EndGroup(p, end, *p, nesting, context);

Other : {
  if constexpr (kByRow) node->presence[row] = present;
  const OtherField other = ReadOtherField(p, end, node->plan->decode, node, row, nesting, context);
  p = other.next;
  if (other.stop != 0) return p;
  if constexpr (kByRow) present = node->presence[row];
  goto find;
}

MessageSetItem:
  p = decode_internal::MessageSetItem(p + 1, end, node, row, nesting, context);
  STRUCTTENSOR_ENGINE_FIND

#define STRUCTTENSOR_ENGINE_VARINT(size, kind)                                                    \
  STRUCTTENSOR_ENGINE_SCALAR(size, Singular##kind, decode_internal::SingularVarint<kind>, at(), ) \
  STRUCTTENSOR_ENGINE_SCALAR(size, Repeated##kind, decode_internal::RepeatedVarint<kind>, )       \
  STRUCTTENSOR_ENGINE_DELIMITED(size, Packed##kind, decode_internal::PackedVarint<kind>, )

#define STRUCTTENSOR_ENGINE_FIXED(size, bits)                                                                   \
  STRUCTTENSOR_ENGINE_SCALAR(size, SingularFixed##bits, decode_internal::SingularFixed<uint##bits##_t>, at(), ) \
  STRUCTTENSOR_ENGINE_SCALAR(size, RepeatedFixed##bits, decode_internal::RepeatedFixed<uint##bits##_t>, )       \
  STRUCTTENSOR_ENGINE_DELIMITED(size, PackedFixed##bits, decode_internal::PackedFixed<uint##bits##_t>, )

// clang-format off
#define STRUCTTENSOR_ENGINE_CASES(size)                                                                                     \
  OneofMember_##size:                                                                                                       \
  if (!take_oneof()) return nullptr;                                                                                        \
  STRUCTTENSOR_ENGINE_JUMP_##size(step->member_op)                                                                          \
  STRUCTTENSOR_READ_VARINTS(STRUCTTENSOR_ENGINE_VARINT, size)                                                               \
  STRUCTTENSOR_FIXED_SIZES(STRUCTTENSOR_ENGINE_FIXED, size)                                                                 \
  STRUCTTENSOR_ENGINE_DELIMITED(size, SingularBytes, decode_internal::SingularString<decode_internal::kBytes>, at(), )      \
  STRUCTTENSOR_ENGINE_DELIMITED(size, SingularUtf8, decode_internal::SingularString<decode_internal::kUtf8>, at(), )        \
  STRUCTTENSOR_ENGINE_DELIMITED(size, RepeatedBytes, decode_internal::RepeatedString<decode_internal::kBytes>, )            \
  STRUCTTENSOR_ENGINE_DELIMITED(size, SingularFixedSize, decode_internal::SingularString<decode_internal::kFixedSize>,      \
                                at(), )                                                                                     \
  STRUCTTENSOR_ENGINE_DELIMITED(size, RepeatedFixedSize, decode_internal::RepeatedString<decode_internal::kFixedSize>, )    \
  STRUCTTENSOR_ENGINE_DELIMITED(size, RepeatedUtf8, decode_internal::RepeatedString<decode_internal::kUtf8>, )              \
  STRUCTTENSOR_ENGINE_SCALAR(size, SingularClosedEnum, decode_internal::SingularClosedEnum, at(), )                         \
  STRUCTTENSOR_ENGINE_SCALAR(size, MapValueClosedEnum, decode_internal::MapValueClosedEnum, at(), )                         \
  STRUCTTENSOR_ENGINE_SCALAR(size, OneofClosedEnum, decode_internal::OneofClosedEnum, at(), take_oneof, )                   \
  STRUCTTENSOR_ENGINE_SCALAR(size, RepeatedClosedEnum, decode_internal::RepeatedClosedEnum, )                               \
  STRUCTTENSOR_ENGINE_DELIMITED(size, PackedClosedEnum, decode_internal::PackedClosedEnum, )                                \
  STRUCTTENSOR_ENGINE_MESSAGE(size, SingularMessage, at(), )                                                                \
  STRUCTTENSOR_ENGINE_MESSAGE(size, RepeatedMessage, )                                                                      \
  STRUCTTENSOR_ENGINE_MESSAGE(size, ClosedEnumMap, )                                                                        \
  STRUCTTENSOR_ENGINE_GROUP(size, SingularGroup, at(), )                                                                    \
  STRUCTTENSOR_ENGINE_GROUP(size, RepeatedGroup, )
  // clang-format on

  STRUCTTENSOR_ENGINE_CASES(1)
  STRUCTTENSOR_ENGINE_CASES(2)
  STRUCTTENSOR_ENGINE_CASES(N)

done:
  if constexpr (kByRow) node->presence[row] = present;
  return AtEnd(p, end, nesting, context);
#pragma GCC diagnostic pop
#undef STRUCTTENSOR_ENGINE_COLUMN
#undef STRUCTTENSOR_ENGINE_FIND
#undef STRUCTTENSOR_ENGINE_JUMP_1
#undef STRUCTTENSOR_ENGINE_JUMP_2
#undef STRUCTTENSOR_ENGINE_JUMP_N
#undef STRUCTTENSOR_ENGINE_EXPECT
#undef STRUCTTENSOR_ENGINE_IS_EXPECTED_2
#undef STRUCTTENSOR_ENGINE_IS_EXPECTED_N
#undef STRUCTTENSOR_ENGINE_NEXT_1
#undef STRUCTTENSOR_ENGINE_NEXT_2
#undef STRUCTTENSOR_ENGINE_NEXT_N
#undef STRUCTTENSOR_ENGINE_TAG_BYTES_1
#undef STRUCTTENSOR_ENGINE_TAG_BYTES_2
#undef STRUCTTENSOR_ENGINE_TAG_BYTES_N
#undef STRUCTTENSOR_ENGINE_SCALAR
#undef STRUCTTENSOR_ENGINE_DELIMITED
#undef STRUCTTENSOR_ENGINE_MESSAGE
#undef STRUCTTENSOR_ENGINE_GROUP
#undef STRUCTTENSOR_ENGINE_VARINT
#undef STRUCTTENSOR_ENGINE_FIXED
#undef STRUCTTENSOR_ENGINE_CASES
}

// The function that other code calls. It knows the node's plan, but not the steps.
template <bool kByRow>
const uint8_t* ByPlan(const uint8_t* p, const uint8_t* end, plan::DecodeTarget* target, uint32_t row, uint32_t nesting,
                      plan::DecodeState* state) {
  TreeNode* const node = NodeOf(target);
  const DecodeTable& table = *static_cast<const DecodeTable*>(node->plan->decode_program);
  return Decode<kByRow>(p, end, node, RowAndNesting(row, nesting), ContextOf(state), table.steps.data());
}

}  // namespace

constinit const plan::DecodeFunction kDecodeByRow = ByPlan<true>;
constinit const plan::DecodeFunction kDecodeAppended = ByPlan<false>;

}  // namespace structtensor::engine_internal
