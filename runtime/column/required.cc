// Required fields are checked per batch, not per message. That also gets merging right, where two halves of a message together have
// all fields.
#include <algorithm>
#include <vector>

#include "structtensor/column/tree.h"

namespace structtensor {
namespace {

uint32_t RowOfElement(const Column& column, uint32_t element) {
  const int64_t* begin = column.row_splits;
  const int64_t* end = begin + column.filled;
  return static_cast<uint32_t>(std::upper_bound(begin, end, static_cast<int64_t>(element)) - begin) - 1;
}

// The repeated columns on the way from a node up to the batch, on the stack of the recursion.
struct RepeatedAbove {
  const Column* column;
  const RepeatedAbove* above;  // null for the one next to the batch
};

// The row of the batch that row `row` of the node belongs to.
uint32_t BatchRow(const RepeatedAbove* above, uint32_t row) {
  for (; above != nullptr; above = above->above) row = RowOfElement(*above->column, row);
  return row;
}

// Whether every row of the message needs the field. A map entry without a value has an empty one, which lacks what it requires.
bool IsRequired(const plan::Message& message, const plan::Field& field) {
  if (field.presence == plan::Presence::kRequired) return true;
  if (!message.map_entry || field.message == nullptr) return false;
  return std::any_of(field.message->fields.begin(), field.message->fields.end(),
                     [](const plan::Field& f) { return f.presence == plan::Presence::kRequired; });
}

// The rows in which a node's message is present.
struct PresentRows {
  uint32_t size;                    // number of rows to look at
  const uint64_t* words = nullptr;  // those with this bit set, of the node around it
  int bit = 0;
  const uint32_t* rows = nullptr;  // or the rows themselves; with neither, all

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < size; ++i) {
      if (words == nullptr || (words[i] >> bit & 1) != 0) visit(rows == nullptr ? i : rows[i]);
    }
  }
};

class RequiredFinder {
 public:
  explicit RequiredFinder(std::vector<ColumnTree::MissingRequired>& missing) : missing_(missing) {}

  void Visit(const Node* node, const PresentRows& present, const RepeatedAbove* above) {
    if (!node->plan->reaches_required) return;
    if (node->plan->presence_words) {
      FindByWords(node, present, above);
    } else {
      for (const plan::Field& field : node->plan->fields) {
        if (IsRequired(*node->plan, field)) FindAppended(node, field, present, above);
      }
    }
    for (const plan::Field& field : node->plan->fields) {
      const Column& column = ColumnAt(node, field);
      if (!field.is_message() || !IsTouched(column) || ColumnTree::IsOpaque(column) || column.child == nullptr) continue;
      if (field.is_repeated()) {
        const RepeatedAbove here{&column, above};
        Visit(column.child, {.size = column.size}, &here);
      } else if (field.presence_bit < 0 && node->plan->presence_words) {
        Visit(column.child, {.size = 0}, above);  // values of chosen keys, none of which has to be there
      } else if (node->plan->presence_words) {
        Visit(column.child, {.size = node->rows_entered, .words = node->presence, .bit = field.presence_bit}, above);
      } else {
        Visit(column.child, {.size = column.size, .rows = column.rows}, above);
      }
    }
  }

 private:
  // The common case, in a loop that vectorises. False if that is too simple to know.
  static bool HaveAll(const Node* node, uint64_t required, const PresentRows& present) {
    if (present.rows != nullptr || node->rows_entered < present.size) return false;
    uint64_t in_all = ~uint64_t{0};
    if (present.words == nullptr) {
      for (uint32_t row = 0; row < present.size; ++row) in_all &= node->presence[row];
    } else {
      for (uint32_t row = 0; row < present.size; ++row) {
        in_all &= node->presence[row] | ((present.words[row] >> present.bit & 1) - 1);
      }
    }
    return (in_all & required) == required;
  }

  void FindByWords(const Node* node, const PresentRows& present, const RepeatedAbove* above) {
    uint64_t required = 0;
    for (const plan::Field& field : node->plan->fields) {
      if (IsRequired(*node->plan, field)) required |= uint64_t{1} << field.presence_bit;
    }
    if (required == 0 || HaveAll(node, required, present)) return;
    // Each field once for each row of the batch, which may have any number of elements here.
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
      for (const plan::Field& field : node->plan->fields) {
        if (field.presence_bit >= 0 && (missing >> field.presence_bit & 1) != 0) missing_.push_back({batch_row, node, &field});
      }
    });
  }

  void FindAppended(const Node* node, const plan::Field& field, const PresentRows& present, const RepeatedAbove* above) {
    const Column& column = ColumnAt(node, field);
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
  RequiredFinder(missing).Visit(root_, {.size = nrows_}, nullptr);
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return missing;
}

}  // namespace structtensor
