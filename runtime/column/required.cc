// Required fields are checked per batch, not per message: a required field is missing somewhere exactly if its column has fewer
// values than its message has rows. That also gets merging right, where two halves of a message together have all fields.
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

// `presence` lists the rows in which the node's message is present; null if that is all `nrows` of them.
void FindMissing(const Node* node, const uint32_t* presence, uint32_t npresent, const RepeatedAbove* above,
                 std::vector<ColumnTree::MissingRequired>& missing) {
  if (!node->plan->reaches_required) return;
  for (const plan::Field& field : node->plan->fields) {
    const Column& column = ColumnAt(node, field);
    if (column.size != npresent && IsRequired(*node->plan, field)) {
      uint32_t found = 0;
      for (uint32_t i = 0; i < npresent; ++i) {
        const uint32_t row = presence == nullptr ? i : presence[i];
        if (found < column.size && column.rows[found] == row) {
          ++found;
          continue;
        }
        // Once for each row of the batch, which may have any number of elements here.
        const uint32_t batch_row = BatchRow(above, row);
        if (!missing.empty() && missing.back().row == batch_row && missing.back().node == node &&
            missing.back().field == &field) {
          continue;
        }
        missing.push_back({batch_row, node, &field});
      }
    }
    if (!field.is_message() || column.next_touched == 0 || ColumnTree::IsOpaque(column) || column.child == nullptr) continue;
    if (field.is_repeated()) {
      const RepeatedAbove here{&column, above};
      FindMissing(column.child, nullptr, column.size, &here, missing);
    } else {
      FindMissing(column.child, column.rows, column.size, above, missing);
    }
  }
}

}  // namespace

std::vector<ColumnTree::MissingRequired> ColumnTree::FindMissingRequired() const {
  std::vector<MissingRequired> missing;
  FindMissing(root_, nullptr, nrows_, nullptr, missing);
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return missing;
}

}  // namespace structtensor
