// Column trees that go from batch to batch with their memory.
#ifndef STRUCTTENSOR_DECODE_INTERNAL_TREE_POOL_H_
#define STRUCTTENSOR_DECODE_INTERNAL_TREE_POOL_H_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "structtensor/column/internal/tree.h"
#include "structtensor/decode/internal/projection.h"
#include "structtensor/plan/plan.h"

namespace structtensor::decode_internal {

class TreePool;

// A counted reference to a tree. The last one gives the tree, with its memory, back to the pool that it came from.
class TreeRef {
 public:
  struct Shared;
  TreeRef() = default;
  explicit TreeRef(Shared* shared) : shared_(shared) {}
  TreeRef(const TreeRef& other);
  TreeRef(TreeRef&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  TreeRef& operator=(TreeRef other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~TreeRef();
  ColumnTree& tree() const;
  explicit operator bool() const { return shared_ != nullptr; }

  // Lets the last reference give the tree's memory back to the system instead.
  void Discard();

 private:
  Shared* shared_ = nullptr;
};

// Trees that no batch uses. Batches may die in any thread, and after their decoder.
class TreePool : public std::enable_shared_from_this<TreePool> {
 public:
  // Keeps the plans of `projection`, which may be null, for its trees.
  explicit TreePool(std::shared_ptr<const Projection> projection) : projection_(std::move(projection)) {}
  ~TreePool();

  // A tree that has served before, or no tree.
  TreeRef Take();
  TreeRef Make(const plan::MessagePlan& plan, const TreeLimits& limits);

 private:
  friend class TreeRef;
  void Give(TreeRef::Shared* shared);

  std::shared_ptr<const Projection> projection_;
  std::mutex mutex_;
  std::vector<TreeRef::Shared*> free_;
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_DECODE_INTERNAL_TREE_POOL_H_
