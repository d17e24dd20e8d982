#include "structtensor/core/engine/internal/decode_table.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "structtensor/core/plan/steps.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::engine_internal {
namespace {

// The op for values of `kind` among those of one form, which begin with `first`. The ops for signed numbers come first. They
// also read unsigned numbers of their size. Requires: values of the kind have no length.
DecodeOp ScalarOp(DecodeOp first, plan::Kind kind) {
  constexpr int kUnsigned = static_cast<int>(plan::Scalar::kUint32);
  const int scalar = static_cast<int>(plan::ScalarOf(kind));
  return static_cast<DecodeOp>(static_cast<int>(first) + (scalar < kUnsigned ? scalar : scalar - kUnsigned));
}
constexpr int kFixed64Place = static_cast<int>(plan::Scalar::kFixed64) - static_cast<int>(plan::Scalar::kUint32);
static_assert(static_cast<int>(DecodeOp::kSingularFixed64) - static_cast<int>(DecodeOp::kSingularInt32) == kFixed64Place);
static_assert(static_cast<int>(DecodeOp::kRepeatedFixed64) - static_cast<int>(DecodeOp::kRepeatedInt32) == kFixed64Place);
static_assert(static_cast<int>(DecodeOp::kPackedFixed64) - static_cast<int>(DecodeOp::kPackedInt32) == kFixed64Place);

DecodeOp TextOp(plan::TextCheck check, bool repeated) {
  switch (check) {
    case plan::TextCheck::kBytes:
      return repeated ? DecodeOp::kRepeatedBytes : DecodeOp::kSingularBytes;
    case plan::TextCheck::kUtf8:
      return repeated ? DecodeOp::kRepeatedUtf8 : DecodeOp::kSingularUtf8;
    case plan::TextCheck::kFixedSize:
      return repeated ? DecodeOp::kRepeatedFixedSize : DecodeOp::kSingularFixedSize;
  }
  return DecodeOp::kOther;
}

DecodeOp ClosedEnumOp(plan::ReadForm form) {
  switch (form) {
    case plan::ReadForm::kSingular:
      return DecodeOp::kSingularClosedEnum;
    case plan::ReadForm::kRepeated:
      return DecodeOp::kRepeatedClosedEnum;
    case plan::ReadForm::kPacked:
      return DecodeOp::kPackedClosedEnum;
    case plan::ReadForm::kOneofMember:
      return DecodeOp::kOneofClosedEnum;
    case plan::ReadForm::kMapValue:
      return DecodeOp::kMapValueClosedEnum;
  }
  return DecodeOp::kOther;
}

// The op that reads the value.
DecodeOp OpOf(const plan::ReadStep& step) {
  const bool repeated = step.form == plan::ReadForm::kRepeated;
  switch (step.reads) {
    case plan::Reads::kVarint:
    case plan::Reads::kFixed:
      return ScalarOp(repeated                               ? DecodeOp::kRepeatedInt32
                      : step.form == plan::ReadForm::kPacked ? DecodeOp::kPackedInt32
                                                             : DecodeOp::kSingularInt32,
                      step.kind);
    case plan::Reads::kText:
      return TextOp(step.check, repeated);
    case plan::Reads::kClosedEnum:
      return ClosedEnumOp(step.form);
    case plan::Reads::kMessage:
      return repeated ? DecodeOp::kRepeatedMessage : DecodeOp::kSingularMessage;
    case plan::Reads::kGroup:
      return repeated ? DecodeOp::kRepeatedGroup : DecodeOp::kSingularGroup;
    case plan::Reads::kClosedEnumMap:
      return DecodeOp::kClosedEnumMap;
  }
  return DecodeOp::kOther;
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
    for (const plan::ReadStep& step : plan::ReadSteps(message_)) AddStep(step);
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

  void AddStep(const plan::ReadStep& read) {
    const plan::FieldPlan& field = message_.fields[read.field];
    DecodeStep step;
    step.tag = read.tag;
    step.tag_size_bytes = static_cast<uint8_t>(plan::TagSizeBytes(read.tag));
    if (field.presence_bit >= 0) step.presence = uint64_t{1} << field.presence_bit;
    step.column_offset = field.column_offset;
    step.field = read.field;
    if (field.message != nullptr) step.child_by_row = field.message->presence_words;
    if (message_.presence_words) {
      step.other_members = read.other_members;
    } else if (read.of_oneof()) {
      step.oneof_case = static_cast<uint32_t>(field.oneof_case);
    }
    const DecodeOp op = OpOf(read);
    Push(step, read.of_oneof() && op != DecodeOp::kOneofClosedEnum ? DecodeOp::kOneofMember : op, op);
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
  const uint32_t number = tag >> 3;
  const uint32_t first_number = begin->tag >> 3;
  // Types with many fields mostly number them without gaps, so the number gives the index of the step.
  if (number >= first_number && number - first_number < static_cast<size_t>(end - begin)) {
    const auto guess = begin + static_cast<ptrdiff_t>(number - first_number);
    if (guess->tag == tag) return static_cast<uint32_t>(guess - steps.begin());
  }
  const auto is_before = [](const DecodeStep& step, uint32_t wanted) { return step.tag >> 3 < wanted; };
  const auto found = std::lower_bound(begin, end, number, is_before);
  for (auto step = found; step != end && step->tag >> 3 == number; ++step) {
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
