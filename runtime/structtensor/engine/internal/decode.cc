// The engine's decode function: a loop over the steps of a table, each of which is one of the archetypes that generated code is
// made of. Behind a value, the tags that are expected next are compared as they stand in the input; each archetype ends in a
// jump of its own, so that processors foresee where it leads.
#include <cstdint>

#include "structtensor/decode/internal/fields.h"
#include "structtensor/engine/internal/decode_table.h"

namespace structtensor::engine_internal {
namespace {

using namespace decode_internal;  // NOLINT: the archetypes, whose names the ops have

// The position behind the message, or null after an error: as plan::DecodeFunction. kByRow: rows have presence words.
template <bool kByRow>
const uint8_t* Decode(const uint8_t* p, const uint8_t* end, plan::DecodeTarget* target, uint32_t row, uint32_t nesting,
                      plan::DecodeState* state) {
// Jumps through a table of labels: a GNU extension that gcc and clang both support.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
  static const void* const kLabels[] = {
#define STRUCTTENSOR_ENGINE_LABEL(name) &&name,
      STRUCTTENSOR_ENGINE_DECODE_OPS(STRUCTTENSOR_ENGINE_LABEL)
#undef STRUCTTENSOR_ENGINE_LABEL
  };

  if (p == nullptr) [[unlikely]]
    return reinterpret_cast<const uint8_t*>(kLabels);  // LabelsOf

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
      return PresentAt{present, step->presence};
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

#define STRUCTTENSOR_ENGINE_VALUE (p + step->tag_size_bytes)
#define STRUCTTENSOR_ENGINE_COLUMN ColumnAt(node, *step), node, step->field, row
#define STRUCTTENSOR_ENGINE_NEXT                                       \
  if (p == nullptr) [[unlikely]]                                       \
    return nullptr;                                                    \
  if (p >= end) goto done;                                             \
  {                                                                    \
    const uint32_t bytes = wire_internal::Load<uint32_t>(p);           \
    if ((bytes & step->expected[0].mask) == step->expected[0].bytes) { \
      step += step->next[0];                                           \
      goto * step->label;                                              \
    }                                                                  \
    if ((bytes & step->expected[1].mask) == step->expected[1].bytes) { \
      step += step->next[1];                                           \
      goto * step->label;                                              \
    }                                                                  \
    step = steps + table.by_first_byte[bytes & 0xff];                  \
    goto * step->label;                                                \
  }
#define STRUCTTENSOR_ENGINE_CASE(name, ...) \
  name:                                     \
  p = __VA_ARGS__;                          \
  STRUCTTENSOR_ENGINE_NEXT

// Behind the tag of a value that is not delimited; of one that is; of a message; of a group.
#define STRUCTTENSOR_ENGINE_SCALAR(name, function, ...) \
  STRUCTTENSOR_ENGINE_CASE(name, function(STRUCTTENSOR_ENGINE_VALUE, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context))
#define STRUCTTENSOR_ENGINE_DELIMITED(name, function, ...) \
  STRUCTTENSOR_ENGINE_CASE(name, function(STRUCTTENSOR_ENGINE_VALUE, end, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ context))
#define STRUCTTENSOR_ENGINE_MESSAGE(name, ...) \
  STRUCTTENSOR_ENGINE_CASE(                    \
      name, name(STRUCTTENSOR_ENGINE_VALUE, end, step->decode, STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context))
#define STRUCTTENSOR_ENGINE_GROUP(name, ...)                                                        \
  STRUCTTENSOR_ENGINE_CASE(name, name(STRUCTTENSOR_ENGINE_VALUE, end, step->tag >> 3, step->decode, \
                                      STRUCTTENSOR_ENGINE_COLUMN, __VA_ARGS__ nesting, context))

find:
  if (p >= end) goto done;
  step = steps + table.by_first_byte[*p];
  goto * step->label;

LongerTag:
  step = steps + table.Find(p);
  goto * step->label;

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

  STRUCTTENSOR_ENGINE_CASE(MessageSetItem,
                           decode_internal::MessageSetItem(STRUCTTENSOR_ENGINE_VALUE, end, node, row, nesting, context))

#define STRUCTTENSOR_ENGINE_VARINT(kind)                                                    \
  STRUCTTENSOR_ENGINE_SCALAR(Singular##kind, decode_internal::SingularVarint<kind>, at(), ) \
  STRUCTTENSOR_ENGINE_SCALAR(Repeated##kind, decode_internal::RepeatedVarint<kind>, )       \
  STRUCTTENSOR_ENGINE_DELIMITED(Packed##kind, decode_internal::PackedVarint<kind>, )
  STRUCTTENSOR_ENGINE_VARINT(Int32)
  STRUCTTENSOR_ENGINE_VARINT(Int64)
  STRUCTTENSOR_ENGINE_VARINT(Uint32)
  STRUCTTENSOR_ENGINE_VARINT(Uint64)
  STRUCTTENSOR_ENGINE_VARINT(Sint32)
  STRUCTTENSOR_ENGINE_VARINT(Sint64)
  STRUCTTENSOR_ENGINE_VARINT(Bool)

#define STRUCTTENSOR_ENGINE_FIXED(bits)                                                                   \
  STRUCTTENSOR_ENGINE_SCALAR(SingularFixed##bits, decode_internal::SingularFixed<uint##bits##_t>, at(), ) \
  STRUCTTENSOR_ENGINE_SCALAR(RepeatedFixed##bits, decode_internal::RepeatedFixed<uint##bits##_t>, )       \
  STRUCTTENSOR_ENGINE_DELIMITED(PackedFixed##bits, decode_internal::PackedFixed<uint##bits##_t>, )
  STRUCTTENSOR_ENGINE_FIXED(32)
  STRUCTTENSOR_ENGINE_FIXED(64)

  STRUCTTENSOR_ENGINE_DELIMITED(SingularBytes, decode_internal::SingularString<false>, at(), )
  STRUCTTENSOR_ENGINE_DELIMITED(SingularUtf8, decode_internal::SingularString<true>, at(), )
  STRUCTTENSOR_ENGINE_DELIMITED(RepeatedBytes, decode_internal::RepeatedString<false>, )
  STRUCTTENSOR_ENGINE_DELIMITED(RepeatedUtf8, decode_internal::RepeatedString<true>, )

  STRUCTTENSOR_ENGINE_SCALAR(SingularClosedEnum, decode_internal::SingularClosedEnum, at(), )
  STRUCTTENSOR_ENGINE_SCALAR(MapValueClosedEnum, decode_internal::MapValueClosedEnum, at(), )
  STRUCTTENSOR_ENGINE_SCALAR(OneofClosedEnum, decode_internal::OneofClosedEnum, at(), take_oneof, )
  STRUCTTENSOR_ENGINE_SCALAR(RepeatedClosedEnum, decode_internal::RepeatedClosedEnum, )
  STRUCTTENSOR_ENGINE_DELIMITED(PackedClosedEnum, decode_internal::PackedClosedEnum, )

  STRUCTTENSOR_ENGINE_MESSAGE(SingularMessage, at(), )
  STRUCTTENSOR_ENGINE_MESSAGE(RepeatedMessage, )
  STRUCTTENSOR_ENGINE_MESSAGE(ClosedEnumMap, )
  STRUCTTENSOR_ENGINE_GROUP(SingularGroup, at(), )
  STRUCTTENSOR_ENGINE_GROUP(RepeatedGroup, )

done:
  if constexpr (kByRow) node->presence[row] = present;
  return AtEnd(p, end, nesting, context);
#pragma GCC diagnostic pop
#undef STRUCTTENSOR_ENGINE_VALUE
#undef STRUCTTENSOR_ENGINE_COLUMN
#undef STRUCTTENSOR_ENGINE_NEXT
#undef STRUCTTENSOR_ENGINE_CASE
#undef STRUCTTENSOR_ENGINE_SCALAR
#undef STRUCTTENSOR_ENGINE_DELIMITED
#undef STRUCTTENSOR_ENGINE_MESSAGE
#undef STRUCTTENSOR_ENGINE_GROUP
#undef STRUCTTENSOR_ENGINE_VARINT
#undef STRUCTTENSOR_ENGINE_FIXED
}

}  // namespace

constinit const plan::DecodeFunction kDecodeByRow = Decode<true>;
constinit const plan::DecodeFunction kDecodeAppended = Decode<false>;

const void* const* LabelsOf(plan::DecodeFunction function) {
  return reinterpret_cast<const void* const*>(function(nullptr, nullptr, nullptr, 0, 0, nullptr));
}

}  // namespace structtensor::engine_internal
