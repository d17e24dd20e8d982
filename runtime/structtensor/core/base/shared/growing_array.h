// An array that values are appended to, one after another.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_GROWING_ARRAY_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_GROWING_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "absl/base/attributes.h"
#include "structtensor/core/base/buffer.h"

namespace structtensor::base_internal {

// As std::vector, for what columns need. Appending is inline here, which gcc leaves to a call for std::vector. New memory is
// not cleared first, and when a large array grows, the system can move its pages instead of copying them.
template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(std::initializer_list<T> values) {
    for (const T value : values) push_back(value);
  }
  GrowingArray(GrowingArray&& other) noexcept
      : memory_(std::move(other.memory_)),
        end_(std::exchange(other.end_, nullptr)),
        limit_(std::exchange(other.limit_, nullptr)) {}
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    memory_ = std::move(other.memory_);
    end_ = std::exchange(other.end_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    return *this;
  }

  size_t size() const { return static_cast<size_t>(end_ - begin()); }
  size_t capacity() const { return static_cast<size_t>(limit_ - begin()); }
  bool empty() const { return end_ == begin(); }
  T* data() { return begin(); }
  const T* data() const { return begin(); }
  T* begin() const { return memory_.get(); }
  T* end() const { return end_; }
  T& operator[](size_t i) const { return begin()[i]; }
  T& back() const { return end_[-1]; }

  ABSL_ATTRIBUTE_ALWAYS_INLINE void push_back(T value) {
    if (end_ == limit_) [[unlikely]]
      Grow(1);
    *end_++ = value;
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Append(const T* values, size_t count) {
    if (static_cast<size_t>(limit_ - end_) < count) [[unlikely]]
      Grow(count);
    if (count != 0) std::memcpy(end_, values, count * sizeof(T));
    end_ += count;
  }

  // For loops that write many values and keep the end in a local variable: makes room for `count` values after `end`, up to
  // which the caller has written, and returns the end, which may have moved. SetEnd() comes after the loop.
  ABSL_ATTRIBUTE_ALWAYS_INLINE T* RoomAt(T* end, size_t count) {
    if (static_cast<size_t>(limit_ - end) >= count) [[likely]]
      return end;
    end_ = end;
    Grow(count);
    return end_;
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE T* Room(size_t count) { return RoomAt(end_, count); }
  void SetEnd(T* end) { end_ = end; }
  // Keeps the memory.
  void Clear() { end_ = begin(); }

  // The first `size` values, followed by copies of `value` if there are fewer.
  void resize(size_t size, T value = {}) {
    const size_t before = this->size();
    if (size > before && static_cast<size_t>(limit_ - end_) < size - before) Grow(size - before);
    end_ = begin() + size;
    if (size > before) std::fill(begin() + before, end_, value);
  }

  // Gives the memory back.
  void Free() { *this = GrowingArray(); }

  // Leaves the array empty.
  Buffer<T> Take() {
    const size_t size = this->size();
    std::shared_ptr<T> owner(memory_.release(), std::free);
    end_ = limit_ = nullptr;
    return Buffer<T>(owner, owner.get(), size);
  }

 private:
  struct FreeMemory {
    void operator()(T* memory) const { std::free(memory); }
  };

  ABSL_ATTRIBUTE_NOINLINE void Grow(size_t count) {
    constexpr size_t kMinBytes = 64;
    const size_t used = size();
    const size_t capacity = std::max({kMinBytes / sizeof(T), 2 * used, used + count});
    if (used == 0) Free();  // nothing is to be copied
    void* const memory = std::realloc(memory_.get(), capacity * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    static_cast<void>(memory_.release());  // realloc has freed it
    memory_.reset(static_cast<T*>(memory));
    end_ = begin() + used;
    limit_ = begin() + capacity;
  }

  std::unique_ptr<T, FreeMemory> memory_;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_GROWING_ARRAY_H_
