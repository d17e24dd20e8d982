// The engine's decode function: a loop over the steps of a table, each of which is one of the archetypes that generated code is
// made of. Each archetype ends in a jump of its own, so that processors foresee where it leads: by the first byte of the next
// tag, or behind a longer tag by a comparison with those that are expected next.
#include <cstdint>

#include "structtensor/decode/internal/fields.h"
#include "structtensor/engine/internal/decode_table.h"

namespace structtensor::engine_internal {
namespace {

// Parts of a step that are read where they are asked for: the index of its field beside the fast path, its bit of the presence
// word behind the value. So they occupy no register before.
struct StepField {
  const DecodeStep* step;
  operator uint32_t() const { return step->field; }  // NOLINT: stands for the number
};
struct StepPresence {
  const DecodeStep* step;
  operator uint64_t() const { return step->presence; }  // NOLINT: stands for the bit
};

using namespace decode_internal;  // NOLINT: the archetypes, whose names the ops have

// The position behind the message, or null after an error: as plan::DecodeFunction. kByRow: rows have presence words.
template <bool kByRow>
const uint8_t* Decode(const uint8_t* p, const uint8_t* end, plan::DecodeTarget* target, uint32_t row, uint32_t nesting,
                      plan::DecodeState* state) {
// Jumps through tables of labels: a GNU extension that gcc and clang both support. One table for each size of a tag that the
// code knows (TagSizeClass): where a value begins then follows from where the code is, and the processor need not wait for the
// step to know it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define STRUCTTENSOR_ENGINE_LABEL_1(name) &&name##_1,
#define STRUCTTENSOR_ENGINE_LABEL_2(name) &&name##_2,
#define STRUCTTENSOR_ENGINE_LABEL_N(name) &&name##_N,
  static const void* const kLabels[kTagSizeClasses][kDecodeOps] = {
      {&&Other, &&LongerTag, &&GroupEnd, &&OneofMember, &&MessageSetItem,
       STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_1)},
      {&&Other, &&LongerTag, &&GroupEnd, &&OneofMember, &&MessageSetItem,
       STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_2)},
      {&&Other, &&LongerTag, &&GroupEnd, &&OneofMember, &&MessageSetItem,
       STRUCTTENSOR_ENGINE_VALUE_OPS(STRUCTTENSOR_ENGINE_LABEL_N)},
  };
#undef STRUCTTENSOR_ENGINE_LABEL_1
#undef STRUCTTENSOR_ENGINE_LABEL_2
#undef STRUCTTENSOR_ENGINE_LABEL_N

  if (p == nullptr) [[unlikely]]
    return reinterpret_cast<const uint8_t*>(kLabels);  // LabelOf

  TreeNode* const node = NodeOf(target);
  DecodeContext* const context = ContextOf(state);
  const DecodeTable& table = *static_cast<const DecodeTable*>(node->plan->decode_program);
  const DecodeStep* const steps = table.steps.data();
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
  // Of a oneof, clears the members beside the one that comes. False after an error.
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

// To the step's archetype. Comparisons with the most frequent ones come first: processors foresee those at no cost, while a
// foreseen jump through a table still costs them some cycles. Measured on Zen 4: messages of twenty fields take 0.85 of the
// time; with three more comparisons it is more again.
#define STRUCTTENSOR_ENGINE_JUMP_1                                \
  {                                                               \
    const DecodeOp op = step->op;                                 \
    if (op == DecodeOp::kSingularBytes) goto SingularBytes_1;     \
    if (op == DecodeOp::kSingularUtf8) goto SingularUtf8_1;       \
    if (op == DecodeOp::kSingularMessage) goto SingularMessage_1; \
    if (op == DecodeOp::kSingularInt32) goto SingularInt32_1;     \
    goto * step->label;                                           \
  }
#define STRUCTTENSOR_ENGINE_JUMP_2                            \
  {                                                           \
    const DecodeOp op = step->op;                             \
    if (op == DecodeOp::kSingularBytes) goto SingularBytes_2; \
    if (op == DecodeOp::kSingularUtf8) goto SingularUtf8_2;   \
    if (op == DecodeOp::kSingularBool) goto SingularBool_2;   \
    if (op == DecodeOp::kSingularInt32) goto SingularInt32_2; \
    goto * step->label;                                       \
  }
#define STRUCTTENSOR_ENGINE_JUMP_N goto * step->label;

// The step of the tag at `p`, which has one byte, or else that for kLongerTag.
#define STRUCTTENSOR_ENGINE_FIND                \
  if (p == nullptr) [[unlikely]]                \
    return nullptr;                             \
  if (__builtin_expect(p >= end, 0)) goto done; \
  step = steps + ByFirstByte(steps)[*p];        \
  STRUCTTENSOR_ENGINE_JUMP_1
// The same behind a longer tag, where others are likely.
#define STRUCTTENSOR_ENGINE_EXPECT(size)                               \
  if (p == nullptr) [[unlikely]]                                       \
    return nullptr;                                                    \
  if (__builtin_expect(p >= end, 0)) goto done;                        \
  {                                                                    \
    const uint32_t bytes = wire_internal::Load<uint32_t>(p);           \
    if (STRUCTTENSOR_ENGINE_IS_EXPECTED_##size(bytes, 0)) [[likely]] { \
      step += step->next[0];                                           \
      STRUCTTENSOR_ENGINE_JUMP_##size                                  \
    }                                                                  \
    if (STRUCTTENSOR_ENGINE_IS_EXPECTED_##size(bytes, 1)) [[likely]] { \
      step += step->next[1];                                           \
      STRUCTTENSOR_ENGINE_JUMP_##size                                  \
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

// `size`: 1, 2 or N, the class of the tag's size. Behind the tag of a value that is not delimited; of one that is; of a
// message; of a group.
#define STRUCTTENSOR_ENGINE_SCALAR(size, name, function, ...)                                                              \
  name##_##size : p = function(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context); \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_DELIMITED(size, name, function, ...)                                                      \
  name##_##size                                                                                                       \
      : p = function(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context); \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_MESSAGE(size, name, ...)                                                     \
  name##_##size : p = decode_internal::name(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, step->decode, \
                                            STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context);   \
  STRUCTTENSOR_ENGINE_NEXT_##size
#define STRUCTTENSOR_ENGINE_GROUP(size, name, ...)                                                                       \
  name##_##size : p = decode_internal::name(p + STRUCTTENSOR_ENGINE_TAG_BYTES_##size, end, step->tag >> 3, step->decode, \
                                            STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context);                   \
  STRUCTTENSOR_ENGINE_NEXT_##size

find:
  STRUCTTENSOR_ENGINE_FIND

LongerTag : {
  const uint32_t bytes = wire_internal::Load<uint16_t>(p);
  if ((bytes & 0x8000) == 0) [[likely]] {
    const uint32_t tag = (bytes & 0x7f) | bytes >> 8 << 7;
    step = steps + table.FirstOfNumber(tag >> 3);
    // The steps of one field, and nothing else, have its number.
    if (step->tag != tag) [[unlikely]] {
      ++step;
      if (step->tag != tag) {
        if (!EndsGroup(tag) || tag < 0x80) goto Other;
        if constexpr (kByRow) node->presence[row] = present;
        return EndGroup(p, end, tag, nesting, context);
      }
    }
  } else {
    step = steps + table.FindLong(p);
  }
  goto * step->label;
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

OneofMember:
  if (!take_oneof()) return nullptr;
  goto* table.member_labels[static_cast<size_t>(step - steps)];

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

#define STRUCTTENSOR_ENGINE_CASES(size)                                                                   \
  STRUCTTENSOR_ENGINE_VARINT(size, Int32)                                                                 \
  STRUCTTENSOR_ENGINE_VARINT(size, Int64)                                                                 \
  STRUCTTENSOR_ENGINE_VARINT(size, Sint32)                                                                \
  STRUCTTENSOR_ENGINE_VARINT(size, Sint64)                                                                \
  STRUCTTENSOR_ENGINE_VARINT(size, Bool)                                                                  \
  STRUCTTENSOR_ENGINE_FIXED(size, 32)                                                                     \
  STRUCTTENSOR_ENGINE_FIXED(size, 64)                                                                     \
  STRUCTTENSOR_ENGINE_DELIMITED(size, SingularBytes, decode_internal::SingularString<false>, at(), )      \
  STRUCTTENSOR_ENGINE_DELIMITED(size, SingularUtf8, decode_internal::SingularString<true>, at(), )        \
  STRUCTTENSOR_ENGINE_DELIMITED(size, RepeatedBytes, decode_internal::RepeatedString<false>, )            \
  STRUCTTENSOR_ENGINE_DELIMITED(size, RepeatedUtf8, decode_internal::RepeatedString<true>, )              \
  STRUCTTENSOR_ENGINE_SCALAR(size, SingularClosedEnum, decode_internal::SingularClosedEnum, at(), )       \
  STRUCTTENSOR_ENGINE_SCALAR(size, MapValueClosedEnum, decode_internal::MapValueClosedEnum, at(), )       \
  STRUCTTENSOR_ENGINE_SCALAR(size, OneofClosedEnum, decode_internal::OneofClosedEnum, at(), take_oneof, ) \
  STRUCTTENSOR_ENGINE_SCALAR(size, RepeatedClosedEnum, decode_internal::RepeatedClosedEnum, )             \
  STRUCTTENSOR_ENGINE_DELIMITED(size, PackedClosedEnum, decode_internal::PackedClosedEnum, )              \
  STRUCTTENSOR_ENGINE_MESSAGE(size, SingularMessage, at(), )                                              \
  STRUCTTENSOR_ENGINE_MESSAGE(size, RepeatedMessage, )                                                    \
  STRUCTTENSOR_ENGINE_MESSAGE(size, ClosedEnumMap, )                                                      \
  STRUCTTENSOR_ENGINE_GROUP(size, SingularGroup, at(), )                                                  \
  STRUCTTENSOR_ENGINE_GROUP(size, RepeatedGroup, )

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

}  // namespace

constinit const plan::DecodeFunction kDecodeByRow = Decode<true>;
constinit const plan::DecodeFunction kDecodeAppended = Decode<false>;

const void* LabelOf(plan::DecodeFunction function, TagSizeClass size, DecodeOp op) {
  const auto* const labels = reinterpret_cast<const void* const*>(function(nullptr, nullptr, nullptr, 0, 0, nullptr));
  return labels[static_cast<size_t>(size) * kDecodeOps + static_cast<size_t>(op)];
}

}  // namespace structtensor::engine_internal
