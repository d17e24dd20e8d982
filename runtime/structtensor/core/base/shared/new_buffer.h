// Memory for results whose size an argument decides: written once, then read only.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_NEW_BUFFER_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_NEW_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/base/shared/physical_memory.h"

namespace structtensor {

// Elements that are not initialized, which saves the cost of clearing them. The caller writes all of them before Finish().
template <typename T>
class NewBuffer {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  // Errors: ResourceExhausted if there is no memory for the elements, or they take more memory than the machine has (systems
  //   that promise more memory than they have would fail only when it is used). Requires: size_elements >= 0.
  static absl::StatusOr<NewBuffer> Allocate(int64_t size_elements) {
    const size_t max_bytes = static_cast<size_t>(PhysicalMemoryBytes());
    const size_t size = static_cast<size_t>(size_elements);
    void* data = size > max_bytes / sizeof(T) ? nullptr : std::malloc(size > 0 ? size * sizeof(T) : 1);
    if (data == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there is no memory for a result of ", size_elements, " elements of ", sizeof(T), " bytes"));
    }
    return NewBuffer(std::shared_ptr<void>(data, std::free), size);
  }

  T* data() { return static_cast<T*>(memory_.get()); }
  size_t size_elements() const { return size_elements_; }

  Buffer<T> Finish() && {
    const T* data = static_cast<const T*>(memory_.get());
    return Buffer<T>(std::move(memory_), data, size_elements_);
  }

 private:
  NewBuffer(std::shared_ptr<void> memory, size_t size_elements) : memory_(std::move(memory)), size_elements_(size_elements) {}

  std::shared_ptr<void> memory_;
  size_t size_elements_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_NEW_BUFFER_H_
