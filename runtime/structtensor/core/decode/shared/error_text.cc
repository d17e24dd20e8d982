#include "structtensor/core/decode/shared/error_text.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::decode_internal {

using base_internal::OptionText;
namespace {

// Walks the fields of one message. The message has no slack after its bytes, so reads are checked here, one byte at a time.
class PathFinder {
 public:
  PathFinder(std::string_view message, size_t target) : message_(message), target_(target) {}

  // Looks for the target in the fields at [position, end); stops after an END_GROUP. True if found, with path() complete.
  bool Find(const plan::MessagePlan* plan, size_t& position, size_t end, int depth) {
    while (position < end) {
      const size_t field_begin = position;
      uint64_t tag = 0;
      if (!ReadVarint(position, end, &tag) || tag >> 3 == 0) return true;
      if ((tag & 7) == wire_internal::kEgroup) return target_ < position;
      const plan::FieldPlan* field = plan == nullptr ? nullptr : plan->FindByNumber(static_cast<int32_t>(tag >> 3));
      const size_t path_size = path_.size();
      AppendField(field != nullptr ? std::string(field->name) : absl::StrCat(tag >> 3), path_);
      if (target_ >= field_begin && FindInValue(field, static_cast<uint32_t>(tag & 7), position, end, depth)) return true;
      path_.resize(path_size);
    }
    return false;
  }

  std::string TakePath() { return std::move(path_); }

 private:
  bool FindInValue(const plan::FieldPlan* field, uint32_t wire_type, size_t& position, size_t end, int depth) {
    const plan::MessagePlan* message = field == nullptr ? nullptr : field->message;
    switch (wire_type) {
      case wire_internal::kVarint: {
        uint64_t value;
        return !ReadVarint(position, end, &value) || target_ < position;
      }
      case wire_internal::kI64:
        position += 8;
        return target_ < position;
      case wire_internal::kI32:
        position += 4;
        return target_ < position;
      case wire_internal::kLen: {
        uint64_t length_bytes = 0;
        if (!ReadVarint(position, end, &length_bytes) || target_ < position || length_bytes > end - position) return true;
        const size_t value_end = position + length_bytes;
        if (target_ >= value_end) {
          position = value_end;
          return false;
        }
        if (message != nullptr && depth > 0) Find(message, position, value_end, depth - 1);
        return true;
      }
      case wire_internal::kSgroup:
        return target_ < position || depth <= 0 || Find(message, position, end, depth - 1);
      default:
        return true;
    }
  }

  bool ReadVarint(size_t& position, size_t end, uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 70 && position < end; shift += 7) {
      const uint64_t byte = static_cast<uint8_t>(message_[position++]);
      if (shift < 64) *value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::string_view message_;
  size_t target_;
  std::string path_;
};

// Cuts the middle out of a long path. Names and nesting come from the input, and an error is read by people and kept in logs.
std::string WithinBounds(std::string path) {
  constexpr size_t kMaxPathBytes = 512;
  constexpr size_t kKeptBytes = 250;  // at each end
  if (path.size() <= kMaxPathBytes) return path;
  const auto is_inside = [&path](size_t i) { return (static_cast<uint8_t>(path[i]) & 0xc0) == 0x80; };  // a character
  size_t head = kKeptBytes;
  while (is_inside(head)) --head;
  size_t tail = path.size() - kKeptBytes;
  while (is_inside(tail)) ++tail;
  return absl::StrCat(path.substr(0, head), "…", path.substr(tail));
}

void KeepWithinBounds(std::string& path) {
  std::string bounded = WithinBounds(std::move(path));
  path = std::move(bounded);
}

// Appends the name of the field. The fields of a struct of chosen keys are named by their keys.
void AppendStep(const TreeNode* node, const plan::FieldPlan& field, std::string& path) {
  if (node->plan->keys.empty()) {
    AppendField(field.name, path);
  } else {
    path += Path::Step::Key(std::string(field.name)).ToString();
  }
}

}  // namespace

std::string FieldPathAt(const plan::MessagePlan& plan, std::string_view message, size_t byte_offset) {
  constexpr int kMaxDepth = 1000;
  PathFinder finder(message, byte_offset);
  size_t position = 0;
  finder.Find(&plan, position, message.size(), kMaxDepth);
  return WithinBounds(finder.TakePath());
}

namespace {

// Appends the path of the node. Allocates nothing if there is room, because every batch with unknown values has such paths.
void AppendNodePath(const TreeNode* node, std::string& path) {
  if (node->parent == nullptr) return;
  AppendNodePath(node->parent, path);
  for (const plan::FieldPlan& field : node->parent->plan->fields) {
    const ColumnBuffer& column = ColumnAt(node->parent, field);
    if (column.storage != nullptr && plan::HasNode(column.storage->layout) && column.child == node) {
      AppendStep(node->parent, field, path);
      return;
    }
  }
}

}  // namespace

void AppendFieldPath(const TreeNode* node, const plan::FieldPlan& field, std::string& path) {
  AppendNodePath(node, path);
  AppendStep(node, field, path);
  KeepWithinBounds(path);
}

std::string FieldPathOf(const TreeNode* node, const plan::FieldPlan& field) {
  std::string path;
  AppendFieldPath(node, field, path);
  return path;
}

void AppendUnknownFieldPath(const TreeNode* node, uint32_t number, std::string& path) {
  AppendNodePath(node, path);
  absl::StrAppend(&path, path.empty() ? "" : ".", number);
  KeepWithinBounds(path);
}

DecodeError MemoryOrPathLimit(DecodeError error, const ColumnTree& tree) {
  return error == DecodeError::kMemoryLimit && tree.refused_path().node != nullptr ? DecodeError::kPathLimit : error;
}

bool IsLimitOfBatch(DecodeError error) {
  return error == DecodeError::kRowLimit || error == DecodeError::kCellLimit || error == DecodeError::kMemoryLimit ||
         error == DecodeError::kPathLimit || error == DecodeError::kErrorBytes;
}

std::string LimitText(DecodeError error, const DecodeOptions& options) {
  switch (error) {
    case DecodeError::kDepth:
      return absl::StrCat("nested deeper than ", OptionText("max_depth", options.max_depth));
    case DecodeError::kMessageBytes:
      return absl::StrCat("longer than ", OptionText("max_message_bytes", options.max_message_bytes));
    case DecodeError::kRowLimit:
      return absl::StrCat("a field has more elements than ", OptionText("max_rows", options.max_rows));
    case DecodeError::kCellLimit:
      return absl::StrCat("a field's elements times the fields that each may have are more than ",
                          OptionText("max_cells", options.max_cells));
    case DecodeError::kMemoryLimit:
      return absl::StrCat("the columns need more memory than ", OptionText("max_memory_bytes", options.max_memory_bytes));
    case DecodeError::kErrorBytes:
      return absl::StrCat("the errors of its messages need more memory than ",
                          OptionText("max_memory_bytes", options.max_memory_bytes));
    case DecodeError::kPathLimit:
      return absl::StrCat("messages are at more different paths than ", OptionText("max_paths", options.max_paths));
    default:
      return "";
  }
}

std::string ErrorText(DecodeError error, const DecodeOptions& options, const ValueSizes& sizes) {
  switch (error) {
    case DecodeError::kNone:
      return "no error";
    case DecodeError::kTruncated:
      return "the value runs past the end of its message; the data is cut off, or is not of this message type";
    case DecodeError::kMalformedVarint:
      return "a varint of more than 10 bytes; the data is damaged, or is not of this message type";
    case DecodeError::kMalformedLength:
      return "a length prefix of more than 5 bytes or above 2 GiB; the data is damaged, or is not of this message type";
    case DecodeError::kMalformedTag:
      return "not a tag (field number 0, wire type 6 or 7, or more than 5 bytes); the data is damaged, or is not of this "
             "message type";
    case DecodeError::kEndGroup:
      return "END_GROUP where no such group is open; the data is damaged, or is not of this message type";
    case DecodeError::kUnterminatedGroup:
      return "the message ends within a group; the data is cut off, or is not of this message type";
    case DecodeError::kInvalidUtf8:
      return "the string is not valid UTF-8; declare the field as bytes if it is meant to hold anything else";
    case DecodeError::kFixedSize:
      return absl::StrCat("the value has ", sizes.found_bytes,
                          " bytes, and its annotation says fixed_size: ", sizes.expected_bytes,
                          "; take that out if sizes are meant to differ");
    case DecodeError::kMalformedPacked:
      return "a packed run that ends within a value; the data is damaged, or is not of this message type";
    case DecodeError::kDepth:
    case DecodeError::kMessageBytes:
    case DecodeError::kRowLimit:
    case DecodeError::kCellLimit:
    case DecodeError::kMemoryLimit:
    case DecodeError::kPathLimit:
    case DecodeError::kErrorBytes:
      return absl::StrCat(LimitText(error, options), "; raise that limit if the data is meant to be so");
    case DecodeError::kMissingRequired:
      return "a required field is missing; with `allow_missing_required=true` it is read as absent";
  }
  return "";
}

}  // namespace structtensor::decode_internal
