#include "structtensor/tensor/messages/internal/message_check.h"

#include <cstdint>
#include <vector>

#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::messages_internal {
namespace {

using plan::FieldPlan;
using plan::WireType;

// No decoder of this project reads deeper messages.
constexpr size_t kMaxDepth = 1000;

// A message or a group that is being read.
struct Level {
  const plan::MessagePlan* message;  // null: of an unknown group
  const FieldPlan* field;            // null: of the whole message, and of unknown groups
  const uint8_t* end;
  uint32_t group_number;  // 0: not a group
};

// Unlike the functions in wire/internal, these never read past `end`.
class Checker {
 public:
  Checker(const plan::MessagePlan& message, std::string_view bytes)
      : begin_(reinterpret_cast<const uint8_t*>(bytes.data())), at_(begin_) {
    levels_.push_back({&message, nullptr, begin_ + bytes.size(), 0});
  }

  std::optional<MessageProblem> Run() {
    while (true) {
      const Level level = levels_.back();
      if (at_ == level.end && level.group_number == 0) {
        levels_.pop_back();
        if (levels_.empty()) return std::nullopt;
        continue;
      }
      const uint8_t* const begin = at_;
      field_ = nullptr;
      if (const char* const text = ReadField(level); text != nullptr) {
        return MessageProblem{static_cast<size_t>(begin - begin_), Path(), text};
      }
    }
  }

 private:
  static constexpr const char* kCutOff = "the value runs past the end of its message";
  static constexpr const char* kNotPacked = "not a packed list of numbers of the field's type";

  // Reads one field, or the beginning of a message. Returns what is wrong, or null.
  const char* ReadField(const Level& level) {
    if (at_ == level.end) return "the group does not end";
    uint64_t tag;
    const uint8_t* const begin = at_;
    if (!ReadVarint(level.end, &tag) || at_ - begin > 5 || tag > UINT32_MAX || tag >> 3 == 0) return "not a tag";
    const auto number = static_cast<uint32_t>(tag >> 3);
    const auto wire_type = static_cast<uint32_t>(tag & 7);
    if (level.message != nullptr) field_ = level.message->FindByNumber(static_cast<int32_t>(number));
    switch (wire_type) {
      case WireType::kVarint: {
        uint64_t value;
        return ReadVarint(level.end, &value) ? nullptr : "not a varint of at most 10 bytes";
      }
      case WireType::kI64:
        return Skip(level.end, sizeof(uint64_t)) ? nullptr : kCutOff;
      case WireType::kI32:
        return Skip(level.end, sizeof(uint32_t)) ? nullptr : kCutOff;
      case WireType::kLen:
        return ReadLengthDelimited(level);
      case WireType::kSgroup: {
        const bool known = field_ != nullptr && field_->kind == plan::Kind::kGroup;
        return Enter({known ? field_->message : nullptr, known ? field_ : nullptr, level.end, number});
      }
      case WireType::kEgroup:
        if (number != level.group_number) return "the end of a group that has not begun";
        levels_.pop_back();
        return nullptr;
      default:
        return "not a tag";
    }
  }

  const char* ReadLengthDelimited(const Level& level) {
    uint64_t size_bytes;
    const uint8_t* const begin = at_;
    if (!ReadVarint(level.end, &size_bytes) || at_ - begin > 5 || size_bytes > wire_internal::kMaxLengthBytes) {
      return "not a length";
    }
    const uint8_t* const value = at_;
    if (!Skip(level.end, size_bytes)) return kCutOff;
    if (field_ == nullptr) return nullptr;
    if (field_->kind == plan::Kind::kMessage) {
      at_ = value;
      return Enter({field_->message, field_, value + size_bytes, 0});
    }
    if (field_->validate_utf8 && field_->kind == plan::Kind::kString && !wire_internal::IsUtf8Slow(value, size_bytes)) {
      return "string is not valid UTF-8";
    }
    if (!field_->is_repeated()) return nullptr;
    switch (plan::WireTypeOf(field_->kind)) {
      case WireType::kI64:
        return size_bytes % sizeof(uint64_t) == 0 ? nullptr : kNotPacked;
      case WireType::kI32:
        return size_bytes % sizeof(uint32_t) == 0 ? nullptr : kNotPacked;
      case WireType::kVarint: {
        const uint8_t* const end = at_;
        at_ = value;
        uint64_t element;
        while (at_ != end) {
          if (!ReadVarint(end, &element)) return kNotPacked;
        }
        return nullptr;
      }
      default:
        return nullptr;
    }
  }

  const char* Enter(const Level& level) {
    if (levels_.size() > kMaxDepth) return "nested deeper than 1000 levels";
    levels_.push_back(level);
    return nullptr;
  }

  bool ReadVarint(const uint8_t* end, uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 70 && at_ != end; shift += 7) {
      const uint8_t byte = *at_++;
      *value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool Skip(const uint8_t* end, uint64_t size_bytes) {
    if (size_bytes > static_cast<uint64_t>(end - at_)) return false;
    at_ += size_bytes;
    return true;
  }

  std::string Path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.field != nullptr) AppendField(level.field->name, path);
    }
    if (field_ != nullptr) AppendField(field_->name, path);
    return path;
  }

  const uint8_t* const begin_;
  const uint8_t* at_;
  std::vector<Level> levels_;
  const FieldPlan* field_ = nullptr;  // that is being read
};

}  // namespace

std::optional<MessageProblem> FindProblem(const plan::MessagePlan& message, std::string_view bytes) {
  return Checker(message, bytes).Run();
}

}  // namespace structtensor::messages_internal
