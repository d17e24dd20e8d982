// The children of an ArrowSchema or ArrowArray.
#ifndef STRUCTTENSOR_IO_ARROW_INTERNAL_CHILDREN_H_
#define STRUCTTENSOR_IO_ARROW_INTERNAL_CHILDREN_H_

#include <cstdint>
#include <vector>

namespace structtensor::arrow_internal {

// Owns child structs for its parent. The destructor releases those that the parent's consumer has not moved away.
template <typename CStruct>
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (CStruct& child : structs_) {
      if (child.release != nullptr) child.release(&child);
    }
  }

  // Returns an empty struct to be filled at once. The pointer is valid until the next call.
  CStruct* Add() { return &structs_.emplace_back(); }

  // Returns the pointers for the parent's `children`. To be called after the last Add.
  CStruct** Pointers() {
    pointers_.clear();
    for (CStruct& child : structs_) pointers_.push_back(&child);
    return pointers_.empty() ? nullptr : pointers_.data();
  }
  int64_t size() const { return static_cast<int64_t>(structs_.size()); }

 private:
  std::vector<CStruct> structs_;
  std::vector<CStruct*> pointers_;
};

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_IO_ARROW_INTERNAL_CHILDREN_H_
