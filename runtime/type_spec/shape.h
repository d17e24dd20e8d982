// The statically known part of a value's shape.
#ifndef STRUCTTENSOR_TYPE_SPEC_SHAPE_H_
#define STRUCTTENSOR_TYPE_SPEC_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace structtensor {

// A dimension whose size is unknown, or which has no single size because it is ragged.
inline constexpr int64_t kUnknownDimension = -1;

// A list of dimensions, outermost first, each a size or kUnknownDimension. The rank is always known. Immutable.
class Shape {
 public:
  Shape() = default;  // of a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  // Without moves: gcc 12 takes the unused inline storage of a moved shape for a read of uninitialized memory, and warns.
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int axis) const { return dims_[axis]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }

  bool is_fully_known() const;
  // The product of the dimensions (1 for a scalar), or kUnknownDimension if one of them is unknown.
  int64_t num_elements() const;

  // [dim, this...]
  Shape Prepend(int64_t dim) const;
  // Axes [begin, rank). Requires: 0 <= begin <= rank.
  Shape DropOuter(int begin) const;

  // "[3, None]"
  std::string DebugString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims_ == b.dims_; }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    return H::combine(std::move(h), shape.dims_);
  }

 private:
  absl::InlinedVector<int64_t, 4> dims_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TYPE_SPEC_SHAPE_H_
