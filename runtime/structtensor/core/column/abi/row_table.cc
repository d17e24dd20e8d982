#include "structtensor/core/column/abi/row_table.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/column/internal/row_tables.h"

namespace structtensor::column_internal {
namespace {

constexpr size_t kLeastChunkBytes = size_t{1} << 14;

// Returns where the values of `column` are. Sets field.bytes if the values are strings that are stored side by side.
const void* ValuesOf(const ColumnView& column, RowField& field) {
  if (column.refs != nullptr) return column.refs;
  if (!column.is_text()) return column.values;
  // A column of empty strings may have no bytes. A null field.bytes would mean that the values are StringRefs.
  field.bytes = column.bytes != nullptr ? column.bytes : "";
  return column.offsets;
}

}  // namespace

const RowTable* RowTables::Of(const NodeView& node) {
  if (node.is_root()) {
    const RowTable* root = root_.load(std::memory_order_acquire);
    if (root != nullptr) return root;
  }
  const std::lock_guard lock(mutex_);
  RowTable* table = Find(node);
  if (node.is_root()) root_.store(table, std::memory_order_release);
  return table;
}

// Requires: mutex_ is held.
RowTable* RowTables::Find(const NodeView& node) {
  RowTable*& table = tables_[Key(&node.plan(), node.node(), node.nrows())];
  if (table != nullptr) return table;
  const size_t fields = node.plan().fields.size();
  std::byte* memory = Allocate(sizeof(RowTable) + (fields + 1) * sizeof(RowField));
  table = new (memory) RowTable{node.tree(), &node.plan(), node.node(), node.nrows()};
  for (size_t i = 0; i <= fields; ++i) new (table->fields() + i) RowField{};
  // A projection may have one more column for each map.
  if (fields <= 2 * plan::kMaxNarrowColumns) {
    for (size_t i = 0; i < fields; ++i) FillField(*table, i, table->fields()[i]);
  }
  return table;
}

// Sets all members of `field`, except that `second` of a message field stays unset. Requires: mutex_ is held.
void RowTables::FillField(const RowTable& table, size_t index, RowField& field) {
  const NodeView node(table.tree, table.plan, table.node, table.nrows);
  const bool unknown_fields = index == table.plan->fields.size();
  const ColumnView column = unknown_fields ? node.unknown_fields() : node.column_in_place(index);
  const bool message = column.field->is_message();
  const void* first = nullptr;
  if (column.field->is_repeated()) {
    // Messages that are kept as bytes have no columns: lists of them look empty.
    first = message && column.opaque ? table.tree->zeros() : column.row_splits;
    if (!message) field.second = ValuesOf(column, field);
  } else {
    first = message ? &field : ValuesOf(column, field);
    field.validity = column.validity;
  }
  std::atomic_ref(field.first).store(first, std::memory_order_release);
}

void RowTables::Fill(const RowTable& table, size_t index) {
  const std::lock_guard lock(mutex_);
  RowField& field = const_cast<RowTable&>(table).fields()[index];
  if (field.first == nullptr) FillField(table, index, field);
}

const RowTable* RowTables::MakeBelow(const RowTable& table, size_t index) {
  const std::lock_guard lock(mutex_);
  const NodeView node(table.tree, table.plan, table.node, table.nrows);
  const RowTable* below = Find(node.child(index));
  std::atomic_ref(table.fields()[index].second).store(below, std::memory_order_release);
  return below;
}

// Requires: mutex_ is held.
std::byte* RowTables::Allocate(size_t size_bytes) {
  while (chunk_in_use_ < chunks_.size() && chunks_[chunk_in_use_].size_bytes - used_bytes_ < size_bytes) {
    ++chunk_in_use_;
    used_bytes_ = 0;
  }
  if (chunk_in_use_ == chunks_.size()) {
    const size_t chunk_bytes = std::max(kLeastChunkBytes, size_bytes);
    chunks_.push_back({std::make_unique<std::byte[]>(chunk_bytes), chunk_bytes});
  }
  std::byte* result = chunks_[chunk_in_use_].bytes.get() + used_bytes_;
  used_bytes_ += size_bytes;
  return result;
}

void RowTables::Reset() {
  root_.store(nullptr, std::memory_order_relaxed);
  tables_.clear();
  chunk_in_use_ = used_bytes_ = 0;
}

void FillRowField(const RowTable& table, size_t index) { table.tree->row_tables().Fill(table, index); }
const RowTable* MakeRowTableBelow(const RowTable& table, size_t index) {
  return table.tree->row_tables().MakeBelow(table, index);
}

const RowTable* RowTableOf(const NodeView& node) { return node.tree()->row_tables().Of(node); }

}  // namespace structtensor::column_internal
