// What a batch holds: a reference to its columns.
#ifndef STRUCTTENSOR_DECODE_INTERNAL_TREE_REF_H_
#define STRUCTTENSOR_DECODE_INTERNAL_TREE_REF_H_

#include <cstddef>
#include <utility>

#pragma GCC visibility push(default)

namespace structtensor::column_internal {
class ColumnTree;
}  // namespace structtensor::column_internal

namespace structtensor::decode_internal {

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
  column_internal::ColumnTree& tree() const;
  explicit operator bool() const { return shared_ != nullptr; }

  // Lets the last reference give the tree's memory back to the system instead.
  void Discard();

  // Says how many bytes the messages of the batch have, from which the pool tells whether the tree is larger than it has to be.
  void set_input_bytes(size_t input_bytes);

 private:
  Shared* shared_ = nullptr;
};

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_INTERNAL_TREE_REF_H_
