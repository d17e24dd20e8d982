// Why a message cannot be decoded: one list with the enumerator, the code that programs see, and the text for people. It is
// here, in the lowest room that finds such errors; core/decode finds the rest of them.
#ifndef STRUCTTENSOR_CORE_WIRE_ABI_DECODE_ERROR_H_
#define STRUCTTENSOR_CORE_WIRE_ABI_DECODE_ERROR_H_

#include <cstdint>

#pragma GCC visibility push(default)

namespace structtensor::wire_internal {

// X(enumerator, code, text). Codes are stable: dead letters, MessageError and Python's errors have them, and docs/formats.md
// lists them. A text says what is wrong and, after a semicolon, what that means or what to do. The text of a limit ends with
// the name of its option, which is its code and gets its value; the advice is the same for all limits.
#define STRUCTTENSOR_DECODE_ERRORS(X)                                                                                          \
  X(kTruncated, "truncated",                                                                                                   \
    "the value runs past the end of its message; the data is cut off, or is not of this message type")                         \
  X(kMalformedVarint, "malformed_varint",                                                                                      \
    "a varint of more than 10 bytes; the data is damaged, or is not of this message type")                                     \
  X(kMalformedLength, "malformed_length",                                                                                      \
    "a length prefix of more than 5 bytes or above 2 GiB; the data is damaged, or is not of this message type")                \
  X(kMalformedTag, "malformed_tag",                                                                                            \
    "not a tag (field number 0, wire type 6 or 7, or more than 5 bytes); the data is damaged, or is not of this message type") \
  X(kEndGroup, "end_group", "END_GROUP where no such group is open; the data is damaged, or is not of this message type")      \
  X(kUnterminatedGroup, "unterminated_group",                                                                                  \
    "the message ends within a group; the data is cut off, or is not of this message type")                                    \
  X(kInvalidUtf8, "invalid_utf8",                                                                                              \
    "the string is not valid UTF-8; declare the field as bytes if it is meant to hold anything else")                          \
  X(kFixedSize, "fixed_size",                                                                                                  \
    "the value has $0 bytes, and its annotation says fixed_size: $1; take that out if sizes are meant to differ")              \
  X(kMalformedPacked, "malformed_packed",                                                                                      \
    "a packed run that ends within a value; the data is damaged, or is not of this message type")                              \
  X(kDepth, "max_depth", "nested deeper than `max_depth`")                                                                     \
  X(kMessageBytes, "max_message_bytes", "longer than `max_message_bytes`")                                                     \
  X(kRowLimit, "max_rows", "a field has more elements than `max_rows`")                                                        \
  X(kCellLimit, "max_cells", "a field's elements times the fields that each may have are more than `max_cells`")               \
  /* In the loop, it is max_paths, too: MemoryOrPathLimit(). */                                                                \
  X(kMemoryLimit, "max_memory_bytes", "the columns need more memory than `max_memory_bytes`")                                  \
  X(kPathLimit, "max_paths", "messages are at more different paths than `max_paths`")                                          \
  X(kErrorBytes, "max_memory_bytes", "the errors of its messages need more memory than `max_memory_bytes`")                    \
  X(kMissingRequired, "missing_required",                                                                                      \
    "a required field is missing; with `allow_missing_required=true` it is read as absent")

// It is turned into text once, at the batch boundary (core/decode/shared/error_text.h).
enum class DecodeError : uint8_t {
  kNone,
#define STRUCTTENSOR_ENUMERATOR(name, code, text) name,
  STRUCTTENSOR_DECODE_ERRORS(STRUCTTENSOR_ENUMERATOR)
#undef STRUCTTENSOR_ENUMERATOR
};

}  // namespace structtensor::wire_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_WIRE_ABI_DECODE_ERROR_H_
