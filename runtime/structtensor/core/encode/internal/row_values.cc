#include "structtensor/core/encode/internal/row_values.h"

#include <cstring>
#include <iterator>

#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/wire/abi/kinds.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::encode_internal {
namespace {

// Copies a string of any length that fits in a RowValue so that it ends at `p`, and returns where it begins.
uint8_t* WriteShortText(uint8_t* p, const char* text, size_t size_bytes) {
  p -= size_bytes;
  if (size_bytes >= 8) {
    std::memcpy(p, text, 8);
    if (size_bytes > 16) std::memcpy(p + 8, text + 8, 8);
    std::memcpy(p + size_bytes - 8, text + size_bytes - 8, 8);
    return p;
  }
  for (size_t i = 0; i < size_bytes; ++i) p[i] = static_cast<uint8_t>(text[i]);
  return p;
}
static_assert(RowValue::kMaxBytes <= 24 + 1 + 2, "text of up to 24 bytes, its length and its tag");

// Lists the values of one column.
class ColumnLister {
 public:
  // Puts the values in front of `values`, and links them to the lists in `last_value`. `first` is the RowValue with index 0.
  ColumnLister(const plan::FieldPlan& field, uint32_t index, const EncodeColumn& column, uint32_t nrows, const RowValue* first,
               uint32_t* last_value)
      : field_(field), index_(index), column_(column), nrows_(nrows), first_(first), last_value_(last_value) {
    uint8_t tag[5];
    tag_bytes_ = static_cast<size_t>(
        wire_internal::WriteTag(wire_internal::Tag(static_cast<uint32_t>(field.number), plan::WireTypeOf(field.kind)), tag) -
        tag);
    std::memcpy(tag_ + sizeof(tag_) - tag_bytes_, tag, tag_bytes_);
  }

  // Returns the first of the listed values.
  RowValue* Run(RowValue* values) {
    values_ = values;
    if (field_.is_repeated()) {
      ListRows();
    } else {
      ListSingular();
    }
    return values_;
  }

 private:
  void ListSingular() {
    switch (plan::WireTypeOf(field_.kind)) {
      case wire_internal::kVarint:
        return wire_internal::VisitVarintKind(field_.kind, [this](auto kind) { ListVarints<decltype(kind)>(); });
      case wire_internal::kI64:
        return ListFixed<uint64_t>();
      case wire_internal::kI32:
        return ListFixed<uint32_t>();
      case wire_internal::kLen:
        if (!field_.is_message()) return ListStrings();
        [[fallthrough]];
      case wire_internal::kSgroup:
      case wire_internal::kEgroup:
        return ForEach([this](uint32_t i, uint32_t row) { PushUnwritten(i + 1, row); });
    }
  }

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < column_.left; ++i) visit(i, column_.rows == nullptr ? i : column_.rows[i]);
  }

  bool IsLeftOut(bool is_default) const { return is_default && field_.presence == plan::Presence::kImplicit; }

  template <typename Kind>
  void ListVarints() {
    const WriteVarintFunction write = g_write_any_varint.load(std::memory_order_relaxed);
    const auto* values = static_cast<const typename Kind::Type*>(column_.values);
    ForEach([&](uint32_t i, uint32_t row) {
      if (!IsLeftOut(values[i] == 0)) Push(write(End(), Kind::ToWire(values[i])), row);
    });
  }

  template <typename Bits>
  void ListFixed() {
    const auto* values = static_cast<const Bits*>(column_.values);
    ForEach([&](uint32_t i, uint32_t row) {
      if (IsLeftOut(values[i] == 0)) return;
      uint8_t* const p = End() - sizeof(Bits);
      std::memcpy(p, &values[i], sizeof(Bits));
      Push(p, row);
    });
  }

  void ListStrings() {
    const size_t max_bytes = RowValue::kMaxBytes - 1 - tag_bytes_;
    ForEach([&](uint32_t i, uint32_t row) {
      const size_t size_bytes = static_cast<size_t>(column_.offsets[i + 1] - column_.offsets[i]);
      if (IsLeftOut(size_bytes == 0)) return;
      if (size_bytes > max_bytes) return PushUnwritten(i + 1, row);
      uint8_t* p = WriteShortText(End(), column_.bytes + column_.offsets[i], size_bytes);
      *--p = static_cast<uint8_t>(size_bytes);
      Push(p, row);
    });
  }

  void ListRows() {
    const int64_t* const splits = column_.row_splits;
    for (uint32_t row = 0; row < nrows_ && splits[row] != column_.left; ++row) {
      if (splits[row] != splits[row + 1]) PushUnwritten(static_cast<uint32_t>(splits[row + 1]), row);
    }
  }

  // The end of the bytes that the next RowValue holds. Writing them overwrites some bytes in front of that RowValue, which are
  // free.
  uint8_t* End() const { return reinterpret_cast<uint8_t*>(values_); }

  // Makes a RowValue of the bytes from `p` to End().
  void Push(uint8_t* p, uint32_t row) {
    std::memcpy(p - sizeof(tag_), tag_, sizeof(tag_));
    Link(static_cast<uint8_t>(End() - p + static_cast<ptrdiff_t>(tag_bytes_)), row);
  }

  void PushUnwritten(uint32_t left, uint32_t row) {
    const Unwritten unwritten{index_, left};
    std::memcpy(End() - sizeof(unwritten), &unwritten, sizeof(unwritten));
    Link(RowValue::kUnwritten, row);
  }

  void Link(uint8_t size_bytes, uint32_t row) {
    --values_;
    values_->next = last_value_[row];
    values_->size_bytes = size_bytes;
    last_value_[row] = static_cast<uint32_t>(values_ - first_) + 1;
  }

  const plan::FieldPlan& field_;
  const uint32_t index_;
  const EncodeColumn& column_;
  const uint32_t nrows_;
  const RowValue* const first_;
  uint32_t* const last_value_;
  RowValue* values_ = nullptr;  // the one pushed last
  uint8_t tag_[8] = {};         // the tag is in its last bytes
  size_t tag_bytes_;
};

}  // namespace

void ListValues(EncodeNode* node, uint32_t nrows, uint32_t size, void* memory, uint32_t* last_value) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory) + kWritableSlackBytes;
  RowValue* const first = reinterpret_cast<RowValue*>((begin + sizeof(RowValue) - 1) / sizeof(RowValue) * sizeof(RowValue));
  RowValue* values = first + size;
  std::memset(last_value, 0, nrows * sizeof(uint32_t));
  for (uint64_t i = 0; i < node->present_size; ++i) {
    const plan::FieldPlan& field = node->plan->fields[node->present[i]];
    values = ColumnLister(field, node->present[i], At(node, field.column_offset), nrows, first, last_value).Run(values);
  }
  node->row_values = first;
  node->last_value = last_value;
}

}  // namespace structtensor::encode_internal
