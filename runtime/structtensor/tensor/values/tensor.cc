#include "structtensor/tensor/values/tensor.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/physical_memory.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor {

namespace {

Tensor::Strides RowMajorStrides(const Shape& shape) {
  Tensor::Strides strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

// Whether the elements follow each other without gaps, in row-major order. The stride of an axis of size 1 does not matter.
bool IsRowMajor(const Shape& shape, const Tensor::Strides& strides) {
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[static_cast<size_t>(axis)] != stride) return false;
    stride *= shape[axis];
  }
  return true;
}

// Calls visit(first, count, stride) for each run of elements along the innermost axis, in row-major order.
template <typename Visit>
void ForEachRun(const Shape& shape, int64_t first, const Tensor::Strides& strides, const Visit& visit) {
  if (shape.num_elements() == 0) return;
  if (shape.rank() == 0) return visit(first, 1, 1);
  const int inner = shape.rank() - 1;
  absl::InlinedVector<int64_t, 4> index(static_cast<size_t>(inner), 0);
  while (true) {
    visit(first, shape[inner], strides[static_cast<size_t>(inner)]);
    int axis = inner - 1;
    for (; axis >= 0; --axis) {
      const size_t i = static_cast<size_t>(axis);
      first += strides[i];
      if (++index[i] < shape[axis]) break;
      first -= index[i] * strides[i];
      index[i] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace

Tensor Tensor::FromData(std::shared_ptr<const void> owner, const void* data, int64_t size_elements, Shape shape, DType dtype,
                        Validity validity) {
  assert(shape.num_elements() == size_elements);
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype;
  rep->shape = std::move(shape);
  rep->size_elements = size_elements;
  rep->owner = std::move(owner);
  rep->data = data;
  rep->validity = std::move(validity);
  return Tensor(std::move(rep));
}

Tensor Tensor::FromStrings(Buffer<int32_t> offsets, Buffer<char> bytes, DType dtype, Validity validity) {
  assert(IsStringLike(dtype) && !offsets.empty());
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype;
  rep->size_elements = static_cast<int64_t>(offsets.size_elements()) - 1;
  rep->shape = Shape({rep->size_elements});
  rep->data = nullptr;
  rep->string_offsets = std::move(offsets);
  rep->string_bytes = std::move(bytes);
  rep->validity = std::move(validity);
  return Tensor(std::move(rep));
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

Tensor Tensor::Empty(Shape shape, DType dtype) {
  assert(shape.num_elements() == 0);
  if (IsStringLike(dtype)) return FromStrings(Buffer<int32_t>::FromVector({0}), {}, dtype).Reshape(std::move(shape));
  return VisitStoredType(dtype, [&]<typename T>() { return FromBuffer(Buffer<T>(), std::move(shape), dtype); });
}

Tensor Tensor::SliceElements(int64_t begin, Shape shape) const {
  assert(is_contiguous());
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype();
  rep->size_elements = shape.num_elements();
  rep->shape = std::move(shape);
  rep->owner = rep_->owner;
  rep->data = rep_->data;
  rep->validity = rep_->validity.Slice(begin);
  if (IsStringLike(dtype())) {
    rep->string_offsets = rep_->string_offsets.Slice(static_cast<size_t>(begin), static_cast<size_t>(rep->size_elements) + 1);
    rep->string_bytes = rep_->string_bytes;
  } else if (begin > 0) {
    rep->data = static_cast<const char*>(rep_->data) + static_cast<size_t>(begin) * DTypeSizeBytes(dtype());
  }
  return Tensor(std::move(rep));
}

Tensor Tensor::SliceRows(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= nrows());
  const Shape row_shape = shape().DropOuter(1);
  if (!is_contiguous()) return ViewUnchecked(begin * rep_->base_strides[0], row_shape.Prepend(end - begin), rep_->base_strides);
  return SliceElements(begin * row_shape.num_elements(), row_shape.Prepend(end - begin));
}

Tensor Tensor::Row(int64_t i) const {
  assert(rank() >= 1 && 0 <= i && i < nrows());
  Shape row_shape = shape().DropOuter(1);
  if (!is_contiguous()) return SelectAxis(0, i);
  const int64_t row_size_elements = row_shape.num_elements();
  return SliceElements(i * row_size_elements, std::move(row_shape));
}

Tensor Tensor::Reshape(Shape shape) const {
  assert(shape.num_elements() == size_elements());
  if (!is_contiguous()) return Contiguous().Reshape(std::move(shape));
  return SliceElements(0, std::move(shape));
}

Tensor::Strides Tensor::strides() const { return is_contiguous() ? RowMajorStrides(shape()) : rep_->base_strides; }

absl::Status Tensor::CheckPackedSize(int64_t first, const Shape& shape, const Strides& strides) const {
  const int64_t size = shape.num_elements();
  const bool is_text = IsStringLike(dtype());
  if (!is_text && size <= size_elements()) return absl::OkStatus();
  const int64_t element_bytes = is_text ? static_cast<int64_t>(sizeof(int32_t)) : static_cast<int64_t>(DTypeSizeBytes(dtype()));
  if (size > PhysicalMemoryBytes() / element_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a view of ", size, " elements takes ", element_bytes,
                                                     " bytes for each of them where it is read, more than the machine has"));
  }
  if (!is_text) return absl::OkStatus();
  constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();
  const Rep& source = is_contiguous() ? *rep_ : *rep_->base;
  const int64_t all_bytes = source.string_offsets[static_cast<size_t>(source.size_elements)] - source.string_offsets[0];
  if (all_bytes == 0 || size <= kMaxBytes / all_bytes) return absl::OkStatus();
  int64_t left = kMaxBytes;
  const auto take = [&](int64_t element, int64_t times) {
    const size_t i = static_cast<size_t>(element);
    const int64_t size_bytes = source.string_offsets[i + 1] - source.string_offsets[i];
    if (left >= 0 && size_bytes > 0) left = times > left / size_bytes ? -1 : left - times * size_bytes;
  };
  ForEachRun(shape, rep_->base_first + first, strides, [&](int64_t element, int64_t count, int64_t stride) {
    if (stride == 0) return take(element, count);
    for (int64_t i = 0; left >= 0 && i < count; ++i, element += stride) take(element, 1);
  });
  if (left >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the strings of a view of ", size, " elements exceed the 2 GiB that a tensor can have"));
}

absl::StatusOr<Tensor> Tensor::View(int64_t first, Shape shape, const Strides& strides) const {
  if (!shape.is_fully_known() || static_cast<size_t>(shape.rank()) != strides.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the shape of a view is ", shape.DebugString(), " and it has ",
                                                   strides.size(),
                                                   " strides; it must be fully known, with a stride for each axis"));
  }
  // The view's first and last element in the tensor that is viewed, and the number of elements of the view itself.
  int64_t begin = 0, size = 1;
  const Rep& source = is_contiguous() ? *rep_ : *rep_->base;
  bool countable = !__builtin_add_overflow(rep_->base_first, first, &begin);
  int64_t last = begin;
  bool empty = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    empty = empty || shape[axis] == 0;
    int64_t reach = 0;
    const int64_t stride = strides[static_cast<size_t>(axis)];
    countable = countable && !__builtin_mul_overflow(size, std::max<int64_t>(shape[axis], 1), &size) &&
                !__builtin_mul_overflow(stride, std::max<int64_t>(shape[axis] - 1, 0), &reach) &&
                !__builtin_add_overflow(stride < 0 ? begin : last, reach, stride < 0 ? &begin : &last);
  }
  if (!empty && (!countable || begin < 0 || last >= source.size_elements)) {
    return absl::InvalidArgumentError(absl::StrCat("a view of shape ", shape.DebugString(), " from element ", first,
                                                   " on has elements outside of the tensor, or more than int64 can count"));
  }
  if (!empty) STRUCTTENSOR_RETURN_IF_ERROR(CheckPackedSize(first, shape, strides));
  return ViewUnchecked(first, std::move(shape), strides);
}

Tensor Tensor::ViewUnchecked(int64_t first, Shape shape, const Strides& strides) const {
  assert(shape.is_fully_known() && static_cast<size_t>(shape.rank()) == strides.size());
  const int64_t size_elements = shape.num_elements();
  if (size_elements == 0) return (is_contiguous() ? *this : Tensor(rep_->base)).SliceElements(0, std::move(shape));
  // A view without gaps becomes an ordinary tensor, which is cheaper to read.
  if (IsRowMajor(shape, strides)) {
    return is_contiguous() ? SliceElements(first, std::move(shape))
                           : Tensor(rep_->base).SliceElements(rep_->base_first + first, std::move(shape));
  }
  auto rep = std::make_shared<Rep>();
  rep->dtype = dtype();
  rep->shape = std::move(shape);
  rep->size_elements = size_elements;
  rep->data = nullptr;
  rep->validity = rep_->validity;
  rep->base = is_contiguous() ? rep_ : rep_->base;
  rep->base_first = rep_->base_first + first;
  rep->base_strides = strides;
  return Tensor(std::move(rep));
}

Tensor Tensor::SliceAxis(int axis, int64_t begin, int64_t count, int64_t step) const {
  assert(0 <= axis && axis < rank());
  if (axis == 0 && step == 1) return SliceRows(begin, begin + count);
  Strides sliced = strides();
  const int64_t first = count == 0 ? 0 : begin * sliced[static_cast<size_t>(axis)];
  sliced[static_cast<size_t>(axis)] *= step;
  std::vector<int64_t> dims(shape().dims().begin(), shape().dims().end());
  dims[static_cast<size_t>(axis)] = count;
  return ViewUnchecked(first, Shape(dims), sliced);
}

Tensor Tensor::SelectAxis(int axis, int64_t i) const {
  assert(0 <= axis && axis < rank() && 0 <= i && i < shape()[axis]);
  Strides remaining = strides();
  const int64_t first = i * remaining[static_cast<size_t>(axis)];
  remaining.erase(remaining.begin() + axis);
  return ViewUnchecked(first, shape().Outer(axis).Concat(shape().DropOuter(axis + 1)), remaining);
}

Tensor Tensor::ExpandAxis(int axis) const {
  assert(0 <= axis && axis <= rank());
  Shape expanded = shape().Outer(axis).Concat(Shape({1})).Concat(shape().DropOuter(axis));
  if (is_contiguous()) return SliceElements(0, std::move(expanded));
  Strides wider = rep_->base_strides;
  wider.insert(wider.begin() + axis, 0);
  return ViewUnchecked(0, std::move(expanded), wider);
}

Tensor Tensor::Contiguous() const {
  if (is_contiguous()) return *this;
  Pack();
  return Tensor(*rep_->packed.get_if_ready());
}

const Tensor::Rep& Tensor::Pack() const {
  return *rep_->packed.Get([this]() -> std::shared_ptr<const Rep> {
    const Rep& view = *rep_;
    const Rep& base = *view.base;
    auto rep = std::make_shared<Rep>();
    rep->dtype = view.dtype;
    rep->shape = view.shape;
    rep->size_elements = view.size_elements;
    rep->data = nullptr;
    const size_t size = static_cast<size_t>(view.size_elements);
    const auto for_each_run = [&](const auto& visit) { ForEachRun(view.shape, view.base_first, view.base_strides, visit); };
    if (base.validity.has_bits()) {
      // At least one byte: an empty buffer would mean that everything is present.
      std::vector<uint8_t> bits(size / 8 + 1);
      size_t next = 0;
      for_each_run([&](int64_t element, int64_t count, int64_t stride) {
        for (int64_t i = 0; i < count; ++i, element += stride, ++next) {
          if (base.validity.is_valid(element)) bits[next / 8] |= static_cast<uint8_t>(1 << (next % 8));
        }
      });
      rep->validity = Validity(Buffer<uint8_t>::FromVector(std::move(bits)));
    }
    if (IsStringLike(view.dtype)) {
      std::vector<int32_t> offsets = {0};
      offsets.reserve(size + 1);
      std::vector<char> bytes;
      for_each_run([&](int64_t element, int64_t count, int64_t stride) {
        for (int64_t i = 0; i < count; ++i, element += stride) {
          const size_t index = static_cast<size_t>(element);
          bytes.insert(bytes.end(), base.string_bytes.data() + base.string_offsets[index],
                       base.string_bytes.data() + base.string_offsets[index + 1]);
          offsets.push_back(static_cast<int32_t>(bytes.size()));
        }
      });
      rep->string_offsets = Buffer<int32_t>::FromVector(std::move(offsets));
      rep->string_bytes = Buffer<char>::FromVector(std::move(bytes));
      return rep;
    }
    VisitStoredType(view.dtype, [&]<typename T>() {
      const T* from = static_cast<const T*>(base.data);
      std::vector<T> values(size);
      T* to = values.data();
      for_each_run([&](int64_t element, int64_t count, int64_t stride) {
        for (int64_t i = 0; i < count; ++i, element += stride) *to++ = from[element];
      });
      Buffer<T> buffer = Buffer<T>::FromVector(std::move(values));
      rep->owner = buffer.owner();
      rep->data = buffer.data();
    });
    return rep;
  });
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
    if (!a.nullable() && !b.nullable()) return std::equal(a_values.begin(), a_values.end(), b_values.begin());
    return EqualElements(a, b, [&](int64_t i) { return a_values[static_cast<size_t>(i)] == b_values[static_cast<size_t>(i)]; });
  });
}

}  // namespace structtensor
