// Finishing: one pass over the touched columns turns what the decode loop appended into columns that can be read at random.
//
//   singular    values 7 9, rows 0 3, nrows 4   ->   dense 7 0 0 9, validity 1001 (none when every row is present: the values
//                                                     as they were appended are already dense)
//   repeated    row_splits filled up to the last row that had an element -> filled to the end
//   strings     references into the input -> bytes + offsets; from here on the input may go away
#include <algorithm>
#include <cstring>

#include "structtensor/column/tree.h"

namespace structtensor {
namespace {

// Copies may write this many bytes behind a string, and read as many behind its source.
constexpr size_t kCopySlackBytes = 64;

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

}  // namespace

class Finisher {
 public:
  explicit Finisher(ColumnTree& tree) : tree_(tree) {}

  bool Run() {
    max_nrows_ = *tree_.root_->nrows;
    if (!FinishNode(tree_.root_)) return false;
    return FillConstant(tree_.zeros_, (size_t{max_nrows_} + 1) * 8 + kCopySlackBytes, 0x00) &&
           FillConstant(tree_.ones_, size_t{max_nrows_} / 8 + 8, 0xff);
  }

 private:
  bool FillConstant(Block& block, size_t size_bytes, int byte) {
    if (block.size_bytes >= size_bytes) return true;
    if (!tree_.Reserve(block, size_bytes, 0)) return false;
    std::memset(block.data, byte, block.size_bytes);
    return true;
  }

  bool FinishNode(Node* node) {
    const uint32_t nrows = *node->nrows;
    max_nrows_ = std::max(max_nrows_, nrows);
    bool ok = true;
    ForEachTouched(node, [&](const plan::Field& field, Column& column) { ok = ok && FinishColumn(field, column, nrows); });
    return ok;
  }

  bool FinishColumn(const plan::Field& field, Column& column, uint32_t nrows) {
    ColumnStorage& storage = *column.storage;
    const bool strings = storage.opaque || field.element == plan::Element::kString || field.element == plan::Element::kBytes;
    if (strings && !Materialise(column, storage)) return false;
    if (field.is_repeated()) {
      if (!FillSplits(column, storage, nrows)) return false;
      if (&field == &kUnknownFields && !FillUnknownOffsets(column, storage, nrows)) return false;
    } else if (!FinishSingular(field, column, storage, strings, nrows)) {
      return false;
    }
    return !field.is_message() || storage.opaque || column.child == nullptr || FinishNode(column.child);
  }

  bool FillSplits(Column& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.ReserveSplits(column, storage, size_t{nrows} + 1)) return false;
    for (uint32_t i = column.filled; i <= nrows; ++i) column.row_splits[i] = column.size;
    return true;
  }

  bool FinishSingular(const plan::Field& field, const Column& column, ColumnStorage& storage, bool strings, uint32_t nrows) {
    storage.all_present = column.size == nrows;
    if (storage.all_present) return true;
    if (field.presence != plan::Presence::kImplicit) {
      if (!tree_.Reserve(storage.validity, (nrows + 7) / 8 + 8, 0)) return false;
      SetBits(column.rows, column.size, nrows, storage.validity.data);
    }
    if (strings) return FillDenseOffsets(column, storage, nrows);
    const size_t element_bytes = plan::ElementSizeBytes(field.element);
    if (element_bytes == 0) return true;
    if (!tree_.Reserve(storage.dense, nrows * element_bytes + kCopySlackBytes, 0)) return false;
    switch (element_bytes) {
      case 1:
        Scatter<uint8_t>(column.values, column.rows, column.size, nrows, storage.dense.data);
        return true;
      case 4:
        Scatter<uint32_t>(column.values, column.rows, column.size, nrows, storage.dense.data);
        return true;
      default:
        Scatter<uint64_t>(column.values, column.rows, column.size, nrows, storage.dense.data);
        return true;
    }
  }

  // The batch driver keeps the bytes of a batch below 2 GiB, so that 32-bit offsets hold.
  bool Materialise(const Column& column, ColumnStorage& storage) {
    const StringRef* refs = static_cast<const StringRef*>(column.values);
    if (!tree_.Reserve(storage.offsets, (size_t{column.size} + 1) * sizeof(int32_t), 0)) return false;
    int32_t* offsets = static_cast<int32_t*>(storage.offsets.data);
    size_t total_bytes = 0;
    offsets[0] = 0;
    for (uint32_t i = 0; i < column.size; ++i) {
      total_bytes += refs[i].size_bytes;
      offsets[i + 1] = static_cast<int32_t>(total_bytes);
    }
    // What is kept of a packed run of unknown enum numbers is longer than the run.
    if (total_bytes > 0x7fffffff || !tree_.Reserve(storage.bytes, total_bytes + kCopySlackBytes, 0)) return false;
    char* out = static_cast<char*>(storage.bytes.data);
    for (uint32_t i = 0; i < column.size; ++i) {
      CopyString(out, refs[i]);
      out += refs[i].size_bytes;
    }
    return true;
  }

  // From the pieces of each row to the bytes of each row.
  bool FillUnknownOffsets(const Column& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.Reserve(storage.dense_offsets, (size_t{nrows} + 1) * sizeof(int32_t), 0)) return false;
    const int32_t* offsets = static_cast<const int32_t*>(storage.offsets.data);
    int32_t* dense = static_cast<int32_t*>(storage.dense_offsets.data);
    for (uint32_t row = 0; row <= nrows; ++row) dense[row] = offsets[column.row_splits[row]];
    return true;
  }

  bool FillDenseOffsets(const Column& column, ColumnStorage& storage, uint32_t nrows) {
    if (!tree_.Reserve(storage.dense_offsets, (size_t{nrows} + 1) * sizeof(int32_t), 0)) return false;
    const int32_t* offsets = static_cast<const int32_t*>(storage.offsets.data);
    int32_t* dense = static_cast<int32_t*>(storage.dense_offsets.data);
    uint32_t row = 0;
    for (uint32_t i = 0; i < column.size; ++i) {
      for (; row <= column.rows[i]; ++row) dense[row] = offsets[i];
    }
    for (; row <= nrows; ++row) dense[row] = offsets[column.size];
    return true;
  }

  ColumnTree& tree_;
  uint32_t max_nrows_ = 0;
};

bool ColumnTree::Finish() { return Finisher(*this).Run(); }

}  // namespace structtensor
