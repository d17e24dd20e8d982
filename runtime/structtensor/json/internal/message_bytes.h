// The bytes of a message that is written from front to back.
#ifndef STRUCTTENSOR_JSON_INTERNAL_MESSAGE_BYTES_H_
#define STRUCTTENSOR_JSON_INTERNAL_MESSAGE_BYTES_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/base/attributes.h"
#include "structtensor/plan/plan.h"

namespace structtensor::json_internal {

inline constexpr size_t kMaxVarintBytes = 10;

// Writes a varint and returns where it ends. Requires: room for kMaxVarintBytes.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline char* WriteVarint(uint64_t value, char* at) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

// A buffer that grows, and keeps its memory for the next message. std::string would write its size and a zero with each byte.
class MessageBytes {
 public:
  size_t size() const { return static_cast<size_t>(end_ - begin()); }
  const char* data() const { return begin(); }
  char* data() { return begin(); }
  std::string_view view() const { return {begin(), size()}; }

  void Clear() { end_ = begin(); }
  // Keeps only the first `size` bytes. Requires: size <= this->size().
  void Truncate(size_t size) {
    assert(size <= this->size());
    end_ = begin() + size;
  }
  // Adds `count` bytes, which the caller writes, and returns where they begin.
  ABSL_ATTRIBUTE_ALWAYS_INLINE char* Grow(size_t count) {
    if (static_cast<size_t>(limit_ - end_) < count) [[unlikely]]
      Reserve(count);
    char* const at = end_;
    end_ += count;
    return at;
  }

  // For loops that keep the end in a local variable: makes room for `count` bytes after `end`, up to which the caller has
  // written, and returns the end, which may have moved. SetEnd() comes after the loop.
  ABSL_ATTRIBUTE_ALWAYS_INLINE char* RoomAt(char* end, size_t count) {
    if (static_cast<size_t>(limit_ - end) >= count) [[likely]]
      return end;
    end_ = end;
    Reserve(count);
    return end_;
  }
  char* end() { return end_; }
  void SetEnd(char* end) { end_ = end; }

  void AppendByte(char byte) { *Grow(1) = byte; }
  void AppendBytes(std::string_view bytes) {
    char* const at = Grow(bytes.size());
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void AppendVarint(uint64_t value) { end_ = WriteVarint(value, Grow(kMaxVarintBytes)); }
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
  char* begin() const { return memory_.get(); }
  ABSL_ATTRIBUTE_NOINLINE void Reserve(size_t count) {
    constexpr size_t kMinBytes = 4096;
    const size_t used = size();
    const size_t capacity = std::max({kMinBytes, 2 * used, used + count});
    std::unique_ptr<char[]> memory(new char[capacity]);
    if (used > 0) std::memcpy(memory.get(), begin(), used);
    memory_ = std::move(memory);
    end_ = begin() + used;
    limit_ = begin() + capacity;
  }

  std::unique_ptr<char[]> memory_;
  char* end_ = nullptr;
  char* limit_ = nullptr;
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

#endif  // STRUCTTENSOR_JSON_INTERNAL_MESSAGE_BYTES_H_
