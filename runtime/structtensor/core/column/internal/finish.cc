// Finishing: one pass over the touched columns turns what the decode loop stored into columns with random access.
//
//   singular    values 7 9, rows 0 3, nrows 4           ->   dense 7 0 0 9, validity 1001
//               values 7 ? ? 9, bits 1001 of the words  ->   dense 7 0 0 9, validity 1001, values 7 9, rows 0 3
//               (When every row is present, the values are both compact and dense, and there is no validity.)
//   repeated    row_splits filled up to the last row that had an element -> filled to the end
//   strings     references into the input -> bytes + offsets; from here on the input may go away
//               With views the references stay, and the bytes are copied when somebody asks for them.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>

#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/column/internal/presence.h"

namespace structtensor::column_internal {
namespace {

// Copies may write this many bytes after a string, and read as many after its source.
constexpr size_t kCopySlackBytes = 64;
static_assert(kCopySlackBytes >= kPresenceSlackBytes);

template <typename T>
void Scatter(const void* values, const uint32_t* rows, uint32_t size, uint32_t nrows, void* dense) {
  std::memset(dense, 0, nrows * sizeof(T));
  T* out = static_cast<T*>(dense);
  const T* in = static_cast<const T*>(values);
  for (uint32_t i = 0; i < size; ++i) out[rows[i]] = in[i];
}

void SetBits(const uint32_t* rows, uint32_t size, uint32_t nrows, void* bitmap) {
  uint8_t* bits = static_cast<uint8_t*>(bitmap);
  std::memset(bits, 0, (nrows + 7) / 8);
  for (uint32_t i = 0; i < size; ++i) bits[rows[i] >> 3] |= static_cast<uint8_t>(1u << (rows[i] & 7));
}

// Most strings are short: a fixed-size copy without a loop is cheaper than a call, and the next string overwrites the excess.
inline void CopyString(char* out, const StringRef& ref) {
  if (ref.size_bytes <= 16) {
    std::memcpy(out, ref.data, 16);
  } else if (ref.size_bytes <= 64) {
    std::memcpy(out, ref.data, 16);
    std::memcpy(out + 16, ref.data + 16, 16);
    if (ref.size_bytes > 32) std::memcpy(out + 32, ref.data + 32, 32);
  } else {
    std::memcpy(out, ref.data, ref.size_bytes);
  }
}

void FillDenseOffsets(const ColumnBuffer& column, const ColumnStorage& storage, uint32_t nrows) {
  const int32_t* offsets = static_cast<const int32_t*>(storage.offsets.data);
  int32_t* dense = static_cast<int32_t*>(storage.dense_offsets.data);
  uint32_t row = 0;
  for (uint32_t i = 0; i < column.size; ++i) {
    for (; row <= column.rows[i]; ++row) dense[row] = offsets[i];
  }
  for (; row <= nrows; ++row) dense[row] = offsets[column.size];
}

// `rows` is where the references are. If it is null, they are side by side.
const StringRef& RefAt(const ColumnBuffer& column, const uint32_t* rows, uint32_t i) {
  return static_cast<const StringRef*>(column.values)[rows == nullptr ? i : rows[i]];
}

template <typename CopyOne>
void CopyBytes(const ColumnBuffer& column, const ColumnStorage& storage, const uint32_t* rows, CopyOne copy) {
  char* out = static_cast<char*>(storage.bytes.data);
  for (uint32_t i = 0; i < column.size; ++i) {
    const StringRef& ref = RefAt(column, rows, i);
    copy(out, ref);
    out += ref.size_bytes;
  }
}

// As CopyString, for strings after which nothing may be read.
void CopyOnlyString(char* out, const StringRef& ref) {
  if (ref.size_bytes != 0) std::memcpy(out, ref.data, ref.size_bytes);
}

// Empties the references of all rows that are not in column.rows.
void ClearAbsent(const ColumnBuffer& column, uint32_t nrows) {
  StringRef* const refs = static_cast<StringRef*>(column.values);
  uint32_t row = 0;
  for (uint32_t i = 0; i < column.size; ++i) {
    for (; row < column.rows[i]; ++row) refs[row] = {};
    ++row;
  }
  for (; row < nrows; ++row) refs[row] = {};
}

// Whether a column has strings or bytes.
bool HasText(const plan::FieldPlan& field, const ColumnStorage& storage) {
  return plan::IsOpaque(storage.layout) || field.element == plan::Element::kString || field.element == plan::Element::kBytes;
}

void CopyStringsBelow(const ColumnTree& tree, const TreeNode* node) {
  ForEachActive(node, [&](const plan::FieldPlan& field, const ColumnBuffer& column) {
    if (column.size != 0 && column.storage->views) tree.CopyStrings(field, column, *node->nrows);
  });
  ForEachChild(node, [&](const plan::FieldPlan&, const ColumnBuffer& column) {
    if (HasChildData(column)) CopyStringsBelow(tree, column.child);
  });
}

}  // namespace

class Finisher {
 public:
  // `copied` is as for ColumnTree::Finish, and sorted by `copy`.
  Finisher(ColumnTree& tree, ColumnTree::Strings strings, std::span<const ColumnTree::CopiedMessage> copied)
      : tree_(tree), views_(strings == ColumnTree::Strings::kViews), copied_(copied) {}

  bool Run() {
    return FinishNode(tree_.root_) && FillConstant(tree_.zeros_, (size_t{max_nrows_} + 1) * 8 + kCopySlackBytes, 0x00) &&
           FillConstant(tree_.ones_, size_t{max_nrows_} / 8 + 8, 0xff) && FillAllRows();
  }

 private:
  bool FillConstant(Block& block, size_t size_bytes, int byte) {
    if (block.size_bytes >= size_bytes) return true;
    if (!tree_.Reserve(block, size_bytes, 0)) return false;
    std::memset(block.data, byte, block.size_bytes);
    return true;
  }

  bool FillAllRows() {
    Block& block = tree_.all_rows_;
    if (block.size_bytes / sizeof(uint32_t) >= max_nrows_) return true;
    if (!tree_.Reserve(block, size_t{max_nrows_} * sizeof(uint32_t), 0)) return false;
    for (uint32_t row = 0; row < block.size_bytes / sizeof(uint32_t); ++row) tree_.all_rows()[row] = row;
    return true;
  }

  bool FinishNode(TreeNode* node) {
    const uint32_t nrows = *node->nrows;
    max_nrows_ = std::max(max_nrows_, nrows);
    InAnyAndAll presence;
    if (node->plan->presence_words && nrows != 0) {
      if (node->rows_entered < nrows && !tree_.EnterRow(node, nrows - 1)) return false;
      presence = presence_.summarise(node->presence, nrows);
      if (!FinishOneofCases(node, nrows, presence)) return false;
    }
    bool ok = true;
    ForEachActive(node, [&](const plan::FieldPlan& field, ColumnBuffer& column) {
      ok = ok && FinishColumn(node, field, column, nrows, presence);
    });
    return ok;
  }

  bool FinishColumn(const TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column, uint32_t nrows,
                    const InAnyAndAll& presence) {
    ColumnStorage& storage = *column.storage;
    switch (storage.layout) {
      case plan::Layout::kCaseByRow:  // FinishOneofCases has finished it
        return true;
      case plan::Layout::kByRow:
        return FinishByWords(node, field, column, nrows, presence);
      case plan::Layout::kMessageByRow:
        return FinishByWords(node, field, column, nrows, presence) && FinishChild(column);
      case plan::Layout::kChosenKeys:
        return FinishChild(column);
      case plan::Layout::kAppended:
      case plan::Layout::kBytes:
      case plan::Layout::kAppendedMessage: {
        if (column.size == 0) return FinishChild(column);
        const bool strings = HasText(field, storage);
        return (!strings || Materialise(column, storage, nullptr, views_)) &&
               FinishSingular(field, column, storage, strings, nrows) && FinishChild(column);
      }
      case plan::Layout::kElements:
      case plan::Layout::kElementBytes:
      case plan::Layout::kElementMessages: {
        if (column.size == 0) return FinishChild(column);
        // The pieces of a row's unknown fields are joined, so they are copied in any case.
        const bool unknown_fields = &field == &kUnknownFields;
        return (!HasText(field, storage) || Materialise(column, storage, nullptr, views_ && !unknown_fields)) &&
               FillSplits(column, storage, nrows) && (!unknown_fields || FillUnknownOffsets(column, storage, nrows)) &&
               FinishChild(column);
      }
    }
    return true;
  }

  bool FinishChild(const ColumnBuffer& column) {
    return !HasChild(column) || !HasChildData(column) || FinishNode(column.child);
  }

  bool FinishByWords(const TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column, uint32_t nrows,
                     const InAnyAndAll& presence) {
    const uint64_t bit = uint64_t{1} << field.presence_bit;
    column.size = 0;
    return (presence.in_any & bit) == 0 ||
           FinishRows(field, column, nrows, {node->presence, bit, (presence.in_all & bit) != 0});
  }

  // Says which rows of a column with presence words have a value: the rows whose word has a bit of `mask`.
  struct RowsOfWords {
    const uint64_t* words;
    uint64_t mask;
    bool all;
  };

  bool FinishOneofCases(TreeNode* node, uint32_t nrows, const InAnyAndAll& presence) {
    const std::span<const plan::FieldPlan> fields = node->plan->fields;
    for (size_t i = fields.size(); i-- > 0 && fields[i].number == 0;) {  // after the fields
      if (fields[i].cardinality != plan::Cardinality::kOneofCase || fields[i].skipped) continue;
      int32_t numbers[64];
      uint64_t members = 0;
      for (const plan::FieldPlan& field : fields) {
        if (field.oneof_case != static_cast<int32_t>(i)) continue;
        members |= uint64_t{1} << field.presence_bit;
        numbers[field.presence_bit] = field.number;
      }
      ColumnBuffer& column = ColumnAt(node, fields[i]);
      column.size = 0;
      if ((presence.in_any & members) == 0) continue;
      if (!tree_.GrowRows(node, static_cast<uint32_t>(i), nrows - 1)) return false;
      int32_t* const values = static_cast<int32_t*>(column.values);
      uint32_t present = 0;
      for (uint32_t row = 0; row < nrows; ++row) {
        const uint64_t member = node->presence[row] & members;
        if (member == 0) continue;
        values[row] = numbers[std::countr_zero(member)];
        ++present;
      }
      if (!FinishRows(fields[i], column, nrows, {node->presence, members, present == nrows})) return false;
    }
    return true;
  }

  bool FinishRows(const plan::FieldPlan& field, ColumnBuffer& column, uint32_t nrows, const RowsOfWords& present) {
    ColumnStorage& storage = *column.storage;
    const bool strings = field.element == plan::Element::kString || field.element == plan::Element::kBytes;
    storage.all_present = present.all;
    column.size = nrows;
    if (present.all) return !strings || Materialise(column, storage, nullptr, views_);

    if (!ListRows(column, storage, nrows, present)) return false;
    if (strings) {
      if (!Materialise(column, storage, column.rows, views_) ||
          !tree_.Reserve(storage.dense_offsets, (size_t{nrows} + 1) * sizeof(int32_t), 0)) {
        return false;
      }
      if (views_) return ClearAbsentRefs(column, storage, nrows);
      FillDenseOffsets(column, storage, nrows);
      return true;
    }
    const size_t element_bytes = plan::ElementSizeBytes(field.element);
    if (element_bytes == 0) return true;
    if (!tree_.Reserve(storage.values, nrows * element_bytes + kCopySlackBytes, column.limit * element_bytes) ||
        !tree_.Reserve(storage.finished_values, nrows * element_bytes + kCopySlackBytes, 0)) {
      return false;
    }
    void* const values = storage.values.data;
    void* const compact = storage.finished_values.data;
    const uint64_t* const validity = static_cast<const uint64_t*>(storage.validity.data);
    switch (element_bytes) {
      case 1:
        presence_.separate1(static_cast<uint8_t*>(values), validity, nrows, static_cast<uint8_t*>(compact));
        break;
      case 4:
        presence_.separate4(static_cast<uint32_t*>(values), validity, nrows, static_cast<uint32_t*>(compact));
        break;
      default:
        presence_.separate8(static_cast<uint64_t*>(values), validity, nrows, static_cast<uint64_t*>(compact));
    }
    column.values = storage.finished_values.data;
    return true;
  }

  // Fills the validity and the list of the rows that have a value.
  bool ListRows(ColumnBuffer& column, ColumnStorage& storage, uint32_t nrows, const RowsOfWords& present) {
    const size_t words = (size_t{nrows} + 63) / 64;
    if (!tree_.Reserve(storage.validity, words * 8 + 8, 0) ||
        !tree_.Reserve(storage.rows, size_t{nrows} * sizeof(uint32_t) + kPresenceSlackBytes, 0)) {
      return false;
    }
    column.rows = static_cast<uint32_t*>(storage.rows.data);
    column.size =
        presence_.list_rows(present.words, present.mask, nrows, static_cast<uint64_t*>(storage.validity.data), column.rows);
    return true;
  }

  bool FillSplits(ColumnBuffer& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.ReserveSplits(column, storage, size_t{nrows} + 1)) return false;
    for (uint32_t i = column.filled; i <= nrows; ++i) column.row_splits[i] = column.size;
    return true;
  }

  // For columns that were appended to. Arrays with an entry for each row only get their memory here, and ColumnTree::Expand
  // fills them when somebody asks: a batch of a message type with thousands of fields may touch all columns and have few values
  // in each.
  bool FinishSingular(const plan::FieldPlan& field, const ColumnBuffer& column, ColumnStorage& storage, bool strings,
                      uint32_t nrows) {
    storage.all_present = column.size == nrows;
    storage.expanded = storage.all_present;
    if (storage.all_present || nrows <= storage.expand_rows) return true;
    if (field.presence != plan::Presence::kImplicit && !tree_.Reserve(storage.validity, (nrows + 7) / 8 + 8, 0)) return false;
    const size_t element_bytes = strings ? sizeof(StringRef) : plan::ElementSizeBytes(field.element);
    if (strings && !tree_.Reserve(storage.dense_offsets, (size_t{nrows} + 1) * sizeof(int32_t), 0)) return false;
    const bool needs_values = strings ? views_ : element_bytes != 0;
    if (needs_values && !tree_.Reserve(storage.finished_values, nrows * element_bytes + kCopySlackBytes, 0)) return false;
    storage.expand_rows = nrows;
    return true;
  }

  // Makes offsets and bytes from the references. With `views` it makes only the offsets and reserves memory for the bytes.
  // `rows` is as for RefAt. The batch driver keeps the bytes of a batch below 2 GiB, so 32-bit offsets suffice.
  bool Materialise(const ColumnBuffer& column, ColumnStorage& storage, const uint32_t* rows, bool views) {
    storage.views = views;
    storage.copied = !views;
    if (!tree_.Reserve(storage.offsets, (size_t{column.size} + 1) * sizeof(int32_t), 0)) return false;
    static_cast<int32_t*>(storage.offsets.data)[0] = 0;
    if (views && !copied_.empty()) ReferToMessages(column, rows);
    if (views) return ReserveBytes(storage, FillOffsets(column, storage, rows), 0);
    return rows == nullptr ? Copy<false>(column, storage, nullptr) : Copy<true>(column, storage, rows);
  }

  // Makes references to copied messages refer to the messages themselves. Other references stay as they are: those to bytes
  // that are in the tree's own memory.
  void ReferToMessages(const ColumnBuffer& column, const uint32_t* rows) const {
    StringRef* const refs = static_cast<StringRef*>(column.values);
    for (uint32_t i = 0; i < column.size; ++i) {
      StringRef& ref = refs[rows == nullptr ? i : rows[i]];
      const auto after = std::upper_bound(
          copied_.begin(), copied_.end(), ref.data,
          [](const char* data, const ColumnTree::CopiedMessage& each) { return std::less<>()(data, each.copy); });
      if (after == copied_.begin()) continue;
      const ColumnTree::CopiedMessage& message = *std::prev(after);
      if (ref.data <= message.copy + message.size_bytes) ref.data = message.message + (ref.data - message.copy);
    }
  }

  // Returns the number of bytes.
  static size_t FillOffsets(const ColumnBuffer& column, const ColumnStorage& storage, const uint32_t* rows) {
    int32_t* const offsets = static_cast<int32_t*>(storage.offsets.data);
    size_t used_bytes = 0;
    for (uint32_t i = 0; i < column.size; ++i) {
      used_bytes += RefAt(column, rows, i).size_bytes;
      offsets[i + 1] = static_cast<int32_t>(used_bytes);
    }
    return used_bytes;
  }

  // Copies into the memory that the batch before has left. Adds up the sizes of all strings only if that memory does not
  // suffice.
  template <bool kByRows>
  bool Copy(const ColumnBuffer& column, ColumnStorage& storage, const uint32_t* rows) {
    int32_t* const offsets = static_cast<int32_t*>(storage.offsets.data);
    const StringRef* const refs = static_cast<const StringRef*>(column.values);
    char* bytes = nullptr;
    size_t limit_bytes = 0;
    const auto get_memory = [&] {
      bytes = static_cast<char*>(storage.bytes.data);
      limit_bytes =
          std::min<size_t>(storage.bytes.size_bytes - std::min(storage.bytes.size_bytes, kCopySlackBytes), 0x7fffffff);
    };
    get_memory();
    size_t used_bytes = 0;
    for (uint32_t i = 0; i < column.size; ++i) {
      const StringRef& ref = refs[kByRows ? rows[i] : i];
      if (used_bytes + ref.size_bytes >= limit_bytes) [[unlikely]] {
        size_t total_bytes = used_bytes;
        for (uint32_t k = i; k < column.size; ++k) total_bytes += RefAt(column, rows, k).size_bytes;
        if (!ReserveBytes(storage, total_bytes + 1, used_bytes)) return false;
        get_memory();
      }
      CopyString(bytes + used_bytes, ref);
      used_bytes += ref.size_bytes;
      offsets[i + 1] = static_cast<int32_t>(used_bytes);
    }
    return true;
  }

  // Each unknown enum number of a packed run is kept with a tag of its own. So the kept bytes of a batch can be longer than its
  // input.
  bool ReserveBytes(ColumnStorage& storage, size_t size_bytes, size_t keep_bytes) {
    return size_bytes <= 0x7fffffff && tree_.Reserve(storage.bytes, size_bytes + kCopySlackBytes, keep_bytes);
  }

  // For a column with presence words. Its values may end before its last rows.
  bool ClearAbsentRefs(ColumnBuffer& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.Reserve(storage.values, nrows * sizeof(StringRef), column.limit * sizeof(StringRef))) return false;
    column.values = storage.values.data;
    ClearAbsent(column, nrows);
    return true;
  }

  // Turns the offsets of the pieces of each row into offsets of whole rows.
  bool FillUnknownOffsets(const ColumnBuffer& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.Reserve(storage.dense_offsets, (size_t{nrows} + 1) * sizeof(int32_t), 0)) return false;
    const int32_t* offsets = static_cast<const int32_t*>(storage.offsets.data);
    int32_t* dense = static_cast<int32_t*>(storage.dense_offsets.data);
    for (uint32_t row = 0; row <= nrows; ++row) dense[row] = offsets[column.row_splits[row]];
    return true;
  }

  ColumnTree& tree_;
  const bool views_;
  const std::span<const ColumnTree::CopiedMessage> copied_;
  const PresenceFunctions& presence_ = ChosenPresence();
  uint32_t max_nrows_ = 0;
};

bool ColumnTree::Finish(Strings strings, std::vector<CopiedMessage> copied) {
  strings_ = strings;
  read_past_strings_ = copied.empty();
  std::sort(copied.begin(), copied.end(),
            [](const CopiedMessage& a, const CopiedMessage& b) { return std::less<>()(a.copy, b.copy); });
  return Finisher(*this, strings, copied).Run();
}

void ColumnTree::Expand(const plan::FieldPlan& field, const ColumnBuffer& column, uint32_t nrows) const {
  ColumnStorage& storage = *column.storage;
  const std::atomic_ref<bool> expanded(storage.expanded);
  if (expanded.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(expand_mutex_);
  if (storage.expanded) return;
  if (field.presence != plan::Presence::kImplicit) SetBits(column.rows, column.size, nrows, storage.validity.data);
  if (storage.views) {
    Scatter<StringRef>(column.values, column.rows, column.size, nrows, storage.finished_values.data);
  } else if (HasText(field, storage)) {
    FillDenseOffsets(column, storage, nrows);
  } else {
    switch (plan::ElementSizeBytes(field.element)) {
      case 0:
        break;
      case 1:
        Scatter<uint8_t>(column.values, column.rows, column.size, nrows, storage.finished_values.data);
        break;
      case 4:
        Scatter<uint32_t>(column.values, column.rows, column.size, nrows, storage.finished_values.data);
        break;
      default:
        Scatter<uint64_t>(column.values, column.rows, column.size, nrows, storage.finished_values.data);
    }
  }
  expanded.store(true, std::memory_order_release);
}

void ColumnTree::CopyStrings(const plan::FieldPlan& field, const ColumnBuffer& column, uint32_t nrows) const {
  ColumnStorage& storage = *column.storage;
  const std::atomic_ref<bool> copied(storage.copied);
  if (copied.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(expand_mutex_);
  if (storage.copied) return;
  const bool absent_rows = !field.is_repeated() && !storage.all_present;
  const uint32_t* const rows = absent_rows && storage.layout == plan::Layout::kByRow ? column.rows : nullptr;
  if (read_past_strings_) {
    CopyBytes(column, storage, rows, [](char* out, const StringRef& ref) { CopyString(out, ref); });
  } else {
    CopyBytes(column, storage, rows, [](char* out, const StringRef& ref) { CopyOnlyString(out, ref); });
  }
  if (absent_rows) FillDenseOffsets(column, storage, nrows);
  copied.store(true, std::memory_order_release);
}

void ColumnTree::CopyStrings() const {
  if (strings_ == Strings::kViews) CopyStringsBelow(*this, root_);
}

}  // namespace structtensor::column_internal
