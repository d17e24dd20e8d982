// Makes EncodeNodes: their memory, and the bound on the bytes that their messages can take.
#ifndef STRUCTTENSOR_CORE_ENCODE_SHARED_NODE_BUILDER_H_
#define STRUCTTENSOR_CORE_ENCODE_SHARED_NODE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "structtensor/core/encode/abi/node.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::encode_internal {

// To use it, make a node, set columns in the order of their fields, and then call Complete.
class NodeBuilder {
 public:
  // Forgets all nodes, and keeps their memory.
  void Reset();

  // The most bytes that the messages of all nodes made since Reset can take.
  size_t bound_bytes() const { return bound_bytes_; }

  // Memory until Reset, for `size_elements` objects of T, which are not initialised.
  template <typename T>
  T* Allocate(size_t size_elements) {
    return static_cast<T*>(AllocateBytes(size_elements * sizeof(T)));
  }

  // A node without columns.
  EncodeNode* NewNode(const plan::MessagePlan& plan);

  // Completes `node`. Requires: the columns of node->present are set. `values`: their number of values, where all elements of a
  // row count as one; only needed for types without presence words.
  void Complete(EncodeNode* node, uint32_t nrows, uint64_t values);

  // --- Each sets what a column points at, and counts its bytes. The caller sets the cursor (`left` and what goes with it).

  // `size` values of a scalar that is not text.
  void SetValues(const plan::FieldPlan& field, const void* values, size_t size, EncodeColumn& to);
  // `size` strings or serialized messages, `text_bytes` in total. `bytes` may be null if there are none.
  void SetText(const plan::FieldPlan& field, const int32_t* offsets, const char* bytes, size_t size, size_t text_bytes,
               EncodeColumn& to);
  // The node of `size` messages.
  void SetChild(const plan::FieldPlan& field, EncodeNode* child, size_t size, EncodeColumn& to);
  // The unknown fields of each row.
  void SetUnknownFields(const int32_t* offsets, const char* bytes, size_t text_bytes, EncodeColumn& to);
  // Counts the tags and lengths of at most `size` packed runs.
  void CountRuns(const plan::FieldPlan& field, size_t size);

 private:
  struct Chunk {
    std::unique_ptr<uint64_t[]> memory;
    size_t size_bytes;
  };

  void* AllocateBytes(size_t size_bytes);
  void AddChunk(size_t size_bytes);

  std::vector<Chunk> chunks_;
  size_t used_bytes_ = 0;  // of the last chunk
  size_t bound_bytes_ = 0;
};

}  // namespace structtensor::encode_internal

#endif  // STRUCTTENSOR_CORE_ENCODE_SHARED_NODE_BUILDER_H_
