// What a batch holds: a reference to its columns.
#ifndef STRUCTTENSOR_CORE_DECODE_ABI_TREE_REF_H_
#define STRUCTTENSOR_CORE_DECODE_ABI_TREE_REF_H_

#include <cstddef>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace structtensor::column_internal {
class ColumnTree;
}  // namespace structtensor::column_internal

namespace structtensor::decode_internal {

// A counted reference to a tree. The last reference returns the tree, with its memory, to the pool that it came from.
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
  column_internal::ColumnTree& tree() const;
  explicit operator bool() const { return shared_ != nullptr; }

  // Makes the last reference return the tree's memory to the system instead.
  void Discard();

  // Sets the total size of the batch's messages. From it, the pool judges whether the tree is larger than necessary.
  void set_input_bytes(size_t input_bytes);

  // Data that ToStructuredTensor, their only user, derives from the message type and from options. The pool keeps them for
  // later batches. Null until they are set. Several threads may call these at once.
  std::shared_ptr<const void> derived() const;
  void set_derived(std::shared_ptr<const void> derived) const;

 private:
  Shared* shared_ = nullptr;
};

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_DECODE_ABI_TREE_REF_H_
