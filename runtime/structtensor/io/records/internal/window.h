// The part of an input that is in memory. Framing reads records from it.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_WINDOW_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/growing_array.h"
#include "structtensor/io/records/internal/byte_source.h"

namespace structtensor {

// Bytes that can be read after the last message of a batch. The decoder requires them (wire::kReadableSlackBytes).
inline constexpr size_t kBatchSlackBytes = 64;

}  // namespace structtensor

namespace structtensor::records_internal {

// The bytes of an input. After MakeRoom(), kBatchSlackBytes after the end can be read.
class ByteBuffer {
 public:
  const char* data() const { return bytes_.data(); }
  size_t size_bytes() const { return bytes_.size(); }
  size_t free_bytes() const {
    const size_t unused = bytes_.capacity() - bytes_.size();
    return unused < kBatchSlackBytes ? 0 : unused - kBatchSlackBytes;
  }
  char* end() { return bytes_.end(); }

  void Clear() { bytes_.Clear(); }
  void Append(std::string_view bytes) {
    MakeRoom(bytes.size());
    bytes_.Append(bytes.data(), bytes.size());
  }
  // Counts `size_bytes` bytes that the caller has written at end(). Requires: size_bytes <= free_bytes().
  void Commit(size_t size_bytes) { bytes_.SetEnd(bytes_.end() + size_bytes); }
  // Makes free_bytes() at least `size_bytes`. If the buffer grows, it has room for twice its bytes. Pointers into the buffer
  // become invalid.
  void MakeRoom(size_t size_bytes) { bytes_.Room(size_bytes + kBatchSlackBytes); }
  // Sets the slack to zero.
  void ClearSlack();

 private:
  base_internal::GrowingArray<char> bytes_;
};

// A position in a source, and the bytes around it. The bytes are in a buffer that the caller owns. Bytes before the position
// stay where they are until the next buffer begins, so records need not be copied.
class Window {
 public:
  // Continues in `buffer`, which afterwards has only the bytes after the position.
  void MoveTo(ByteBuffer* buffer);
  // Saves the bytes after the position, so that the buffer can be given away.
  void LeaveBuffer();
  // Begins a source whose first byte is byte `offset`. The rest of the previous source is dropped.
  void Begin(std::unique_ptr<ByteSource> source, int64_t offset = 0);
  void End() { source_.reset(); }
  bool has_source() const { return source_ != nullptr; }

  // Reads until `size_bytes` bytes are available after the position, or the source ends. The end is not an error.
  // The buffer grows with the bytes that arrive, not with `size_bytes`: a damaged length costs nothing.
  // Errors: the errors of ByteSource::Read.
  absl::Status Fill(size_t size_bytes);

  // The bytes after the position. Valid until the next call that is not const.
  std::string_view available() const { return {buffer_->data() + position_, available_bytes()}; }
  // The bytes at `position` in the buffer, which position() returned since the last MoveTo. Valid until the next non-const
  // call.
  std::string_view bytes_at(size_t position, size_t size_bytes) const { return {buffer_->data() + position, size_bytes}; }
  size_t available_bytes() const { return buffer_->size_bytes() - position_; }

  // Position in the buffer, and in the source; both in bytes.
  size_t position() const { return position_; }
  int64_t source_offset() const { return static_cast<int64_t>(position_) + source_offset_of_buffer_; }

  // Requires: size_bytes <= available_bytes().
  void Advance(size_t size_bytes) { position_ += size_bytes; }
  // Goes back to `position`, which position() returned since the last MoveTo.
  void Rewind(size_t position) { position_ = position; }

  // Bytes read from all sources so far.
  int64_t bytes_read() const { return bytes_read_; }

 private:
  ByteBuffer* buffer_ = nullptr;
  ByteBuffer rest_;  // while there is no buffer: the bytes after the position
  std::unique_ptr<ByteSource> source_;
  size_t position_ = 0;
  int64_t source_offset_of_buffer_ = 0;  // negative if a whole source began inside the buffer
  int64_t bytes_read_ = 0;
};

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_WINDOW_H_
