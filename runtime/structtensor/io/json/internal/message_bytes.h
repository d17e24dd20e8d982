// The bytes of a message that is written from front to back.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_BYTES_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_BYTES_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "absl/base/attributes.h"
#include "structtensor/core/base/shared/growing_array.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::json_internal {

inline constexpr size_t kMaxVarintBytes = 10;

// Writes a varint and returns where it ends. Requires: room for kMaxVarintBytes.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline char* WriteVarint(uint64_t value, char* at) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

// Keeps its memory for the next message. std::string would write its size and a zero with each byte.
class MessageBytes {
 public:
  size_t size() const { return bytes_.size(); }
  const char* data() const { return bytes_.data(); }
  char* data() { return bytes_.data(); }
  std::string_view view() const { return {data(), size()}; }

  void Clear() { bytes_.Clear(); }
  // Keeps only the first `size` bytes. Requires: size <= this->size().
  void Truncate(size_t size) {
    assert(size <= this->size());
    bytes_.SetEnd(bytes_.begin() + size);
  }
  // Adds `count` bytes, which the caller writes, and returns where they begin.
  ABSL_ATTRIBUTE_ALWAYS_INLINE char* Grow(size_t count) {
    char* const at = bytes_.Room(count);
    bytes_.SetEnd(at + count);
    return at;
  }
  // As GrowingArray has them.
  ABSL_ATTRIBUTE_ALWAYS_INLINE char* RoomAt(char* end, size_t count) { return bytes_.RoomAt(end, count); }
  char* end() const { return bytes_.end(); }
  void SetEnd(char* end) { bytes_.SetEnd(end); }

  void AppendByte(char byte) { *Grow(1) = byte; }
  void AppendBytes(std::string_view bytes) {
    char* const at = Grow(bytes.size());
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void AppendVarint(uint64_t value) { SetEnd(WriteVarint(value, bytes_.Room(kMaxVarintBytes))); }
  void AppendTag(uint32_t number, plan::WireType type) { AppendVarint(plan::Tag(number, type)); }
  template <typename T>
  void AppendFixed(T value) {
    std::memcpy(Grow(sizeof(T)), &value, sizeof(T));
  }
  // A field of length-delimited bytes.
  void AppendField(uint32_t number, std::string_view bytes) {
    AppendTag(number, plan::kLen);
    AppendVarint(bytes.size());
    AppendBytes(bytes);
  }

 private:
  base_internal::GrowingArray<char> bytes_;
};

// Writes a field whose length is known only after its bytes have been written.
class LengthDelimited {
 public:
  ABSL_ATTRIBUTE_ALWAYS_INLINE LengthDelimited(uint32_t tag, MessageBytes& out) : out_(out) {
    out.AppendVarint(tag);
    out.AppendByte('\0');
    begin_ = out.size();
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void End() {
    const size_t length = out_.size() - begin_;
    if (length >= 0x80) return EndLong(length);
    out_.data()[begin_ - 1] = static_cast<char>(length);
  }

 private:
  ABSL_ATTRIBUTE_NOINLINE void EndLong(size_t length) {
    size_t length_bytes = 1;
    for (size_t rest = length >> 7; rest > 0; rest >>= 7) ++length_bytes;
    out_.Grow(length_bytes - 1);
    char* const at = out_.data() + begin_ - 1;
    std::memmove(at + length_bytes, at + 1, length);
    WriteVarint(length, at);
  }

  MessageBytes& out_;
  size_t begin_ = 0;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_BYTES_H_
