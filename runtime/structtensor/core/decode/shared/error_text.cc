#include "structtensor/core/decode/shared/error_text.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
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

namespace {

struct ErrorFacts {
  std::string_view code;
  std::string_view text;
};

ErrorFacts FactsOf(DecodeError error) {
  static constexpr ErrorFacts kFacts[] = {{"", "no error"},
#define STRUCTTENSOR_FACTS(name, code, text) {code, text},
                                          STRUCTTENSOR_DECODE_ERRORS(STRUCTTENSOR_FACTS)
#undef STRUCTTENSOR_FACTS
  };
  return kFacts[static_cast<size_t>(error)];
}

// "`max_depth=100`" for the limit of that name; "" if it is not a limit.
std::string Limit(std::string_view name, const DecodeOptions& options) {
  if (name == "max_depth") return OptionText(name, options.max_depth);
  if (name == "max_message_bytes") return OptionText(name, options.max_message_bytes);
  if (name == "max_rows") return OptionText(name, options.max_rows);
  if (name == "max_cells") return OptionText(name, options.max_cells);
  if (name == "max_memory_bytes") return OptionText(name, options.max_memory_bytes);
  if (name == "max_paths") return OptionText(name, options.max_paths);
  return "";
}

}  // namespace

std::string_view CodeOf(DecodeError error) { return FactsOf(error).code; }

std::string LimitText(DecodeError error, const DecodeOptions& options) {
  const auto& [name, text] = FactsOf(error);
  const std::string limit = Limit(name, options);
  if (limit.empty()) return "";
  return absl::StrCat(ToAbsl(text.substr(0, text.size() - name.size() - 2)), limit);
}

std::string ErrorText(DecodeError error, const DecodeOptions& options, const ValueSizes& sizes) {
  const std::string limit = LimitText(error, options);
  if (!limit.empty()) return absl::StrCat(limit, "; raise the limit if this is expected");
  const absl::string_view text = ToAbsl(FactsOf(error).text);
  return error == DecodeError::kFixedSize ? absl::Substitute(text, sizes.found_bytes, sizes.expected_bytes) : std::string(text);
}

}  // namespace structtensor::decode_internal
