// Column trees whose memory is reused from batch to batch.
#ifndef STRUCTTENSOR_CORE_DECODE_SHARED_TREE_POOL_H_
#define STRUCTTENSOR_CORE_DECODE_SHARED_TREE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/abi/tree_ref.h"
#include "structtensor/core/decode/internal/projection.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::decode_internal {

// Trees that no batch uses. Batches may be destroyed in any thread, and after their decoder.
//
// A pool frees memory that batches no longer need. It keeps no more trees than were recently in use at a time, and no tree
// whose memory has long been out of proportion to the data decoded into it.
class TreePool : public std::enable_shared_from_this<TreePool> {
 public:
  // Keeps the plans of `projection` and `kept_plan` alive for its trees. Both may be null.
  TreePool(std::shared_ptr<const Projection> projection, std::shared_ptr<const plan::MessagePlan> kept_plan)
      : kept_plan_(std::move(kept_plan)), projection_(std::move(projection)) {}
  ~TreePool();

  // A tree that was used before, or no tree.
  TreeRef Take();
  // A fresh tree, or no tree if limits.memory_bytes is too small for any tree.
  TreeRef Make(const plan::MessagePlan& plan, const column_internal::TreeLimits& limits);

  // Frees all trees that no batch uses. Trees in use are freed when their batches are destroyed.
  void Shrink();

 private:
  friend class TreeRef;
  void Give(TreeRef::Shared* shared);
  void CountUse();

  std::shared_ptr<const plan::MessagePlan> kept_plan_;  // outlives projection_, whose plans refer to it
  std::shared_ptr<const Projection> projection_;
  std::mutex mutex_;
  std::shared_ptr<const void> derived_;  // holds for all trees: they have the same plan and limits. It may refer to the plans
  std::vector<TreeRef::Shared*> free_;
  // How many trees have been in use at a time: now, at most since uses_ was 0, and at most in the period before.
  size_t in_use_ = 0;
  size_t peak_in_use_ = 0;
  size_t peak_before_ = 0;
  uint32_t uses_ = 0;
  uint64_t shrinks_ = 0;  // number of calls of Shrink
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_CORE_DECODE_SHARED_TREE_POOL_H_
