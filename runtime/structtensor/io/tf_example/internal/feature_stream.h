// The bytes of examples, read by the rules of TensorFlow's own parsers. They differ from the rules of protobuf: a length that
// goes beyond the enclosing message is cut at its end, a list is packed as a whole or not at all, and bytes after the list are
// skipped.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_STREAM_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace structtensor::tf_example_internal {

// Tags of one byte.
constexpr uint8_t VarintTag(uint8_t number) { return static_cast<uint8_t>(number << 3); }
constexpr uint8_t LengthTag(uint8_t number) { return static_cast<uint8_t>(number << 3 | 2); }
constexpr uint8_t Fixed32Tag(uint8_t number) { return static_cast<uint8_t>(number << 3 | 5); }

class FeatureStream {
 public:
  // `readable_end`: the end of the memory that may be read; not before the end of `bytes`.
  FeatureStream(std::string_view bytes, const uint8_t* readable_end)
      : position_(reinterpret_cast<const uint8_t*>(bytes.data())),
        limit_(position_ + bytes.size()),
        readable_end_(readable_end) {}

  const uint8_t* position() const { return position_; }
  const uint8_t* limit() const { return limit_; }
  const uint8_t* readable_end() const { return readable_end_; }
  bool AtEnd() const { return position_ == limit_; }
  size_t left_bytes() const { return static_cast<size_t>(limit_ - position_); }
  void SkipToEnd() { position_ = limit_; }

  // Ends the stream after `size_bytes` bytes, or at the old limit if this comes first. PopLimit takes what PushLimit returned.
  const uint8_t* PushLimit(uint32_t size_bytes) {
    const uint8_t* const before = limit_;
    if (size_bytes < left_bytes()) limit_ = position_ + size_bytes;
    return before;
  }
  void PopLimit(const uint8_t* limit) { limit_ = limit; }

  // False if the varint does not end before the limit, or has more than 10 bytes. ReadVarint32 drops the high bits.
  bool ReadVarint64(uint64_t* value) {
    if (position_ != limit_ && *position_ < 0x80) {
      *value = *position_++;
      return true;
    }
    return ReadLongVarint(value);
  }
  bool ReadVarint32(uint32_t* value) {
    uint64_t wide;
    if (!ReadVarint64(&wide)) return false;
    *value = static_cast<uint32_t>(wide);
    return true;
  }
  // 0 if there is no tag.
  uint32_t ReadTag() {
    uint32_t tag = 0;
    return ReadVarint32(&tag) ? tag : 0;
  }
  // Skips the byte `tag` if it comes next; else returns false.
  bool ExpectTag(uint8_t tag) {
    if (position_ == limit_ || *position_ != tag) return false;
    ++position_;
    return true;
  }
  // 0 at the end.
  uint8_t PeekTag() const { return position_ == limit_ ? 0 : *position_; }

  // Reads a length and then as many bytes.
  bool ReadBytes(std::string_view* bytes) {
    uint32_t size_bytes;
    return ReadVarint32(&size_bytes) && ReadRaw(size_bytes, bytes);
  }
  bool ReadRaw(uint32_t size_bytes, std::string_view* bytes) {
    if (size_bytes > left_bytes()) return false;
    *bytes = {reinterpret_cast<const char*>(position_), size_bytes};
    position_ += size_bytes;
    return true;
  }
  // Skips a field of another number. False for groups.
  bool SkipField();

 private:
  bool ReadLongVarint(uint64_t* value);

  const uint8_t* position_;
  const uint8_t* limit_;
  const uint8_t* readable_end_;
};

}  // namespace structtensor::tf_example_internal

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_STREAM_H_
