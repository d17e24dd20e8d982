// Removing rows from the middle of finished row spaces: broken messages that are found late, and map entries that a later entry
// with the same key replaces. Both are rare, so this is written for clarity: it walks the tree and closes the gaps in place.
#include "structtensor/column/compact.h"

#include <cstring>

#include "structtensor/column/tree.h"

namespace structtensor {

void AppendRange(RowRanges& ranges, uint32_t begin, uint32_t end) {
  if (begin == end) return;
  if (!ranges.empty() && ranges.back().end == begin) {
    ranges.back().end = end;
  } else {
    ranges.push_back({begin, end});
  }
}

namespace {

void RemoveElements(void* values, size_t element_bytes, uint32_t size, const RowRanges& ranges) {
  uint8_t* base = static_cast<uint8_t*>(values);
  size_t out = ranges.empty() ? size : ranges.front().begin;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const size_t begin = ranges[i].end;
    const size_t end = i + 1 < ranges.size() ? ranges[i + 1].begin : size;
    std::memmove(base + out * element_bytes, base + begin * element_bytes, (end - begin) * element_bytes);
    out += end - begin;
  }
}

void RemoveFromSingular(const plan::Field& field, Column& column, const RowRanges& ranges) {
  const bool opaque = ColumnTree::IsOpaque(column);
  const size_t element_bytes = opaque ? sizeof(StringRef) : plan::ElementSizeBytes(field.element);
  uint8_t* values = element_bytes == 0 ? nullptr : static_cast<uint8_t*>(column.values);
  uint32_t out = 0;
  uint32_t removed_rows = 0;  // in front of the current value
  size_t next = 0;
  for (uint32_t i = 0; i < column.size; ++i) {
    const uint32_t row = column.rows[i];
    while (next < ranges.size() && ranges[next].end <= row) {
      removed_rows += ranges[next].end - ranges[next].begin;
      ++next;
    }
    if (next < ranges.size() && ranges[next].begin <= row) continue;
    column.rows[out] = row - removed_rows;
    if (values != nullptr) std::memmove(values + out * element_bytes, values + i * element_bytes, element_bytes);
    ++out;
  }
  column.size = out;
  if (field.is_message() && !opaque && column.child != nullptr) RemoveFromNode(column.child, ranges);
}

void RemoveFromRepeated(const plan::Field& field, Column& column, const RowRanges& ranges) {
  const bool opaque = ColumnTree::IsOpaque(column);
  RowRanges element_ranges;
  const auto split = [&](uint32_t row) {
    return row < column.filled ? static_cast<uint32_t>(column.row_splits[row]) : column.size;
  };
  for (const RowRange& range : ranges) AppendRange(element_ranges, split(range.begin), split(range.end));

  uint32_t out = 0;
  uint32_t removed_elements = 0;
  size_t next = 0;
  for (uint32_t row = 0; row < column.filled; ++row) {
    if (next < ranges.size() && row >= ranges[next].begin) {
      removed_elements += split(ranges[next].end) - split(ranges[next].begin);
      row = ranges[next].end - 1;
      ++next;
      continue;
    }
    column.row_splits[out++] = column.row_splits[row] - removed_elements;
  }
  column.filled = out;

  if (field.is_message() && !opaque) {
    if (column.child != nullptr) RemoveFromNode(column.child, element_ranges);
  } else {
    RemoveElements(column.values, opaque ? sizeof(StringRef) : plan::ElementSizeBytes(field.element), column.size,
                   element_ranges);
  }
  for (const RowRange& range : element_ranges) column.size -= range.end - range.begin;
}

}  // namespace

void RemoveFromNode(Node* node, const RowRanges& ranges) {
  if (ranges.empty()) return;
  ForEachTouched(node, [&](const plan::Field& field, Column& column) {
    if (field.is_repeated()) {
      RemoveFromRepeated(field, column, ranges);
    } else {
      RemoveFromSingular(field, column, ranges);
    }
  });
}

void ColumnTree::RemoveRows(std::span<const uint32_t> rows) {
  RowRanges ranges;
  for (const uint32_t row : rows) AppendRange(ranges, row, row + 1);
  RemoveFromNode(root_, ranges);
  nrows_ -= static_cast<uint32_t>(rows.size());
}

}  // namespace structtensor
