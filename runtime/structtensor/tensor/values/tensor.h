// Immutable values: Tensor in this header; RowPartition, RaggedTensor, StructuredTensor and Value in the headers beside it.
// Every value is a small handle to shared immutable state: cheap to copy, safe to use from several threads. Slices share memory
// with what they were cut from.
#ifndef STRUCTTENSOR_TENSOR_VALUES_TENSOR_H_
#define STRUCTTENSOR_TENSOR_VALUES_TENSOR_H_

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/internal/lazy.h"
#include "structtensor/tensor/values/validity.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A dense array of any rank. Its elements are contiguous in row-major order, or it is a strided view of such an array. Slices
// with steps, slices of inner axes, reversals and broadcasts make views, without copying. The first values() call on a view
// makes a contiguous copy, which is kept.
class Tensor {
 public:
  // Distance in elements between neighbours along each axis; may be 0 (broadcast) or negative (reversed).
  using Strides = absl::InlinedVector<int64_t, 4>;

  // Returns the vector of the buffer's elements, without copying them. `dtype` differs from T's own for timestamps and
  // durations. Requires: IsStoredAs<T>(dtype); validity, if it has bits, has one for each element.
  template <typename T>
  static Tensor FromBuffer(Buffer<T> values, DType dtype = DTypeOf<T>::value, Validity validity = {}) {
    const int64_t size_elements = static_cast<int64_t>(values.size_elements());
    return FromBuffer(std::move(values), Shape({size_elements}), dtype, std::move(validity));
  }
  // Returns the elements in that shape. Requires: shape is fully known, and its product is the number of elements.
  template <typename T>
  static Tensor FromBuffer(Buffer<T> values, Shape shape, DType dtype = DTypeOf<T>::value, Validity validity = {}) {
    assert(IsStoredAs<T>(dtype));
    return FromData(values.owner(), values.data(), static_cast<int64_t>(values.size_elements()), std::move(shape), dtype,
                    std::move(validity));
  }

  // Returns the vector of n strings, string i being bytes [offsets[i], offsets[i + 1]).
  // Shapes: offsets [n + 1]; offsets[0] need not be 0. Requires: dtype is kString (UTF-8) or kBytes; offsets never decrease and
  // are within bytes.
  static Tensor FromStrings(Buffer<int32_t> offsets, Buffer<char> bytes, DType dtype = DType::kString, Validity validity = {});

  // These copy their argument: for tests, examples and constants.
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
  static Tensor Scalar(bool value) { return Scalar<uint8_t>(value ? 1 : 0, DType::kBool); }
  // A tensor without elements. Requires: shape is fully known and has a 0.
  static Tensor Empty(Shape shape, DType dtype);

  DType dtype() const { return rep_->dtype; }
  const Shape& shape() const { return rep_->shape; }  // fully known
  int rank() const { return rep_->shape.rank(); }
  // The size of axis 0; 1 for a scalar.
  int64_t nrows() const { return rank() == 0 ? 1 : rep_->shape[0]; }
  int64_t size_elements() const { return rep_->size_elements; }

  // All elements in row-major order; absent elements have an unspecified value. The span lives as long as this tensor or a copy
  // of it. Requires: IsStoredAs<T>(dtype()). Cost: O(1), or the first time on a view O(size_elements()).
  template <typename T>
  std::span<const T> values() const {
    assert(IsStoredAs<T>(dtype()));
    return {static_cast<const T*>(packed().data), static_cast<size_t>(rep_->size_elements)};
  }
  // Like values(), with ownership.
  template <typename T>
  Buffer<T> buffer() const {
    assert(IsStoredAs<T>(dtype()));
    const Rep& rep = packed();
    return Buffer<T>(rep.owner, static_cast<const T*>(rep.data), static_cast<size_t>(rep.size_elements));
  }

  // Element i in row-major order. Requires: dtype() is string-like.
  std::string_view string_at(int64_t i) const {
    assert(IsStringLike(dtype()) && i >= 0 && i < size_elements());
    const Rep& rep = packed();
    const int32_t begin = rep.string_offsets[static_cast<size_t>(i)];
    const int32_t end = rep.string_offsets[static_cast<size_t>(i) + 1];
    return {rep.string_bytes.data() + begin, static_cast<size_t>(end - begin)};
  }
  // Shapes: [size_elements() + 1]; the first need not be 0. Requires: dtype() is string-like.
  const Buffer<int32_t>& string_offsets() const { return packed().string_offsets; }
  const Buffer<char>& string_bytes() const { return packed().string_bytes; }

  bool nullable() const { return rep_->validity.has_bits(); }
  const Validity& validity() const { return packed().validity; }
  // Whether element i, in row-major order, is present.
  bool is_valid(int64_t i) const { return !nullable() || packed().validity.is_valid(i); }

  TensorSpec spec() const { return TensorSpec(shape(), dtype(), nullable()); }

  // Rows [begin, end) of axis 0, sharing memory. Requires: rank() >= 1, 0 <= begin <= end <= nrows(). Cost: O(1).
  Tensor SliceRows(int64_t begin, int64_t end) const;
  // Row i without axis 0, sharing memory. Requires: rank() >= 1, 0 <= i < nrows(). Cost: O(1).
  Tensor Row(int64_t i) const;
  // The same elements in row-major order in another shape. Requires: shape is fully known and has as many elements.
  // Cost: O(1), but a view is made contiguous first.
  Tensor Reshape(Shape shape) const;

  // False for views. Cost of the rest of this section: O(rank).
  bool is_contiguous() const { return rep_->base == nullptr; }
  // One for each axis. In a contiguous tensor, a stride is the product of the sizes of the axes after its axis.
  Strides strides() const;
  // Returns the view whose element [i0, i1, ...] is element first + i0 * strides[0] + ... of this one, counted as strides()
  // counts from element [0, 0, ...]. With strides of 0, a view may have more elements than this. Such a view takes no memory,
  // but its first reader does, and values() cannot fail; so the size is checked here.
  // Errors: InvalidArgument if shape is not fully known or countable, there are not as many strides as axes, or elements are
  //   outside this tensor; ResourceExhausted if a contiguous copy of the view would take more memory than the machine has, or
  //   its strings more than 2 GiB.
  // Cost: O(rank); for big string tensors O(elements).
  absl::StatusOr<Tensor> View(int64_t first, Shape shape, const Strides& strides) const;
  // Like View, for arguments that are right by construction. The view is not bigger than this tensor, or is never read whole.
  Tensor ViewUnchecked(int64_t first, Shape shape, const Strides& strides) const;
  // Elements begin, begin + step, ... (count of them) along `axis`, sharing memory.
  // Requires: 0 <= axis < rank(); those elements exist.
  Tensor SliceAxis(int axis, int64_t begin, int64_t count, int64_t step) const;
  // Element i along `axis`, without that axis. Requires: 0 <= axis < rank(), 0 <= i < shape()[axis].
  Tensor SelectAxis(int axis, int64_t i) const;
  // With a new axis of size 1 before `axis`. Requires: 0 <= axis <= rank().
  Tensor ExpandAxis(int axis) const;
  // This tensor, or a contiguous copy of the view. Cost: O(1), or the first time on a view O(size_elements()).
  Tensor Contiguous() const;

 private:
  struct Rep;
  explicit Tensor(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

  static Tensor FromData(std::shared_ptr<const void> owner, const void* data, int64_t size_elements, Shape shape, DType dtype,
                         Validity validity);
  // Elements [begin, begin + shape.num_elements()) in row-major order, as `shape`. Requires: is_contiguous().
  Tensor SliceElements(int64_t begin, Shape shape) const;

  // The parts of a tensor. A view has `base`, the contiguous tensor it looks into, and has no data of its own until it is
  // packed.
  struct Rep {
    DType dtype;
    Shape shape;
    int64_t size_elements;
    std::shared_ptr<const void> owner;  // of data
    const void* data;                   // null for strings
    Buffer<int32_t> string_offsets;
    Buffer<char> string_bytes;
    Validity validity;  // of a view: the validity of its base; says only whether there is one
    std::shared_ptr<const Rep> base;
    int64_t base_first = 0;  // in elements of base
    Strides base_strides;
    values_internal::Lazy<std::shared_ptr<const Rep>> packed;
  };
  const Rep& packed() const { return rep_->base == nullptr ? *rep_ : Pack(); }
  const Rep& Pack() const;
  // Whether a contiguous copy of that view of this tensor can be made. Errors: ResourceExhausted.
  absl::Status CheckPackedSize(int64_t first, const Shape& shape, const Strides& strides) const;

  std::shared_ptr<const Rep> rep_;
};

// Equal dtype, shape and validity, and equal elements where they are present. NaN equals nothing, as in C++.
bool operator==(const Tensor& a, const Tensor& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_TENSOR_H_
