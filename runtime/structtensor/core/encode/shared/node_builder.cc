#include "structtensor/core/encode/shared/node_builder.h"

#include <algorithm>
#include <cstring>

#include "structtensor/core/encode/internal/row_values.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::encode_internal {
namespace {

// The longest encodings.
constexpr size_t kLengthBytes = 5;
constexpr size_t kVarintBytes = 10;
// The tag, the number and the tags of a MessageSet's item.
constexpr size_t kItemBytes = 16;

size_t TagBytes(const plan::FieldPlan& field) { return wire_internal::TagSizeBytes(static_cast<uint32_t>(field.number) << 3); }
size_t BoundBytes(const plan::FieldPlan& field, size_t size, size_t value_bytes) {
  return size * (2 * TagBytes(field) + value_bytes);
}

}  // namespace

// If the last batch took several chunks, replaces them by one chunk as large as all of them. Similar batches then need only
// this one.
void NodeBuilder::Reset() {
  bound_bytes_ = 0;
  used_bytes_ = 0;
  if (chunks_.size() < 2) return;
  size_t size_bytes = 0;
  for (const Chunk& chunk : chunks_) size_bytes += chunk.size_bytes;
  chunks_.clear();
  AddChunk(size_bytes);
}

void* NodeBuilder::AllocateBytes(size_t size_bytes) {
  constexpr size_t kChunkBytes = 1 << 16;
  size_bytes = (size_bytes + 7) / 8 * 8;
  if (chunks_.empty() || chunks_.back().size_bytes - used_bytes_ < size_bytes) {
    AddChunk(std::max(kChunkBytes, size_bytes));
  }
  void* result = reinterpret_cast<uint8_t*>(chunks_.back().memory.get()) + used_bytes_;
  used_bytes_ += size_bytes;
  return result;
}

void NodeBuilder::AddChunk(size_t size_bytes) {
  chunks_.push_back({std::make_unique_for_overwrite<uint64_t[]>(size_bytes / 8), size_bytes});
  used_bytes_ = 0;
}

EncodeNode* NodeBuilder::NewNode(const plan::MessagePlan& plan) {
  EncodeNode* const node = static_cast<EncodeNode*>(AllocateBytes(plan.node_size_bytes));
  // If the fields that are present are listed, the columns of the other fields are never read.
  std::memset(static_cast<void*>(node), 0, MayListValues(plan) ? sizeof(EncodeNode) : plan.node_size_bytes);
  node->plan = &plan;
  return node;
}

void NodeBuilder::Complete(EncodeNode* node, uint32_t nrows, uint64_t values) {
  // For each value, a list costs several times as much as checking whether a row has a field.
  if (MayListValues(*node->plan) && values < node->present_size * nrows / 4 && values <= 0xfffffffe) {
    void* const memory = AllocateBytes(RowValuesBytes(values));
    ListValues(node, nrows, static_cast<uint32_t>(values), memory, Allocate<uint32_t>(nrows));
  }
  // A map entry's key and value are written even if they have their defaults.
  if (node->plan->map_entry) bound_bytes_ += size_t{nrows} * 2 * (kVarintBytes + 1);
}

void NodeBuilder::SetValues(const plan::FieldPlan& field, const void* values, size_t size, EncodeColumn& to) {
  to.values = values;
  // Searching the values for the longest varint instead would give a closer bound, but the search would cost a tenth of the
  // time for encoding them (pprof).
  bound_bytes_ += BoundBytes(field, size, plan::FactsOf(field.kind).longest_bytes);
}

void NodeBuilder::SetText(const plan::FieldPlan& field, const int32_t* offsets, const char* bytes, size_t size,
                          size_t text_bytes, EncodeColumn& to) {
  to.offsets = offsets;
  to.bytes = bytes == nullptr ? "" : bytes;  // without bytes, an opaque message would be taken for a node
  bound_bytes_ += text_bytes + BoundBytes(field, size, kItemBytes + kLengthBytes);
}

void NodeBuilder::SetChild(const plan::FieldPlan& field, EncodeNode* child, size_t size, EncodeColumn& to) {
  to.child = child;
  bound_bytes_ += BoundBytes(field, size, kItemBytes + kLengthBytes);
}

void NodeBuilder::SetUnknownFields(const int32_t* offsets, const char* bytes, size_t text_bytes, EncodeColumn& to) {
  to.offsets = offsets;
  to.bytes = bytes == nullptr ? "" : bytes;
  bound_bytes_ += text_bytes;
}

void NodeBuilder::CountRuns(const plan::FieldPlan& field, size_t size) {
  bound_bytes_ += size * (TagBytes(field) + kLengthBytes);
}

}  // namespace structtensor::encode_internal
