#include "structtensor/core/column/abi/tree.h"

#include <algorithm>
#include <cstring>

#include "structtensor/core/column/internal/map_scratch.h"
#include "structtensor/core/column/internal/presence.h"
#include "structtensor/core/column/internal/row_tables.h"

namespace structtensor::column_internal {
namespace {

constexpr size_t kInitialCapacity = 64;
// For columns that are appended to. A message type with thousands of fields has few values in each, and decoding is faster if
// the values are spread over less memory. 2,000 fields, ten of them in a message: 171 ns a message; with room for 1,024 values,
// 177 ns.
constexpr size_t kInitialAppended = 16;
constexpr size_t kReadPastBytes = 64;  // finishing copies strings in fixed sizes, which reads up to this far past them
constexpr size_t kKeptBlockBytes = 4096;
constexpr size_t kRowsPrefixBytes = 64;  // holds rows[-1] and keeps rows aligned to a cache line

// Returns the presence bits of the required fields. A map entry without a value has an empty value. If the value's message type
// has required fields, the empty value lacks them, so the value counts as required. Skipped fields are not checked.
uint64_t RequiredBits(const plan::MessagePlan& message) {
  if (!message.presence_words || !message.reaches_required) return 0;
  const auto is_required = [](const plan::FieldPlan& field) { return field.presence == plan::Presence::kRequired; };
  uint64_t bits = 0;
  for (const plan::FieldPlan& field : message.fields) {
    if (field.presence_bit < 0 || field.skipped) continue;
    const bool of_value = message.map_entry && field.message != nullptr &&
                          std::any_of(field.message->fields.begin(), field.message->fields.end(), is_required);
    if (is_required(field) || of_value) bits |= uint64_t{1} << field.presence_bit;
  }
  return bits;
}

}  // namespace

ColumnTree::ColumnTree(const TreeLimits& limits)
    : limits_(limits), memory_(limits.memory_bytes), row_tables_(std::make_unique<RowTables>()) {}

std::unique_ptr<ColumnTree> ColumnTree::Make(const plan::MessagePlan& root, const TreeLimits& limits) {
  std::unique_ptr<ColumnTree> tree(new ColumnTree(limits));
  tree->root_ = tree->NewNode(root, nullptr, &tree->nrows_);
  return tree->root_ == nullptr ? nullptr : std::move(tree);
}

ColumnTree::~ColumnTree() = default;

TreeNode* ColumnTree::NewNode(const plan::MessagePlan& plan, TreeNode* parent, const uint32_t* nrows) {
  const size_t max_active = plan.fields.size() + 1;
  void* memory = memory_.AllocatePermanent(plan.node_size_bytes + max_active * sizeof(ActiveColumn));
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0, plan.node_size_bytes);
  TreeNode* node = static_cast<TreeNode*>(memory);
  node->plan = &plan;
  node->parent = parent;
  node->nrows = nrows;
  node->active = reinterpret_cast<ActiveColumn*>(static_cast<uint8_t*>(memory) + plan.node_size_bytes);
  node->required = RequiredBits(plan);
  return node;
}

ColumnStorage* ColumnTree::StorageOf(const TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column) {
  if (column.storage == nullptr) {
    void* memory = memory_.AllocatePermanent(sizeof(ColumnStorage));
    if (memory == nullptr) return nullptr;
    column.storage = new (memory) ColumnStorage{};
    const bool opaque = field.is_message() && BeyondRecursionDepth(node, field);
    column.storage->layout = opaque ? plan::OpaqueLayout(field.cardinality) : field.layout;
  }
  return column.storage;
}

// Requires: the column has its storage.
void ColumnTree::List(TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column) {
  if (column.storage->active) return;
  column.storage->active = true;
  const std::span<const plan::FieldPlan> fields = node->plan->fields;
  const size_t index = &field == &kUnknownFields ? fields.size() : static_cast<size_t>(&field - fields.data());
  node->active[node->active_size++] = {static_cast<uint32_t>(index), field.is_message(), field.column_offset};
}

// Enlarges `block` to at least `size_bytes`, keeping its first `keep_bytes`.
bool ColumnTree::Reserve(Block& block, size_t size_bytes, size_t keep_bytes) {
  if (block.data != nullptr && block.size_bytes >= size_bytes) return true;
  size_t granted_bytes;
  void* data = memory_.Allocate(size_bytes, &granted_bytes);
  if (data == nullptr) return false;
  if (block.data != nullptr && keep_bytes != 0) std::memcpy(data, block.data, keep_bytes);
  memory_.Release(block.data, block.size_bytes);
  block = {data, granted_bytes};
  return true;
}

// Enlarges `block` to `wanted_bytes` or, where the limit does not allow that, to a little more than `least_bytes`.
bool ColumnTree::Grow(Block& block, size_t wanted_bytes, size_t least_bytes, size_t keep_bytes) {
  return Reserve(block, wanted_bytes, keep_bytes) ||
         Reserve(block, std::min(wanted_bytes, least_bytes + least_bytes / 16 + 1024), keep_bytes) ||
         Reserve(block, least_bytes, keep_bytes);
}

bool ColumnTree::ReserveRows(ColumnBuffer& column, ColumnStorage& storage, size_t capacity, size_t least) {
  const size_t keep_bytes = storage.rows.data == nullptr ? 0 : kRowsPrefixBytes + column.size * sizeof(uint32_t);
  if (!Grow(storage.rows, kRowsPrefixBytes + capacity * sizeof(uint32_t), kRowsPrefixBytes + least * sizeof(uint32_t),
            keep_bytes)) {
    return false;
  }
  column.rows = reinterpret_cast<uint32_t*>(static_cast<uint8_t*>(storage.rows.data) + kRowsPrefixBytes);
  column.rows[-1] = kNoRow;
  return true;
}

bool ColumnTree::ReserveSplits(ColumnBuffer& column, ColumnStorage& storage, size_t size_elements) {
  if (storage.rows.size_bytes < size_elements * sizeof(int64_t) &&
      !Grow(storage.rows, std::max(size_elements * 3 / 2, kInitialCapacity) * sizeof(int64_t), size_elements * sizeof(int64_t),
            column.filled * sizeof(int64_t))) {
    return false;
  }
  column.row_splits = static_cast<int64_t*>(storage.rows.data);
  return true;
}

namespace {

// Returns how many elements fit into `block`, at most `most`.
uint32_t Fitting(const Block& block, size_t prefix_bytes, size_t element_bytes, size_t most) {
  return static_cast<uint32_t>(std::min<size_t>({(block.size_bytes - prefix_bytes) / element_bytes, most, 0xfffffffe}));
}

}  // namespace

bool ColumnTree::EnterRow(TreeNode* node, uint32_t row) {
  if (row >= node->presence_limit) {
    const size_t least = size_t{row} + 1;
    const size_t wanted =
        std::max<size_t>({kInitialCapacity, node->presence_limit * 2, least, std::min<size_t>(*node->nrows, 4096)});
    Block block{node->presence, node->presence_bytes};
    if (!Grow(block, wanted * sizeof(uint64_t) + kPresenceSlackBytes, least * sizeof(uint64_t) + kPresenceSlackBytes,
              node->rows_entered * sizeof(uint64_t))) {
      return false;
    }
    node->presence = static_cast<uint64_t*>(block.data);
    node->presence_bytes = block.size_bytes;
    node->presence_limit = (block.size_bytes - kPresenceSlackBytes) / sizeof(uint64_t);
  }
  std::memset(node->presence + node->rows_entered, 0, (size_t{row} + 1 - node->rows_entered) * sizeof(uint64_t));
  node->rows_entered = row + 1;
  return true;
}

bool ColumnTree::GrowRows(TreeNode* node, uint32_t field_index, uint32_t row) {
  const plan::FieldPlan& field = FieldAt(node, field_index);
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnStorage* storage = StorageOf(node, field, column);
  if (storage == nullptr) return false;
  // The values of a skipped field are stored and never read. That costs less than a check for each value.
  if (!field.skipped) List(node, field, column);
  if (row >= storage->capacity) {
    const size_t least = size_t{row} + 1;
    const size_t wanted =
        std::max<size_t>({kInitialCapacity, size_t{storage->capacity} * 2, least, std::min<size_t>(*node->nrows, 4096)});
    const size_t element_bytes = plan::ElementSizeBytes(field.element);
    if (!Grow(storage->values, wanted * element_bytes, least * element_bytes, column.limit * element_bytes)) return false;
    storage->capacity = Fitting(storage->values, 0, element_bytes, wanted);
  }
  column.values = storage->values.data;
  column.limit = storage->capacity;
  return true;
}

bool ColumnTree::GrowSingular(TreeNode* node, uint32_t field_index) {
  const plan::FieldPlan& field = node->plan->fields[field_index];
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnStorage* storage = StorageOf(node, field, column);
  if (storage == nullptr) return false;
  if (field.skipped) {
    column.size = 0;  // each value overwrites the one before
  } else {
    List(node, field, column);
  }
  if (column.size == storage->capacity) {
    const size_t least = size_t{column.size} + 1;
    const size_t wanted = std::max(kInitialAppended, size_t{storage->capacity} * 2);
    const size_t element_bytes = plan::ElementSizeBytes(field.element);
    if (!Grow(storage->values, wanted * element_bytes, least * element_bytes, column.size * element_bytes)) return false;
    column.values = storage->values.data;
    const size_t fitting = Fitting(storage->values, 0, element_bytes, wanted);
    if (!ReserveRows(column, *storage, fitting, least)) return false;
    storage->capacity = Fitting(storage->rows, kRowsPrefixBytes, sizeof(uint32_t), fitting);
  }
  column.limit = storage->capacity;
  return true;
}

bool ColumnTree::GrowRepeated(TreeNode* node, uint32_t field_index, size_t additional) {
  const plan::FieldPlan& field = FieldAt(node, field_index);
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnStorage& storage = *column.storage;
  const size_t needed = column.size + additional;
  if (needed > storage.capacity) {
    if (needed > 0x7fffffff) return false;
    const size_t wanted = std::max<size_t>(size_t{storage.capacity} * 2, needed);
    const size_t element_bytes = plan::ElementSizeBytes(field.element);
    if (!Grow(storage.values, wanted * element_bytes + kValuesSlackBytes, needed * element_bytes + kValuesSlackBytes,
              column.size * element_bytes)) {
      return false;
    }
    column.values = storage.values.data;
    // The capacity is the whole block without the slack, so twice as many elements fit into a block of twice the size.
    const size_t capacity = (storage.values.size_bytes - kValuesSlackBytes) / element_bytes;
    storage.capacity = static_cast<uint32_t>(std::min<size_t>(capacity, 0x7fffffff));
  }
  column.limit = storage.capacity;
  return true;
}

bool ColumnTree::BeyondRecursionDepth(const TreeNode* node, const plan::FieldPlan& field) const {
  const int depth = plan::RecursionDepthOf(field, limits_.recursion_depth);
  if (depth <= 0) return false;
  int occurrences = 0;
  for (const TreeNode* ancestor = node; ancestor != nullptr; ancestor = ancestor->parent) {
    occurrences += ancestor->plan->full_name == field.message->full_name;  // not by address: a projection has copies of plans
  }
  return occurrences >= depth;
}

bool ColumnTree::MakeChild(TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column, const uint32_t* child_nrows) {
  if (column.child != nullptr) return true;
  if (paths_ >= limits_.paths) {
    refused_path_ = {node, &field};
    return false;
  }
  column.child = NewNode(*field.message, node, child_nrows);
  if (column.child == nullptr) return false;
  ++paths_;
  if (field.cardinality == plan::Cardinality::kMap) {
    for (TreeNode* above = node; above != nullptr; above = above->parent) above->has_maps = true;
  }
  return true;
}

uint32_t ColumnTree::RowLimit(const plan::MessagePlan& message) const {
  const uint64_t declared_fields = std::max<size_t>(1, message.fields.size());
  return static_cast<uint32_t>(std::min<uint64_t>(limits_.rows, limits_.cells / declared_fields));
}

bool ColumnTree::GrowMessage(TreeNode* node, uint32_t field_index) {
  const plan::FieldPlan& field = node->plan->fields[field_index];
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnStorage* storage = StorageOf(node, field, column);
  if (storage == nullptr) return false;
  List(node, field, column);
  if (plan::IsOpaque(storage->layout)) return true;
  if (!MakeChild(node, field, column, node->nrows)) return false;
  if (storage->layout != plan::Layout::kAppendedMessage) {
    column.limit = IsInBatchRows(node) ? kNoRow : RowLimit(*field.message);
    return true;
  }
  if (column.size == storage->capacity) {
    const size_t wanted = std::max(kInitialAppended, size_t{storage->capacity} * 2);
    if (!ReserveRows(column, *storage, wanted, size_t{column.size} + 1)) return false;
    storage->capacity = Fitting(storage->rows, kRowsPrefixBytes, sizeof(uint32_t), wanted);
  }
  column.limit = IsInBatchRows(node) ? storage->capacity : std::min(storage->capacity, RowLimit(*field.message));
  return true;
}

bool ColumnTree::StartRow(TreeNode* node, uint32_t field_index, uint32_t row) {
  const plan::FieldPlan& field = FieldAt(node, field_index);
  ColumnBuffer& column = ColumnAt(node, field);
  if (row < column.splits_limit) {
    for (uint32_t i = column.filled; i <= row; ++i) column.row_splits[i] = column.size;
    column.filled = row + 1;
    return true;
  }
  ColumnStorage* storage = StorageOf(node, field, column);
  if (storage == nullptr) return false;
  List(node, field, column);
  if (field.message != nullptr && storage->layout == plan::Layout::kElementMessages) {  // unknown fields have no message type
    if (!MakeChild(node, field, column, &column.size)) return false;
    column.limit = RowLimit(*field.message);
  } else if (storage->layout == plan::Layout::kElements) {
    column.limit = storage->capacity;
  }
  if (!ReserveSplits(column, *storage, size_t{row} + 2)) return false;
  column.splits_limit = static_cast<uint32_t>(std::min<size_t>(storage->rows.size_bytes / sizeof(int64_t), kNoRow));
  for (uint32_t i = column.filled; i <= row; ++i) column.row_splits[i] = column.size;
  column.filled = row + 1;
  return true;
}

// Appends `bytes` to the bytes of `first`. The block of `first` doubles when it grows, so that a message in a thousand parts is
// not copied a thousand times.
bool ColumnTree::Join(StringRef& first, const uint8_t* bytes, uint32_t size_bytes) {
  const size_t joined_bytes = size_t{first.size_bytes} + size_bytes;
  if (first.joined == 0) {
    Block block{};
    if (!Reserve(block, joined_bytes * 2 + kReadPastBytes, 0)) return false;
    std::memcpy(block.data, first.data, first.size_bytes);
    joined_.push_back(block);
    first.joined = static_cast<uint32_t>(joined_.size());
  }
  Block& block = joined_[first.joined - 1];
  if (block.size_bytes < joined_bytes + kReadPastBytes && !Reserve(block, joined_bytes * 2 + kReadPastBytes, first.size_bytes))
    return false;
  std::memcpy(static_cast<uint8_t*>(block.data) + first.size_bytes, bytes, size_bytes);
  first.data = static_cast<const char*>(block.data);
  first.size_bytes = static_cast<uint32_t>(joined_bytes);
  return true;
}

bool ColumnTree::AppendUnknown(TreeNode* node, uint32_t row, const uint8_t* bytes, uint32_t size_bytes) {
  const uint32_t field_index = static_cast<uint32_t>(node->plan->fields.size());
  ColumnBuffer& column = node->unknown_fields;
  if (row >= column.filled && !StartRow(node, field_index, row)) return false;
  if (column.size > column.row_splits[row]) {
    StringRef& last = static_cast<StringRef*>(column.values)[column.size - 1];
    if (last.data + last.size_bytes == reinterpret_cast<const char*>(bytes)) {
      last.size_bytes += size_bytes;
      return true;
    }
  }
  if (column.size >= column.limit && !GrowRepeated(node, field_index, 1)) return false;
  static_cast<StringRef*>(column.values)[column.size++] = {reinterpret_cast<const char*>(bytes), size_bytes, 0};
  return true;
}

uint8_t* ColumnTree::KeepRoom(size_t size_bytes) {
  if (kept_.size_bytes < kept_used_bytes_ + size_bytes + kReadPastBytes) {
    Block block{};
    if (!Reserve(block, std::max<size_t>(kKeptBlockBytes, size_bytes + kReadPastBytes), 0)) return nullptr;
    joined_.push_back(block);
    kept_ = block;
    kept_used_bytes_ = 0;
  }
  uint8_t* room = static_cast<uint8_t*>(kept_.data) + kept_used_bytes_;
  kept_used_bytes_ += size_bytes;
  return room;
}

const uint8_t* ColumnTree::KeepBytes(const uint8_t* bytes, uint32_t size_bytes) {
  uint8_t* copy = KeepRoom(size_bytes);
  if (copy != nullptr) std::memcpy(copy, bytes, size_bytes);
  return copy;
}

bool ColumnTree::AppendOpaque(TreeNode* node, uint32_t field_index, uint32_t row, const uint8_t* bytes, uint32_t size_bytes) {
  const plan::FieldPlan& field = node->plan->fields[field_index];
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnStorage& storage = *column.storage;
  StringRef* refs = static_cast<StringRef*>(column.values);
  if (!field.is_repeated() && column.size != 0 && column.rows[column.size - 1] == row) {
    return Join(refs[column.size - 1], bytes, size_bytes);
  }
  if (column.size == storage.opaque_capacity) {
    const size_t least = size_t{column.size} + 1;
    size_t capacity = std::max<size_t>(kInitialCapacity, size_t{storage.opaque_capacity} * 2);
    if (!Grow(storage.values, capacity * sizeof(StringRef), least * sizeof(StringRef), column.size * sizeof(StringRef)))
      return false;
    column.values = storage.values.data;
    refs = static_cast<StringRef*>(column.values);
    capacity = Fitting(storage.values, 0, sizeof(StringRef), capacity);
    if (!field.is_repeated()) {
      if (!ReserveRows(column, storage, capacity, least)) return false;
      capacity = Fitting(storage.rows, kRowsPrefixBytes, sizeof(uint32_t), capacity);
    }
    storage.opaque_capacity = static_cast<uint32_t>(capacity);
  }
  refs[column.size] = {reinterpret_cast<const char*>(bytes), size_bytes, 0};
  if (!field.is_repeated()) column.rows[column.size] = row;
  ++column.size;
  return true;
}

void ColumnTree::TruncateColumn(TreeNode* node, const plan::FieldPlan& field, uint32_t row) {
  ColumnBuffer& column = ColumnAt(node, field);
  if (!IsActive(column)) return;
  switch (column.storage->layout) {
    case plan::Layout::kElements:
    case plan::Layout::kElementBytes:
    case plan::Layout::kElementMessages:
      if (column.filled <= row) return;
      column.size = static_cast<uint32_t>(column.row_splits[row]);
      column.filled = row;
      if (HasChild(column)) Truncate(column.child, column.size);
      return;
    case plan::Layout::kAppended:
    case plan::Layout::kBytes:
    case plan::Layout::kAppendedMessage:
      while (column.size != 0 && column.rows[column.size - 1] >= row) --column.size;
      if (HasChild(column)) Truncate(column.child, row);
      return;
    case plan::Layout::kByRow:
    case plan::Layout::kCaseByRow:
      return;  // presence words show what is in a row
    case plan::Layout::kMessageByRow:
    case plan::Layout::kChosenKeys:
      if (HasChild(column)) Truncate(column.child, row);
      return;
  }
}

void ColumnTree::Truncate(TreeNode* node, uint32_t row) {
  node->rows_entered = std::min(node->rows_entered, row);
  ForEachActive(node, [&](const plan::FieldPlan& field, ColumnBuffer&) { TruncateColumn(node, field, row); });
}

void ColumnTree::ResetNode(TreeNode* node) {
  node->rows_entered = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < node->active_size; ++i) {
    const ActiveColumn entry = node->active[i];
    ColumnBuffer& column = ColumnAt(node, entry);
    bool touched = column.size != 0;
    if (HasChild(column)) {
      touched = HasChildData(column);
      ResetNode(column.child);
    } else {
      column.values = column.storage->values.data;  // finishing may have changed it
    }
    column.size = 0;
    column.filled = 0;
    if (touched) {
      node->active[kept++] = entry;
      continue;
    }
    column.storage->active = false;
    column.limit = 0;
    column.splits_limit = 0;
  }
  node->active_size = kept;
}

void ColumnTree::Reset() {
  row_tables_->Reset();
  ResetNode(root_);
  nrows_ = 0;
  for (const Block& block : joined_) memory_.Release(block.data, block.size_bytes);
  joined_.clear();
  kept_ = {};
  kept_used_bytes_ = 0;
  refused_path_ = {};
}

}  // namespace structtensor::column_internal
