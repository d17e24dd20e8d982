// Removing rows from the middle of finished row spaces: broken messages that are found late, and map entries that a later entry
// with the same key replaces. Both are rare, so this is written for clarity: it walks the tree and closes the gaps in place.
//
// A row may also be cleared: it stays and loses its contents. Removing and clearing differ only in the row's own row space. In
// the row spaces below, what belonged to the row is removed in both cases.
//
//     row_splits 0 2 3 3 5, row 1 removed: 0 2 2 4    cleared: 0 2 2 2 4    elements, both times: without element 2
#include "structtensor/core/column/internal/remove_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "structtensor/core/column/abi/tree.h"

namespace structtensor::column_internal {

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

void RemoveFromSingular(const plan::FieldPlan& field, ColumnBuffer& column, const RowRanges& ranges, RowsLeft left,
                        RangesPool& pool) {
  const bool opaque = ColumnTree::IsOpaque(column);
  const size_t element_bytes = opaque ? sizeof(StringRef) : plan::ElementSizeBytes(field.element);
  uint8_t* values = element_bytes == 0 ? nullptr : static_cast<uint8_t*>(column.values);
  uint32_t out = 0;
  uint32_t removed_rows = 0;  // rows removed (not cleared) in front of the current value
  size_t next = 0;
  for (uint32_t i = 0; i < column.size; ++i) {
    const uint32_t row = column.rows[i];
    while (next < ranges.size() && ranges[next].end <= row) {
      if (left == RowsLeft::kNone) removed_rows += ranges[next].end - ranges[next].begin;
      ++next;
    }
    if (next < ranges.size() && ranges[next].begin <= row) continue;
    column.rows[out] = row - removed_rows;
    if (values != nullptr) std::memmove(values + out * element_bytes, values + i * element_bytes, element_bytes);
    ++out;
  }
  column.size = out;
  if (HasChild(column)) RemoveFromNode(column.child, ranges, left, pool);
}

void RemoveFromRepeated(const plan::FieldPlan& field, ColumnBuffer& column, const RowRanges& ranges, RowsLeft left,
                        RangesPool& pool) {
  const bool opaque = ColumnTree::IsOpaque(column);
  RowRanges element_ranges = pool.Take();
  const auto split = [&](uint32_t row) {
    return row < column.filled ? static_cast<uint32_t>(column.row_splits[row]) : column.size;
  };
  for (const RowRange& range : ranges) AppendRange(element_ranges, split(range.begin), split(range.end));

  uint32_t out = 0;
  uint32_t removed_elements = 0;  // in front of the current row
  size_t next = 0;
  for (uint32_t row = 0; row < column.filled; ++row) {
    while (next < ranges.size() && ranges[next].end <= row) ++next;
    const bool removed = next < ranges.size() && ranges[next].begin <= row;
    const uint32_t begin = static_cast<uint32_t>(column.row_splits[row]);
    if (!removed || left == RowsLeft::kEmpty) column.row_splits[out++] = begin - removed_elements;
    // row_splits[row + 1] still has its old value: only splits up to `row` were written so far.
    if (removed) removed_elements += split(row + 1) - begin;
  }
  column.filled = out;

  if (HasChild(column)) {
    // Elements are removed together with everything in them.
    RemoveFromNode(column.child, element_ranges, RowsLeft::kNone, pool);
  } else if (!plan::HasNode(column.storage->layout)) {
    RemoveElements(column.values, opaque ? sizeof(StringRef) : plan::ElementSizeBytes(field.element), column.size,
                   element_ranges);
  }
  for (const RowRange& range : element_ranges) column.size -= range.end - range.begin;
  pool.Give(std::move(element_ranges));
}

// The part of the ranges that is in [0, size).
RowRanges Within(const RowRanges& ranges, uint32_t size, RangesPool& pool) {
  RowRanges within = pool.Take();
  for (const RowRange& range : ranges) {
    if (range.begin < size) within.push_back({range.begin, std::min(range.end, size)});
  }
  return within;
}

// For columns with one value for each row. Where rows are cleared, only their presence words change (RemovePresence).
void RemoveFromRows(const plan::FieldPlan& field, ColumnBuffer& column, uint32_t rows_entered, const RowRanges& ranges,
                    RowsLeft left, RangesPool& pool) {
  if (plan::HasNode(column.storage->layout)) {
    if (column.child != nullptr) RemoveFromNode(column.child, ranges, left, pool);
  } else if (left == RowsLeft::kNone) {
    const uint32_t size = std::min(rows_entered, column.limit);
    RowRanges within = Within(ranges, size, pool);
    RemoveElements(column.values, plan::ElementSizeBytes(field.element), size, within);
    pool.Give(std::move(within));
  }
}

void RemovePresence(TreeNode* node, const RowRanges& ranges, RowsLeft left, RangesPool& pool) {
  RowRanges entered = Within(ranges, node->rows_entered, pool);
  if (left == RowsLeft::kEmpty) {
    for (const RowRange& range : entered) std::fill(node->presence + range.begin, node->presence + range.end, 0);
  } else {
    RemoveElements(node->presence, sizeof(uint64_t), node->rows_entered, entered);
    for (const RowRange& range : entered) node->rows_entered -= range.end - range.begin;
  }
  pool.Give(std::move(entered));
}

}  // namespace

void RemoveFromNode(TreeNode* node, const RowRanges& ranges, RowsLeft left, RangesPool& pool) {
  if (ranges.empty()) return;
  ForEachActive(node, [&](const plan::FieldPlan& field, ColumnBuffer& column) {
    switch (column.storage->layout) {
      case plan::Layout::kElements:
      case plan::Layout::kElementBytes:
      case plan::Layout::kElementMessages:
        RemoveFromRepeated(field, column, ranges, left, pool);
        return;
      case plan::Layout::kAppended:
      case plan::Layout::kBytes:
      case plan::Layout::kAppendedMessage:
        RemoveFromSingular(field, column, ranges, left, pool);
        return;
      case plan::Layout::kByRow:
      case plan::Layout::kCaseByRow:
      case plan::Layout::kMessageByRow:
      case plan::Layout::kChosenKeys:
        RemoveFromRows(field, column, node->rows_entered, ranges, left, pool);
        return;
    }
  });
  if (node->plan->presence_words) RemovePresence(node, ranges, left, pool);
}

namespace {

RowRanges RangesOf(std::span<const uint32_t> rows) {
  RowRanges ranges;
  for (const uint32_t row : rows) AppendRange(ranges, row, row + 1);
  return ranges;
}

}  // namespace

void ColumnTree::RemoveRows(std::span<const uint32_t> rows) {
  RangesPool pool;
  RemoveFromNode(root_, RangesOf(rows), RowsLeft::kNone, pool);
  nrows_ -= static_cast<uint32_t>(rows.size());
}

void ColumnTree::ClearRows(std::span<const uint32_t> rows) {
  RangesPool pool;
  RemoveFromNode(root_, RangesOf(rows), RowsLeft::kEmpty, pool);
}

}  // namespace structtensor::column_internal
