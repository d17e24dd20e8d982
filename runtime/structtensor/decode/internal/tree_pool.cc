#include "structtensor/decode/internal/tree_pool.h"

#include <atomic>
#include <cstdint>

namespace structtensor::decode_internal {

struct TreeRef::Shared {
  Shared(const plan::MessagePlan& plan, const TreeLimits& limits) : tree(plan, limits) {}
  ColumnTree tree;
  std::atomic<uint32_t> references{1};
  std::shared_ptr<TreePool> pool;  // empty while the pool holds it
  bool discarded = false;
};

TreeRef::TreeRef(const TreeRef& other) : shared_(other.shared_) {
  if (shared_ != nullptr) shared_->references.fetch_add(1, std::memory_order_relaxed);
}

TreeRef::~TreeRef() {
  if (shared_ == nullptr || shared_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (shared_->discarded) {
    delete shared_;
    return;
  }
  shared_->tree.Reset();
  const std::shared_ptr<TreePool> pool = std::move(shared_->pool);
  pool->Give(shared_);
}

ColumnTree& TreeRef::tree() const { return shared_->tree; }

void TreeRef::Discard() { shared_->discarded = true; }

TreePool::~TreePool() {
  for (TreeRef::Shared* shared : free_) delete shared;
}

TreeRef TreePool::Take() {
  TreeRef::Shared* shared;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return TreeRef();
    shared = free_.back();
    free_.pop_back();
  }
  shared->references.store(1, std::memory_order_relaxed);
  shared->pool = shared_from_this();
  return TreeRef(shared);
}

TreeRef TreePool::Make(const plan::MessagePlan& plan, const TreeLimits& limits) {
  auto* const shared = new TreeRef::Shared(plan, limits);
  shared->pool = shared_from_this();
  return TreeRef(shared);
}

void TreePool::Give(TreeRef::Shared* shared) {
  const std::lock_guard lock(mutex_);
  free_.push_back(shared);
}

}  // namespace structtensor::decode_internal
