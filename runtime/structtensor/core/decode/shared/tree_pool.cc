#include "structtensor/core/decode/shared/tree_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace structtensor::decode_internal {

using column_internal::ColumnTree;

namespace {

// A tree is too large if, for kPatience batches in a row, it has more memory than kUnquestionedBytes, kBytesPerField for each
// declared field, and kBytesPerInputByte for each byte of input. A small batch of a message type with thousands of fields
// touches other columns than the batch before, so all columns are worth keeping.
constexpr size_t kUnquestionedBytes = size_t{1} << 20;
constexpr size_t kBytesPerField = 1024;
constexpr size_t kMaxFields = size_t{1} << 14;
constexpr size_t kBytesPerInputByte = 64;
constexpr uint32_t kPatience = 32;
// The number of trees in use is watched over periods of this many batches.
constexpr uint32_t kPeriod = 64;

// The number of fields of all message types that `root` reaches, each type counted once, up to kMaxFields.
size_t CountFields(const plan::MessagePlan& root) {
  std::unordered_set<const plan::MessagePlan*> seen = {&root};
  std::vector<const plan::MessagePlan*> open = {&root};
  size_t fields = 0;
  while (!open.empty() && fields < kMaxFields) {
    const plan::MessagePlan& type = *open.back();
    open.pop_back();
    fields += type.fields.size();
    for (const plan::FieldPlan& field : type.fields) {
      if (field.message != nullptr && !field.skipped && seen.insert(field.message).second) open.push_back(field.message);
    }
  }
  return std::min(fields, kMaxFields);
}

}  // namespace

struct TreeRef::Shared {
  Shared(std::unique_ptr<ColumnTree> tree, size_t unquestioned_bytes)
      : tree(std::move(tree)), unquestioned_bytes(unquestioned_bytes) {}

  // Called after each batch. Returns whether the tree has been too large for long.
  bool IsTooLarge() {
    const bool large =
        (tree->used_bytes() - std::min(tree->used_bytes(), unquestioned_bytes)) / kBytesPerInputByte > input_bytes;
    large_batches = large ? large_batches + 1 : 0;
    return large_batches >= kPatience;
  }

  std::unique_ptr<ColumnTree> tree;
  std::atomic<uint32_t> references{1};
  std::shared_ptr<TreePool> pool;    // empty while the pool holds it
  uint64_t taken_after_shrinks = 0;  // TreePool::shrinks_ when it was taken
  const size_t unquestioned_bytes;
  size_t input_bytes = 0;
  uint32_t large_batches = 0;
  bool discarded = false;
};

TreeRef::TreeRef(const TreeRef& other) : shared_(other.shared_) {
  if (shared_ != nullptr) shared_->references.fetch_add(1, std::memory_order_relaxed);
}

TreeRef::~TreeRef() {
  if (shared_ == nullptr || shared_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::shared_ptr<TreePool> pool = std::move(shared_->pool);
  pool->Give(shared_);
}

ColumnTree& TreeRef::tree() const { return *shared_->tree; }

void TreeRef::Discard() { shared_->discarded = true; }

void TreeRef::set_input_bytes(size_t input_bytes) { shared_->input_bytes = input_bytes; }

std::shared_ptr<const void> TreeRef::derived() const {
  const std::lock_guard lock(shared_->pool->mutex_);
  return shared_->pool->derived_;
}

void TreeRef::set_derived(std::shared_ptr<const void> derived) const {
  const std::lock_guard lock(shared_->pool->mutex_);
  shared_->pool->derived_.swap(derived);  // the old one is destroyed without the lock
}

TreePool::~TreePool() {
  for (TreeRef::Shared* shared : free_) delete shared;
}

// Requires: mutex_ is held.
void TreePool::CountUse() {
  peak_in_use_ = std::max(peak_in_use_, ++in_use_);
  if (++uses_ < kPeriod) return;
  peak_before_ = std::exchange(peak_in_use_, in_use_);
  uses_ = 0;
}

TreeRef TreePool::Take() {
  TreeRef::Shared* shared;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return TreeRef();
    CountUse();
    shared = free_.back();
    free_.pop_back();
    shared->taken_after_shrinks = shrinks_;
  }
  shared->tree->Unpoison();
  shared->references.store(1, std::memory_order_relaxed);
  shared->pool = shared_from_this();
  return TreeRef(shared);
}

TreeRef TreePool::Make(const plan::MessagePlan& plan, const column_internal::TreeLimits& limits) {
  std::unique_ptr<ColumnTree> tree = ColumnTree::Make(plan, limits);
  if (tree == nullptr) return TreeRef();
  auto* const shared = new TreeRef::Shared(std::move(tree), kUnquestionedBytes + CountFields(plan) * kBytesPerField);
  shared->pool = shared_from_this();
  const std::lock_guard lock(mutex_);
  CountUse();
  shared->taken_after_shrinks = shrinks_;
  return TreeRef(shared);
}

void TreePool::Shrink() {
  std::vector<TreeRef::Shared*> trees;
  std::shared_ptr<const void> derived;
  {
    const std::lock_guard lock(mutex_);
    trees.swap(free_);
    derived.swap(derived_);
    ++shrinks_;
    peak_in_use_ = in_use_;
    peak_before_ = 0;
    uses_ = 0;
  }
  for (TreeRef::Shared* shared : trees) delete shared;
}

void TreePool::Give(TreeRef::Shared* shared) {
  const bool keep = !shared->discarded && !shared->IsTooLarge();
  if (keep) {
    shared->tree->Reset();
    shared->tree->Poison();  // the address sanitizer reports rows and strings that are used after their batch
  }
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    const bool before_shrink = shared->taken_after_shrinks != shrinks_;
    if (keep && !before_shrink && in_use_ + free_.size() < std::max(peak_in_use_, peak_before_)) {
      free_.push_back(shared);
      return;
    }
  }
  delete shared;
}

}  // namespace structtensor::decode_internal
