// Required fields are checked per batch, not per message: a required field is missing somewhere exactly if its column has fewer
// values than its message has rows. That also gets merging right, where two halves of a message together have all fields.
#include <algorithm>

#include "structtensor/column/tree.h"

namespace structtensor {
namespace {

uint32_t RowOfElement(const Column& column, uint32_t element) {
  const int64_t* begin = column.row_splits;
  const int64_t* end = begin + column.filled;
  return static_cast<uint32_t>(std::upper_bound(begin, end, static_cast<int64_t>(element)) - begin) - 1;
}

const plan::Field* FieldOfChild(const Node* node) {
  for (const plan::Field& field : node->parent->plan->fields) {
    if (field.is_message() && ColumnAt(node->parent, field).next_touched != 0 && ColumnAt(node->parent, field).child == node) {
      return &field;
    }
  }
  return nullptr;
}

// The row of the batch that row `row` of `node` belongs to.
uint32_t BatchRow(const Node* node, uint32_t row) {
  for (; node->parent != nullptr; node = node->parent) {
    const plan::Field* field = FieldOfChild(node);
    if (field->is_repeated()) row = RowOfElement(ColumnAt(node->parent, *field), row);
  }
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
void FindMissing(const Node* node, const uint32_t* presence, uint32_t npresent,
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
        } else {
          missing.push_back({BatchRow(node, row), node, &field});
        }
      }
    }
    if (!field.is_message() || column.next_touched == 0 || ColumnTree::IsOpaque(column) || column.child == nullptr) continue;
    FindMissing(column.child, field.is_repeated() ? nullptr : column.rows, column.size, missing);
  }
}

}  // namespace

std::vector<ColumnTree::MissingRequired> ColumnTree::FindMissingRequired() const {
  std::vector<MissingRequired> missing;
  FindMissing(root_, nullptr, nrows_, missing);
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return missing;
}

}  // namespace structtensor
