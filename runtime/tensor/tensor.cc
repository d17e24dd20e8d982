#include "structtensor/tensor/tensor.h"

#include <algorithm>

namespace structtensor {

Tensor Tensor::FromStrings(Buffer<int32_t> offsets, Buffer<char> bytes, DType dtype, Validity validity) {
  assert(IsStringLike(dtype) && !offsets.empty());
  const int64_t size_elements = static_cast<int64_t>(offsets.size_elements()) - 1;
  return Tensor(std::make_shared<const Rep>(Rep{dtype, Shape({size_elements}), size_elements, nullptr, nullptr,
                                                std::move(offsets), std::move(bytes), std::move(validity)}));
}

Tensor Tensor::FromVector(const std::vector<std::string>& values, DType dtype) {
  std::vector<int32_t> offsets = {0};
  std::vector<char> bytes;
  for (const std::string& value : values) {
    bytes.insert(bytes.end(), value.begin(), value.end());
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  return FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)), dtype);
}

Tensor Tensor::Scalar(std::string_view value, DType dtype) { return FromVector({std::string(value)}, dtype).Reshape(Shape()); }

Tensor Tensor::SliceElements(int64_t begin, Shape shape) const {
  const int64_t size_elements = shape.num_elements();
  Rep rep{dtype(), std::move(shape), size_elements, rep_->owner, rep_->data, {}, {}, rep_->validity.Slice(begin)};
  if (IsStringLike(dtype())) {
    rep.string_offsets = rep_->string_offsets.Slice(static_cast<size_t>(begin), static_cast<size_t>(size_elements) + 1);
    rep.string_bytes = rep_->string_bytes;
  } else if (begin > 0) {
    rep.data = static_cast<const char*>(rep_->data) + static_cast<size_t>(begin) * DTypeSizeBytes(dtype());
  }
  return Tensor(std::make_shared<const Rep>(std::move(rep)));
}

Tensor Tensor::SliceRows(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= nrows());
  const Shape row_shape = shape().DropOuter(1);
  return SliceElements(begin * row_shape.num_elements(), row_shape.Prepend(end - begin));
}

Tensor Tensor::Row(int64_t i) const {
  assert(rank() >= 1 && 0 <= i && i < nrows());
  Shape row_shape = shape().DropOuter(1);
  const int64_t row_size_elements = row_shape.num_elements();
  return SliceElements(i * row_size_elements, std::move(row_shape));
}

Tensor Tensor::Reshape(Shape shape) const {
  assert(shape.num_elements() == size_elements());
  return SliceElements(0, std::move(shape));
}

namespace {

template <typename EqualAt>
bool EqualElements(const Tensor& a, const Tensor& b, EqualAt equal_at) {
  for (int64_t i = 0; i < a.size_elements(); ++i) {
    if (a.is_valid(i) != b.is_valid(i)) return false;
    if (a.is_valid(i) && !equal_at(i)) return false;
  }
  return true;
}

}  // namespace

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (IsStringLike(a.dtype())) return EqualElements(a, b, [&](int64_t i) { return a.string_at(i) == b.string_at(i); });
  return VisitStoredType(a.dtype(), [&]<typename T>() {
    const std::span<const T> a_values = a.values<T>();
    const std::span<const T> b_values = b.values<T>();
    return EqualElements(a, b, [&](int64_t i) { return a_values[static_cast<size_t>(i)] == b_values[static_cast<size_t>(i)]; });
  });
}

}  // namespace structtensor
