#include "structtensor/core/engine/internal/decode_table.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "structtensor/core/engine/internal/value_index.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::engine_internal {
namespace {

// The largest number that a tag can hold. Extensions of a MessageSet may have larger numbers, which are in its items.
constexpr int32_t kMaxFieldNumber = (1 << 29) - 1;

// Returns the op for values of `kind` in the family that begins with `first`. A family begins with the ops for signed numbers,
// which also read unsigned numbers of their size. Requires: values of the kind have no length.
DecodeOp InFamily(DecodeOp first, plan::Kind kind) {
  const int index = ValueIndexOf(kind);
  return static_cast<DecodeOp>(static_cast<int>(first) + (index < kUint32Index ? index : index - kUint32Index));
}
constexpr int kFixed64Place = kFixed64Index - kUint32Index;
static_assert(static_cast<int>(DecodeOp::kSingularFixed64) - static_cast<int>(DecodeOp::kSingularInt32) == kFixed64Place);
static_assert(static_cast<int>(DecodeOp::kRepeatedFixed64) - static_cast<int>(DecodeOp::kRepeatedInt32) == kFixed64Place);
static_assert(static_cast<int>(DecodeOp::kPackedFixed64) - static_cast<int>(DecodeOp::kPackedInt32) == kFixed64Place);

// Returns the op of a field that is not a packed run. The field's kind declares its wire type.
DecodeOp OpOf(const plan::MessagePlan& message, const plan::FieldPlan& field) {
  const bool repeated = field.is_repeated();
  if (field.cardinality == plan::Cardinality::kMap) {
    return field.message->fields[1].closed_enum ? DecodeOp::kClosedEnumMap : DecodeOp::kRepeatedMessage;
  }
  if (field.kind == plan::Kind::kGroup) return repeated ? DecodeOp::kRepeatedGroup : DecodeOp::kSingularGroup;
  if (field.kind == plan::Kind::kMessage) return repeated ? DecodeOp::kRepeatedMessage : DecodeOp::kSingularMessage;
  if (field.closed_enum) {
    return repeated                ? DecodeOp::kRepeatedClosedEnum
           : field.oneof_case >= 0 ? DecodeOp::kOneofClosedEnum
           : message.map_entry     ? DecodeOp::kMapValueClosedEnum
                                   : DecodeOp::kSingularClosedEnum;
  }
  if (ValueIndexOf(field.kind) != kTextIndex) {
    return InFamily(repeated ? DecodeOp::kRepeatedInt32 : DecodeOp::kSingularInt32, field.kind);
  }
  if (field.validate_utf8) return repeated ? DecodeOp::kRepeatedUtf8 : DecodeOp::kSingularUtf8;
  if (plan::FixedSizeBytesOf(field) != 0) return repeated ? DecodeOp::kRepeatedFixedSize : DecodeOp::kSingularFixedSize;
  return repeated ? DecodeOp::kRepeatedBytes : DecodeOp::kSingularBytes;
}

DecodeOp PackedOpOf(const plan::FieldPlan& field) {
  if (field.closed_enum) return DecodeOp::kPackedClosedEnum;
  return InFamily(DecodeOp::kPackedInt32, field.kind);
}

uint32_t TagToExpect(const DecodeStep& step) {
  uint8_t bytes[8] = {};
  wire_internal::WriteTag(step.tag, bytes);
  return wire_internal::Load<uint32_t>(bytes);
}

class TableMaker {
 public:
  explicit TableMaker(const plan::MessagePlan& message) : message_(message) {}

  DecodeTable Make() {
    for (uint32_t i = 0; i < DecodeTable::kIndexSteps; ++i) Push(DecodeStep(), DecodeOp::kOther);
    Push(DecodeStep(), DecodeOp::kOther);
    Push(DecodeStep(), DecodeOp::kLongerTag);
    Push(DecodeStep(), DecodeOp::kGroupEnd);
    if (message_.message_set) AddItemStep();
    for (uint32_t i = 0; i < message_.fields.size(); ++i) AddSteps(i);
    GuessNext();
    Push(DecodeStep(), DecodeOp::kOther);
    Index();
    return std::move(table_);
  }

 private:
  void Push(const DecodeStep& step, DecodeOp op, DecodeOp member_op = DecodeOp::kOther) {
    table_.steps.push_back(step);
    table_.steps.back().op = op;
    table_.steps.back().member_op = member_op;
  }

  void AddSteps(uint32_t index) {
    const plan::FieldPlan& field = message_.fields[index];
    if (field.cardinality == plan::Cardinality::kOneofCase || field.number > kMaxFieldNumber) return;
    const plan::WireType wire_type = plan::WireTypeOf(field.kind);
    const DecodeOp op = OpOf(message_, field);
    const bool may_be_packed =
        field.cardinality == plan::Cardinality::kRepeated && wire_type != plan::kLen && wire_type != plan::kSgroup;
    if (!may_be_packed) return AddStep(index, wire_type, op);
    // Both ways to write a repeated scalar are read. The declared one is expected.
    if (field.packed) AddStep(index, plan::kLen, PackedOpOf(field));
    AddStep(index, wire_type, op);
    if (!field.packed) AddStep(index, plan::kLen, PackedOpOf(field));
  }

  void AddStep(uint32_t index, plan::WireType wire_type, DecodeOp op) {
    const plan::FieldPlan& field = message_.fields[index];
    DecodeStep step;
    step.tag = plan::Tag(static_cast<uint32_t>(field.number), wire_type);
    step.tag_size_bytes = static_cast<uint8_t>(plan::TagSizeBytes(step.tag));
    if (field.presence_bit >= 0) step.presence = uint64_t{1} << field.presence_bit;
    step.column_offset = field.column_offset;
    step.field = index;
    if (field.message != nullptr) step.child_by_row = field.message->presence_words;
    if (field.oneof_case >= 0) SetOneof(field, step);
    const bool member = field.oneof_case >= 0 && op != DecodeOp::kOneofClosedEnum;
    Push(step, member ? DecodeOp::kOneofMember : op, op);
  }

  void SetOneof(const plan::FieldPlan& field, DecodeStep& step) {
    if (!message_.presence_words) {
      step.oneof_case = static_cast<uint32_t>(field.oneof_case);
      return;
    }
    for (const plan::FieldPlan& other : message_.fields) {
      if (&other != &field && other.oneof_case == field.oneof_case) step.other_members |= uint64_t{1} << other.presence_bit;
    }
  }

  void AddItemStep() {
    DecodeStep step;
    step.tag = plan::Tag(1, plan::kSgroup);
    step.tag_size_bytes = 1;
    item_step_ = static_cast<uint32_t>(table_.steps.size());
    Push(step, DecodeOp::kMessageSetItem);
  }

  // Writers put fields in the order of their numbers. A field is followed by the same field if it is repeated, or else by a
  // later one. Members of one oneof exclude each other.
  void GuessNext() {
    for (uint32_t i = DecodeTable::kFirstStep; i < table_.steps.size(); ++i) {
      DecodeStep& step = table_.steps[i];
      if (i == item_step_ || step.tag_size_bytes == 1) continue;
      const plan::FieldPlan& field = message_.fields[step.field];
      size_t expected = 0;
      const auto expect = [&](uint32_t next) {
        // A step that is too far away, after a oneof of very many members, or that has a tag of another size, is found but not
        // expected.
        const bool fits =
            next - i <= INT16_MAX && step.tag_size_bytes == table_.steps[next].tag_size_bytes && step.tag_size_bytes <= 4;
        if (!fits) return;
        step.expected[expected] = TagToExpect(table_.steps[next]);
        step.next_op[expected] = table_.steps[next].op;
        step.next[expected++] = static_cast<int16_t>(next - i);
      };
      if (field.is_repeated()) expect(i);
      uint32_t last_field = step.field;
      for (uint32_t next = i + 1; next < table_.steps.size() && expected < DecodeStep::kExpected; ++next) {
        const DecodeStep& candidate = table_.steps[next];
        if (candidate.field == last_field) continue;
        last_field = candidate.field;
        if (field.oneof_case >= 0 && message_.fields[candidate.field].oneof_case == field.oneof_case) continue;
        expect(next);
      }
    }
  }

  void Index() {
    FirstByteEntry by_first_byte[256];
    const auto fill = [&](uint32_t first, uint32_t limit, uint32_t stride, uint32_t step) {
      for (uint32_t i = first; i < limit; i += stride) {
        by_first_byte[i] = FirstByteEntry(step, table_.steps[step].op);
      }
    };
    fill(0, 0x80, 1, DecodeTable::kOtherStep);
    fill(wire_internal::kEgroup, 0x80, 8, DecodeTable::kGroupEndStep);
    fill(0x80, 0x100, 1, DecodeTable::kLongerTagStep);
    // Steps are in the order of their numbers. So the steps of the 15 numbers with one-byte tags come first, at most two for
    // each.
    for (uint32_t i = static_cast<uint32_t>(table_.steps.size()) - 1; i-- > DecodeTable::kFirstStep;) {
      const DecodeStep& step = table_.steps[i];
      if (i == item_step_ || step.tag_size_bytes == 1) {
        fill(step.tag, step.tag + 1, 1, i);
        continue;
      }
      const uint32_t number = step.tag >> 3;
      if (step.tag_size_bytes != 2) {
        table_.first_long_step = i;
        continue;
      }
      if (table_.by_number.size() <= number) table_.by_number.resize(number + 1, DecodeTable::kOther);
      table_.by_number[number] = {.step = i, .op = step.op};
    }
    table_.numbers = static_cast<uint32_t>(table_.by_number.size());
    static_assert(sizeof(by_first_byte) == DecodeTable::kIndexSteps * sizeof(DecodeStep));
    std::memcpy(static_cast<void*>(table_.steps.data()), by_first_byte, sizeof(by_first_byte));
  }

  const plan::MessagePlan& message_;
  DecodeTable table_;
  std::optional<uint32_t> item_step_;
};

}  // namespace

uint32_t DecodeTable::FindLong(const uint8_t* p) const {
  uint32_t tag;
  if (first_long_step == 0 || wire_internal::PeekTag(p, &tag) != p) return kOtherStep;
  const auto begin = steps.begin() + first_long_step;
  const auto end = steps.end() - 1;
  const auto is_before = [](const DecodeStep& step, uint32_t number) { return step.tag >> 3 < number; };
  const auto found = std::lower_bound(begin, end, tag >> 3, is_before);
  for (auto step = found; step != end && step->tag >> 3 == tag >> 3; ++step) {
    if (step->tag == tag) return static_cast<uint32_t>(step - steps.begin());
  }
  return kOtherStep;
}

DecodeTable MakeDecodeTable(const plan::MessagePlan& message) { return TableMaker(message).Make(); }

void LinkDecodeTable(const plan::MessagePlan& message, DecodeTable& table) {
  table.steps[DecodeTable::kLongerTagStep].table = &table;
  for (uint32_t i = DecodeTable::kFirstStep; i < table.steps.size(); ++i) {
    DecodeStep& step = table.steps[i];
    if (step.op == DecodeOp::kOther || step.op == DecodeOp::kMessageSetItem) continue;
    const plan::MessagePlan* child = message.fields[step.field].message;
    if (child != nullptr) step.child_steps = static_cast<const DecodeTable*>(child->decode_program)->steps.data();
  }
}

}  // namespace structtensor::engine_internal
