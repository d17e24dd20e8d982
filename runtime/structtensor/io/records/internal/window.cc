#include "structtensor/io/records/internal/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "structtensor/core/base/shared/status.h"

namespace structtensor::records_internal {
namespace {

// Small enough that copying the rest of a read into the next batch is cheap, and large enough that there are few system calls.
constexpr size_t kLeastReadBytes = 64 << 10;
constexpr size_t kMostReadBytes = 4 << 20;

}  // namespace

void ByteBuffer::ClearSlack() {
  MakeRoom(0);
  std::memset(end(), 0, kBatchSlackBytes);
}

void Window::MoveTo(ByteBuffer* buffer) {
  buffer->Clear();
  buffer->Append({rest_.data(), rest_.size_bytes()});
  rest_.Clear();
  source_offset_of_buffer_ += static_cast<int64_t>(position_);
  position_ = 0;
  buffer_ = buffer;
}

void Window::LeaveBuffer() {
  rest_.Clear();
  rest_.Append(available());
  buffer_ = nullptr;
}

void Window::Begin(std::unique_ptr<ByteSource> source, int64_t offset) {
  source_ = std::move(source);
  position_ = buffer_->size_bytes();
  source_offset_of_buffer_ = offset - static_cast<int64_t>(position_);
}

absl::Status Window::Fill(size_t size_bytes) {
  while (available_bytes() < size_bytes) {
    if (buffer_->free_bytes() == 0) buffer_->MakeRoom(kLeastReadBytes);
    const size_t wanted_bytes = std::clamp(size_bytes - available_bytes(), kLeastReadBytes, kMostReadBytes);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t read_bytes,
                                  source_->Read(buffer_->end(), std::min(wanted_bytes, buffer_->free_bytes())));
    if (read_bytes == 0) break;
    buffer_->Commit(read_bytes);
    bytes_read_ += static_cast<int64_t>(read_bytes);
  }
  return absl::OkStatus();
}

}  // namespace structtensor::records_internal
