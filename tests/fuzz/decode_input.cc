#include "decode_input.h"

#include <algorithm>

#include "message_types.h"

namespace structtensor::testing {
namespace {

constexpr size_t kDecodeHeaderBytes = 2;
constexpr size_t kSizeBytes = 2;

size_t ByteAt(std::string_view bytes, size_t i) { return i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0; }

}  // namespace

DecodeInput ParseDecodeInput(std::string_view bytes) {
  DecodeInput input;
  input.type = ByteAt(bytes, 0) % MessageTypes().size();
  input.options = static_cast<uint8_t>(ByteAt(bytes, 1));
  bytes.remove_prefix(std::min(bytes.size(), kDecodeHeaderBytes));
  while (!bytes.empty() && input.messages.size() < DecodeInput::kMaxMessages) {
    const size_t size_bytes = ByteAt(bytes, 0) | ByteAt(bytes, 1) << 8;
    bytes.remove_prefix(std::min(bytes.size(), kSizeBytes));
    input.messages.emplace_back(bytes.substr(0, size_bytes));
    bytes.remove_prefix(input.messages.back().size());
  }
  return input;
}

std::string SerializeDecodeInput(const DecodeInput& input) {
  std::string bytes;
  bytes += static_cast<char>(input.type);
  bytes += static_cast<char>(input.options);
  for (const std::string& message : input.messages) {
    bytes += static_cast<char>(message.size());
    bytes += static_cast<char>(message.size() >> 8);
    bytes += message;
  }
  return bytes;
}

}  // namespace structtensor::testing
