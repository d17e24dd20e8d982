// Required fields are checked per batch, not per message. So merged messages are judged correctly: two halves of a message may
// have all fields only together.
#include <algorithm>
#include <vector>

#include "structtensor/core/column/abi/tree.h"

namespace structtensor::column_internal {
namespace {

uint32_t RowOfElement(const ColumnBuffer& column, uint32_t element) {
  const int64_t* begin = column.row_splits;
  const int64_t* end = begin + column.filled;
  return static_cast<uint32_t>(std::upper_bound(begin, end, static_cast<int64_t>(element)) - begin) - 1;
}

// The repeated columns on the way from a node up to the batch: a list on the stack of the recursion.
struct RepeatedAbove {
  const ColumnBuffer* column;
  const RepeatedAbove* above;  // null for the one next to the batch
};

// The row of the batch that row `row` of the node belongs to.
uint32_t BatchRow(const RepeatedAbove* above, uint32_t row) {
  for (; above != nullptr; above = above->above) row = RowOfElement(*above->column, row);
  return row;
}

// The rows in which a node's message is present.
struct PresentRows {
  uint32_t size;                    // number of rows to look at
  const uint64_t* words = nullptr;  // of the parent node: the rows whose word has this bit
  int bit = 0;
  const uint32_t* rows = nullptr;  // or the rows themselves; if neither is set, all rows

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < size; ++i) {
      if (words == nullptr || (words[i] >> bit & 1) != 0) visit(rows == nullptr ? i : rows[i]);
    }
  }
};

// The rows in which the message of the field is present.
PresentRows PresentBelow(const TreeNode* node, const plan::FieldPlan& field, const ColumnBuffer& column) {
  switch (column.storage->layout) {
    case plan::Layout::kElements:
    case plan::Layout::kElementBytes:
    case plan::Layout::kElementMessages:
      return {.size = column.size};
    case plan::Layout::kAppended:
    case plan::Layout::kBytes:
    case plan::Layout::kAppendedMessage:
      return {.size = column.size, .rows = column.rows};
    case plan::Layout::kChosenKeys:  // no chosen key is required
    case plan::Layout::kCaseByRow:
      return {.size = 0};
    case plan::Layout::kByRow:
    case plan::Layout::kMessageByRow:
      return {.size = node->rows_entered, .words = node->presence, .bit = field.presence_bit};
  }
  return {.size = 0};
}

class RequiredFinder {
 public:
  explicit RequiredFinder(std::vector<ColumnTree::MissingRequired>& missing) : missing_(missing) {}

  // Returns true if nothing is missing. Returns false if something is missing, or if that takes a closer look.
  static bool IsComplete(const TreeNode* node, const PresentRows& present) {
    if (!node->plan->reaches_required) return true;
    if (!node->plan->presence_words || (node->required != 0 && !HaveAll(node, present))) return false;
    bool complete = true;
    ForEachChild(node, [&](const plan::FieldPlan& field, const ColumnBuffer& column) {
      complete = complete && IsComplete(column.child, PresentBelow(node, field, column));
    });
    return complete;
  }

  void Visit(const TreeNode* node, const PresentRows& present, const RepeatedAbove* above) {
    if (!node->plan->reaches_required) return;
    if (node->plan->presence_words) {
      FindByWords(node, present, above);
    } else {
      for (const plan::FieldPlan& field : node->plan->fields) {
        if (field.presence == plan::Presence::kRequired && !field.skipped) FindAppended(node, field, present, above);
      }
    }
    for (const plan::FieldPlan& field : node->plan->fields) {
      const ColumnBuffer& column = ColumnAt(node, field);
      if (!IsActive(column) || !HasChild(column)) continue;
      const RepeatedAbove here{&column, above};
      Visit(column.child, PresentBelow(node, field, column), field.is_repeated() ? &here : above);
    }
  }

 private:
  // Handles the common case, in a loop that vectorises. Also returns false if this simple check cannot decide.
  static bool HaveAll(const TreeNode* node, const PresentRows& present) {
    if (present.rows != nullptr || node->rows_entered < present.size) return false;
    uint64_t in_all = ~uint64_t{0};
    if (present.words == nullptr) {
      for (uint32_t row = 0; row < present.size; ++row) in_all &= node->presence[row];
    } else {
      for (uint32_t row = 0; row < present.size; ++row) {
        in_all &= node->presence[row] | ((present.words[row] >> present.bit & 1) - 1);
      }
    }
    return (in_all & node->required) == node->required;
  }

  void FindByWords(const TreeNode* node, const PresentRows& present, const RepeatedAbove* above) {
    const uint64_t required = node->required;
    if (required == 0 || HaveAll(node, present)) return;
    // Reports each field once for each row of the batch. A row of the batch may have any number of elements in this node.
    uint64_t reported = 0;
    uint32_t last_row = kNoRow;
    present.ForEach([&](uint32_t row) {
      const uint64_t word = row < node->rows_entered ? node->presence[row] : 0;
      if ((word & required) == required) [[likely]]
        return;
      const uint32_t batch_row = BatchRow(above, row);
      if (batch_row != last_row) reported = 0;
      last_row = batch_row;
      const uint64_t missing = required & ~word & ~reported;
      reported |= missing;
      for (const plan::FieldPlan& field : node->plan->fields) {
        if (field.presence_bit >= 0 && (missing >> field.presence_bit & 1) != 0) missing_.push_back({batch_row, node, &field});
      }
    });
  }

  void FindAppended(const TreeNode* node, const plan::FieldPlan& field, const PresentRows& present,
                    const RepeatedAbove* above) {
    const ColumnBuffer& column = ColumnAt(node, field);
    uint32_t found = 0;
    uint32_t last_row = kNoRow;
    present.ForEach([&](uint32_t row) {
      if (found < column.size && column.rows[found] == row) {
        ++found;
        return;
      }
      const uint32_t batch_row = BatchRow(above, row);
      if (batch_row != last_row) missing_.push_back({batch_row, node, &field});
      last_row = batch_row;
    });
  }

  std::vector<ColumnTree::MissingRequired>& missing_;
};

}  // namespace

std::vector<ColumnTree::MissingRequired> ColumnTree::FindMissingRequired() const {
  std::vector<MissingRequired> missing;
  if (RequiredFinder::IsComplete(root_, {.size = nrows_})) return missing;
  RequiredFinder(missing).Visit(root_, {.size = nrows_}, nullptr);
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return missing;
}

}  // namespace structtensor::column_internal
