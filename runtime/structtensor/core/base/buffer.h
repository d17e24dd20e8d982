// A read-only range of memory with shared ownership: what every immutable value is made of.
#ifndef STRUCTTENSOR_CORE_BASE_BUFFER_H_
#define STRUCTTENSOR_CORE_BASE_BUFFER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace structtensor {

// `size_elements` values of T at `data`. They live at least as long as `owner`. A copy of a buffer shares the memory, which is
// never copied or changed. An owner may hold many buffers: all buffers of one decoded batch share the batch.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const void> owner, const T* data, size_t size_elements)
      : owner_(std::move(owner)), data_(data), size_elements_(size_elements) {}

  // Takes over `values`.
  static Buffer FromVector(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return Buffer(owner, owner->data(), owner->size());
  }

  const T* data() const { return data_; }
  size_t size_elements() const { return size_elements_; }
  bool empty() const { return size_elements_ == 0; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_elements_}; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // Elements [begin, begin + size_elements), sharing the memory. Requires: the range is within the buffer.
  Buffer Slice(size_t begin, size_t size_elements) const { return Buffer(owner_, data_ + begin, size_elements); }

 private:
  std::shared_ptr<const void> owner_;
  const T* data_ = nullptr;
  size_t size_elements_ = 0;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_BASE_BUFFER_H_
