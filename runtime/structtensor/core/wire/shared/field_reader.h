// Reads a serialized message field by field, where the decode loop does not: JSON, type specs, statistics, nested records, and
// format detection.
#ifndef STRUCTTENSOR_CORE_WIRE_SHARED_FIELD_READER_H_
#define STRUCTTENSOR_CORE_WIRE_SHARED_FIELD_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "structtensor/core/wire/abi/decode_error.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/core/wire/shared/longest.h"

namespace structtensor::wire_internal {

// An empty message, followed by kReadableSlackBytes readable bytes.
inline constexpr char kZeros[kReadableSlackBytes] = {};
inline constexpr std::string_view kEmptyMessage = std::string_view(kZeros, sizeof(kZeros)).substr(0, 0);

// A field as it is in the message.
struct Field {
  uint32_t number = 0;
  WireType type = kVarint;
  uint64_t bits = 0;                       // of VARINT, I64 and I32, not yet read as its kind
  std::string_view bytes = kEmptyMessage;  // of LEN; for a group, what is between its tags
};

class FieldReader {
 public:
  // How deep groups may be nested unless the caller says otherwise: libprotobuf's limit.
  static constexpr int kMaxGroupDepth = 100;

  // `message` must stay valid as long as the reader and its fields are used. Requires: kReadableSlackBytes can be read after
  // `message`, whatever they are; so nothing is required for a message inside another one.
  explicit FieldReader(std::string_view message, int max_group_depth = kMaxGroupDepth)
      : begin_(reinterpret_cast<const uint8_t*>(message.data())),
        p_(begin_),
        end_(begin_ + message.size()),
        max_group_depth_(max_group_depth) {}

  bool AtEnd() const { return p_ == end_; }

  // Where the next field begins in the message; after a failed Next(), where the malformed field begins.
  size_t offset() const { return static_cast<size_t>(p_ - begin_); }

  // The tag of the next field, without moving past it. 0 at the end, and if there is no valid tag.
  uint32_t PeekTag() const {
    uint32_t tag = 0;
    return AtEnd() || wire_internal::PeekTag(p_, &tag) == nullptr ? 0 : tag;
  }

  // Moves past the next tag if it is `tag`; false if something else comes next. For groups that are read field by field.
  bool TakeTag(uint32_t tag) {
    uint32_t found = 0;
    const uint8_t* const p = AtEnd() ? nullptr : wire_internal::PeekTag(p_, &found);
    if (p == nullptr || found != tag || TagSizeBytes(tag) > static_cast<size_t>(end_ - p)) return false;
    p_ = p + TagSizeBytes(tag);
    return true;
  }

  // Reads the next field; a group is read whole. Returns false if the field is malformed; see error(). Requires: !AtEnd().
  __attribute__((always_inline)) bool Next(Field* field) {
    uint32_t tag;
    const uint8_t* p = wire_internal::PeekTag(p_, &tag);
    if (p == nullptr) return Fail(DecodeError::kMalformedTag, p_, kLongestTagBytes);
    p += TagSizeBytes(tag);
    if (p > end_) return Fail(DecodeError::kTruncated, p_);
    if (tag >> 3 == 0) return Fail(DecodeError::kMalformedTag, p_);
    const uint8_t* const value = p;
    field->number = tag >> 3;
    field->type = static_cast<WireType>(tag & 7);
    switch (field->type) {
      case kVarint: {
        const Varint varint = ReadVarint(p);
        if (varint.next == nullptr) return Fail(DecodeError::kMalformedVarint, value, kLongestVarintBytes);
        field->bits = varint.value;
        p = varint.next;
        break;
      }
      case kI64:
        field->bits = Load<uint64_t>(p);
        p += 8;
        break;
      case kI32:
        field->bits = Load<uint32_t>(p);
        p += 4;
        break;
      case kLen: {
        const Length length = ReadLength(p);
        if (length.next == nullptr) return Fail(DecodeError::kMalformedLength, value, kLongestLengthBytes);
        if (length.next > end_ || length.size_bytes > static_cast<size_t>(end_ - length.next))
          return Fail(DecodeError::kTruncated, value);
        field->bytes = {reinterpret_cast<const char*>(length.next), length.size_bytes};
        p = length.next + length.size_bytes;
        break;
      }
      case kSgroup: {
        const uint8_t* next = nullptr;
        DecodeError error = DecodeError::kNone;
        const uint8_t* const contents_end = FindEndGroup(p, end_, tag, max_group_depth_, &next, &error);
        if (contents_end == nullptr) return Fail(error, value);
        field->bytes = {reinterpret_cast<const char*>(p), static_cast<size_t>(contents_end - p)};
        p = next;
        break;
      }
      case kEgroup:
        return Fail(DecodeError::kEndGroup, p_);
      default:
        return Fail(DecodeError::kMalformedTag, p_);
    }
    if (p > end_) return Fail(DecodeError::kTruncated, value);
    p_ = p;
    return true;
  }

  // Why Next() returned false; kNone if it has not.
  DecodeError error() const { return error_; }
  // Byte offset of the error in the message: the tag if the tag is at fault, otherwise the value. For a group, the start of its
  // contents. Requires: error() != kNone.
  size_t error_offset() const { return static_cast<size_t>(error_position_ - begin_); }

 private:
  // `longest_bytes`: see IfWhole().
  [[gnu::cold]] bool Fail(DecodeError error, const uint8_t* position, ptrdiff_t longest_bytes = 0) {
    error_ = IfWhole(error, position, end_, longest_bytes);
    error_position_ = position;
    return false;
  }

  const uint8_t* begin_;
  const uint8_t* p_;
  const uint8_t* end_;
  int max_group_depth_;
  DecodeError error_ = DecodeError::kNone;
  const uint8_t* error_position_ = nullptr;
};

// Takes the bits of one number from the front of `run`, the bytes of a packed field. `type` is that of the number: VARINT, I64
// or I32. False if the number is malformed or cut off. Requires: !run->empty(), and kReadableSlackBytes after `run`.
inline bool TakePacked(WireType type, std::string_view* run, uint64_t* bits) {
  const auto* const p = reinterpret_cast<const uint8_t*>(run->data());
  size_t size_bytes = 0;
  if (type == kI64) {
    *bits = Load<uint64_t>(p);
    size_bytes = 8;
  } else if (type == kI32) {
    *bits = Load<uint32_t>(p);
    size_bytes = 4;
  } else {
    const Varint varint = ReadVarint(p);
    if (varint.next == nullptr) return false;
    *bits = varint.value;
    size_bytes = static_cast<size_t>(varint.next - p);
  }
  if (size_bytes > run->size()) return false;
  run->remove_prefix(size_bytes);
  return true;
}

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_CORE_WIRE_SHARED_FIELD_READER_H_
