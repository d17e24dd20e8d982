// The statically known part of a value's shape.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_SHAPE_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A dimension whose size is unknown, or that has no single size because it is ragged.
inline constexpr int64_t kUnknownDimension = -1;

// A list of dimensions, outermost first; each is a size or kUnknownDimension. The rank may be unknown, too, but only in specs
// of tensors and ragged tensors that somebody wrote. Values have known ranks. Immutable.
class Shape {
 public:
  Shape() = default;  // of a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  // Without moves: gcc 12 takes the unused inline storage of a moved shape for a read of uninitialized memory, and warns.
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  static Shape UnknownRank() {
    Shape shape;
    shape.rank_known_ = false;
    return shape;
  }

  bool rank_known() const { return rank_known_; }
  // These three require rank_known().
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }

  bool is_fully_known() const;
  // The product of the dimensions (1 for a scalar), or kUnknownDimension if one of them is unknown.
  int64_t num_elements() const;

  // [dim, this...]. Unknown rank if this has unknown rank.
  Shape Prepend(int64_t dim) const;
  // Axes [begin, rank). Requires: 0 <= begin <= rank. Unknown rank if this has unknown rank.
  Shape DropOuter(int begin) const;
  // Axes [0, end). Requires: rank_known(), 0 <= end <= rank.
  Shape Outer(int end) const { return Shape(dims().first(static_cast<size_t>(end))); }
  // [this..., inner...]. Unknown rank if either has one.
  Shape Concat(const Shape& inner) const;

  // Whether some value has both shapes: equal ranks and no dimension known to differ, or one rank is unknown.
  // Source: tf.TensorShape.is_compatible_with.
  bool IsCompatibleWith(const Shape& other) const;
  // Whether every value of this shape also has shape `other`.
  bool IsSubtypeOf(const Shape& other) const;
  // The narrowest shape that both are subtypes of: the dimensions on which they agree, else unknown ones; unknown rank if ranks
  // differ. Source: tf.TensorShape.most_specific_compatible_shape.
  Shape MostSpecificCompatible(const Shape& other) const;

  // "[3, None]"; "None" for unknown rank.
  std::string DebugString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.rank_known_ == b.rank_known_ && a.dims_ == b.dims_; }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    return H::combine(std::move(h), shape.rank_known_, shape.dims_);
  }

 private:
  absl::InlinedVector<int64_t, 4> dims_;
  bool rank_known_ = true;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_SHAPE_H_
