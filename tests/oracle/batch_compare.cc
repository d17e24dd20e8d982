#include "batch_compare.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "structtensor/encode/encoder.h"
#include "structtensor/plan/plan.h"

namespace structtensor::testing {
namespace {

bool SameBytes(const void* a, const void* b, size_t size_bytes) {
  if (size_bytes == 0) return true;
  return (a == nullptr) == (b == nullptr) && (a == nullptr || std::memcmp(a, b, size_bytes) == 0);
}

// The name of the first buffer that differs.
std::string DifferenceOfColumns(const ColumnView& a, const ColumnView& b) {
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
  const std::string unknown = DifferenceOfColumns(a.unknown_fields(), b.unknown_fields());
  if (!unknown.empty()) return path + ": unknown fields: " + unknown;
  for (size_t i = 0; i < a.plan().fields.size(); ++i) {
    const plan::FieldPlan& field = a.plan().fields[i];
    if (field.skipped) continue;
    const std::string field_path = (path.empty() ? "" : path + ".") + std::string(field.name);
    const ColumnView column = a.column(i);
    std::string difference = DifferenceOfColumns(column, b.column(i));
    if (!difference.empty()) return field_path + ": " + difference;
    if (!field.is_message() || column.opaque) continue;
    difference = DifferenceOfNodes(a.child(i), b.child(i), field_path);
    if (!difference.empty()) return difference;
  }
  return "";
}

// What a varint that the end of a message cuts off would have been, chance decides: decoders read past that end. So near to it
// only the kind of the error counts.
bool AreEqual(const MessageError& a, const MessageError& b, std::span<const std::string_view> messages) {
  constexpr size_t kMaxVarintBytes = 10;
  if (a.message_index != b.message_index || a.row != b.row || a.status.code() != b.status.code()) return false;
  const size_t size_bytes = messages[static_cast<size_t>(a.message_index)].size();
  return a.status == b.status || std::max(a.byte_offset, b.byte_offset) + kMaxVarintBytes > size_bytes;
}

std::string DifferenceOfErrors(const std::vector<MessageError>& a, const std::vector<MessageError>& b,
                               std::span<const std::string_view> messages) {
  if (a.size() != b.size()) return std::to_string(a.size()) + " errors and " + std::to_string(b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!AreEqual(a[i], b[i], messages)) {
      return "error " + std::to_string(i) + ": " + a[i].status.ToString() + " and " + b[i].status.ToString();
    }
  }
  return "";
}

std::string DifferenceOfEncodings(const DecodedBatch& a, const DecodedBatch& b) {
  for (const bool sort_map_keys : {false, true}) {
    const EncodeOptions options = {.sort_map_keys = sort_map_keys};
    const absl::StatusOr<EncodedBatch> of_a = BatchEncoder::Create(a.plan(), options)->Encode(a.tree());
    const absl::StatusOr<EncodedBatch> of_b = BatchEncoder::Create(b.plan(), options)->Encode(b.tree());
    if (of_a.status() != of_b.status()) return "encoding: " + of_a.status().ToString() + " and " + of_b.status().ToString();
    if (!of_a.ok()) continue;
    if (of_a->size() != of_b->size()) return "encoding: number of messages";
    for (size_t i = 0; i < of_a->size(); ++i) {
      if ((*of_a)[i] != (*of_b)[i]) return "encoding: row " + std::to_string(i);
    }
  }
  return "";
}

}  // namespace

std::string DifferenceOfBatches(const DecodedBatch& a, const DecodedBatch& b) {
  return DifferenceOfNodes(a.root(), b.root(), "");
}

std::string DifferenceOfDecoders(BatchDecoder& a, BatchDecoder& b, std::span<const std::string_view> messages,
                                 size_t* refused) {
  std::vector<MessageError> errors_of_a;
  std::vector<MessageError> errors_of_b;
  const absl::StatusOr<DecodedBatch> of_a = a.Decode(messages, &errors_of_a);
  const absl::StatusOr<DecodedBatch> of_b = b.Decode(messages, &errors_of_b);
  if (refused != nullptr) *refused += errors_of_a.size() + (of_a.ok() ? 0 : messages.size());
  if (of_a.status().code() != of_b.status().code()) return of_a.status().ToString() + " and " + of_b.status().ToString();
  std::string difference = DifferenceOfErrors(errors_of_a, errors_of_b, messages);
  if (!difference.empty() || !of_a.ok()) return difference;
  difference = DifferenceOfBatches(*of_a, *of_b);
  return difference.empty() ? DifferenceOfEncodings(*of_a, *of_b) : difference;
}

}  // namespace structtensor::testing
