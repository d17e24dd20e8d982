// Immutable values: Tensor here, RowPartition, RaggedTensor, StructuredTensor and their sum, Value, beside it.
// This folder may include runtime/base and runtime/type_spec. Every value is a small handle to shared immutable state: cheap to
// copy, safe to use from several threads; slices share memory with what they were cut from.
#ifndef STRUCTTENSOR_TENSOR_TENSOR_H_
#define STRUCTTENSOR_TENSOR_TENSOR_H_

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structtensor/base/buffer.h"
#include "structtensor/tensor/validity.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor {

// A dense array of any rank, elements contiguous in row-major order.
class Tensor {
 public:
  // Returns the vector of the buffer's elements, without copying them. `dtype` differs from T's own for timestamps and
  // durations. Requires: IsStoredAs<T>(dtype); validity, if it has bits, has one for each element.
  template <typename T>
  static Tensor FromBuffer(Buffer<T> values, DType dtype = DTypeOf<T>::value, Validity validity = {}) {
    const int64_t size_elements = static_cast<int64_t>(values.size_elements());
    return FromBuffer(std::move(values), Shape({size_elements}), dtype, std::move(validity));
  }
  // The same with a shape. Requires: shape is fully known, and its product is the number of elements.
  template <typename T>
  static Tensor FromBuffer(Buffer<T> values, Shape shape, DType dtype = DTypeOf<T>::value, Validity validity = {}) {
    assert(IsStoredAs<T>(dtype));
    return Tensor(std::make_shared<const Rep>(Rep{dtype,
                                                  std::move(shape),
                                                  static_cast<int64_t>(values.size_elements()),
                                                  values.owner(),
                                                  values.data(),
                                                  {},
                                                  {},
                                                  std::move(validity)}));
  }

  // Returns the vector of n strings, string i being bytes [offsets[i], offsets[i + 1]).
  // Shapes: offsets [n + 1]; offsets[0] need not be 0. Requires: dtype is kString (UTF-8) or kBytes; offsets never decrease and
  // lie within bytes.
  static Tensor FromStrings(Buffer<int32_t> offsets, Buffer<char> bytes, DType dtype = DType::kString, Validity validity = {});

  // Copy their argument: for tests, examples and constants.
  template <typename T>
  static Tensor FromVector(std::vector<T> values, DType dtype = DTypeOf<T>::value) {
    return FromBuffer(Buffer<T>::FromVector(std::move(values)), dtype);
  }
  static Tensor FromVector(const std::vector<std::string>& values, DType dtype = DType::kString);
  template <typename T>
  static Tensor Scalar(T value, DType dtype = DTypeOf<T>::value) {
    return FromBuffer(Buffer<T>::FromVector({value}), Shape(), dtype);
  }
  static Tensor Scalar(std::string_view value, DType dtype = DType::kString);
  static Tensor Scalar(const char* value, DType dtype = DType::kString) { return Scalar(std::string_view(value), dtype); }

  DType dtype() const { return rep_->dtype; }
  const Shape& shape() const { return rep_->shape; }  // fully known
  int rank() const { return rep_->shape.rank(); }
  // The size of axis 0; 1 for a scalar.
  int64_t nrows() const { return rank() == 0 ? 1 : rep_->shape[0]; }
  int64_t size_elements() const { return rep_->size_elements; }

  // All elements in row-major order; those that are absent have an unspecified value. The span lives as long as this tensor or
  // anything it shares memory with. Requires: IsStoredAs<T>(dtype()).
  template <typename T>
  std::span<const T> values() const {
    assert(IsStoredAs<T>(dtype()));
    return {static_cast<const T*>(rep_->data), static_cast<size_t>(rep_->size_elements)};
  }
  // The same, with ownership.
  template <typename T>
  Buffer<T> buffer() const {
    assert(IsStoredAs<T>(dtype()));
    return Buffer<T>(rep_->owner, static_cast<const T*>(rep_->data), static_cast<size_t>(rep_->size_elements));
  }

  // Element i in row-major order. Requires: dtype() is string-like.
  std::string_view string_at(int64_t i) const {
    assert(IsStringLike(dtype()) && i >= 0 && i < size_elements());
    const int32_t begin = rep_->string_offsets[static_cast<size_t>(i)];
    const int32_t end = rep_->string_offsets[static_cast<size_t>(i) + 1];
    return {rep_->string_bytes.data() + begin, static_cast<size_t>(end - begin)};
  }
  // Shapes: [size_elements() + 1]; the first need not be 0. Requires: dtype() is string-like.
  const Buffer<int32_t>& string_offsets() const { return rep_->string_offsets; }
  const Buffer<char>& string_bytes() const { return rep_->string_bytes; }

  bool nullable() const { return rep_->validity.has_bits(); }
  const Validity& validity() const { return rep_->validity; }
  // Whether element i, in row-major order, is present.
  bool is_valid(int64_t i) const { return rep_->validity.is_valid(i); }

  TensorSpec spec() const { return TensorSpec(shape(), dtype(), nullable()); }

  // Rows [begin, end) of axis 0, sharing memory. Requires: rank() >= 1, 0 <= begin <= end <= nrows(). Cost: O(1).
  Tensor SliceRows(int64_t begin, int64_t end) const;
  // Row i without axis 0, sharing memory. Requires: rank() >= 1, 0 <= i < nrows(). Cost: O(1).
  Tensor Row(int64_t i) const;
  // The same elements in another shape. Requires: shape is fully known and has as many elements. Cost: O(1).
  Tensor Reshape(Shape shape) const;

 private:
  struct Rep {
    DType dtype;
    Shape shape;
    int64_t size_elements;
    std::shared_ptr<const void> owner;  // of data
    const void* data;                   // null for strings
    Buffer<int32_t> string_offsets;
    Buffer<char> string_bytes;
    Validity validity;
  };
  explicit Tensor(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {
    assert(rep_->shape.num_elements() == rep_->size_elements);
  }

  // Elements [begin, begin + shape.num_elements()) in row-major order, as `shape`.
  Tensor SliceElements(int64_t begin, Shape shape) const;

  std::shared_ptr<const Rep> rep_;
};

// Equal dtype, shape and validity, and equal elements where they are present. NaN equals nothing, as in C++.
bool operator==(const Tensor& a, const Tensor& b);

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_TENSOR_H_
