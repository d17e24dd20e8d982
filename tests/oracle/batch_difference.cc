#include "batch_difference.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::testing {
namespace {

bool SameBytes(const void* a, const void* b, size_t size_bytes) {
  if (size_bytes == 0) return true;
  return (a == nullptr) == (b == nullptr) && (a == nullptr || std::memcmp(a, b, size_bytes) == 0);
}

// The name of the first buffer that differs.
std::string_view DifferenceOfColumns(const ColumnView& a, const ColumnView& b) {
  if (a.opaque != b.opaque) return "opaque";
  if (a.nrows != b.nrows) return "nrows";
  if (a.nvals != b.nvals) return "nvals";
  if (a.field->is_repeated()) {
    if (!SameBytes(a.row_splits, b.row_splits, (size_t{a.nrows} + 1) * sizeof(int64_t))) return "row_splits";
  } else {
    for (uint32_t row = 0; row < a.nrows; ++row) {
      if (a.has(row) != b.has(row)) return "validity";
    }
    if (!SameBytes(a.value_rowids, b.value_rowids, size_t{a.nvals} * sizeof(uint32_t))) return "value_rowids";
  }
  if (a.is_text()) {
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a.text(i) != b.text(i)) return "text";
    }
    if (a.refs != nullptr || a.field->is_repeated()) return "";
    return SameBytes(a.compact_offsets, b.compact_offsets, (size_t{a.nvals} + 1) * sizeof(int32_t)) ? "" : "compact_offsets";
  }
  const size_t value_bytes = plan::ElementSizeBytes(a.field->element);
  if (!SameBytes(a.values, b.values, a.size() * value_bytes)) return "values";
  if (a.field->is_repeated()) return "";
  return SameBytes(a.compact_values, b.compact_values, a.nvals * value_bytes) ? "" : "compact_values";
}

std::string DifferenceOfNodes(const NodeView& a, const NodeView& b, const std::string& path) {
  if (a.nrows() != b.nrows()) return path + ": nrows";
  if (a.touched() != b.touched()) return path + ": touched";
  if (a.plan().full_name != b.plan().full_name || a.plan().fields.size() != b.plan().fields.size()) return path + ": plan";
  if (!a.touched()) return "";
  const std::string_view unknown = DifferenceOfColumns(a.unknown_fields(), b.unknown_fields());
  if (!unknown.empty()) return absl::StrCat(path, ": unknown fields: ", ToAbsl(unknown));
  for (size_t i = 0; i < a.plan().fields.size(); ++i) {
    const plan::FieldPlan& field = a.plan().fields[i];
    if (field.skipped) continue;
    const std::string field_path = absl::StrCat(path, path.empty() ? "" : ".", ToAbsl(field.name));
    const ColumnView column = a.column_in_place(i);
    const std::string_view difference = DifferenceOfColumns(column, b.column_in_place(i));
    if (!difference.empty()) return absl::StrCat(field_path, ": ", ToAbsl(difference));
    if (!field.is_message() || column.opaque) continue;
    const std::string below = DifferenceOfNodes(a.child(i), b.child(i), field_path);
    if (!below.empty()) return below;
  }
  return "";
}

bool AreEqual(const MessageError& a, const MessageError& b, std::span<const std::string_view> messages) {
  constexpr size_t kMaxVarintBytes = 10;
  if (a.message_index != b.message_index || a.row != b.row || a.status.code() != b.status.code()) return false;
  const size_t size_bytes = messages[static_cast<size_t>(a.message_index)].size();
  return a.status == b.status || std::max(a.byte_offset, b.byte_offset) + kMaxVarintBytes > size_bytes;
}

}  // namespace

std::string DifferenceOfBatches(const DecodedBatch& a, const DecodedBatch& b) {
  return DifferenceOfNodes(a.root(), b.root(), "");
}

std::string DifferenceOfErrors(std::span<const MessageError> a, std::span<const MessageError> b,
                               std::span<const std::string_view> messages) {
  if (a.size() != b.size()) return absl::StrCat(a.size(), " errors and ", b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!AreEqual(a[i], b[i], messages)) {
      return absl::StrCat("error ", i, ": ", a[i].status.ToString(), " and ", b[i].status.ToString());
    }
  }
  return "";
}

}  // namespace structtensor::testing
