// Reading a finished tree. Everything here is a view: valid as long as the tree is neither reset nor destroyed.
#ifndef STRUCTTENSOR_CORE_COLUMN_COLUMN_VIEW_H_
#define STRUCTTENSOR_CORE_COLUMN_COLUMN_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "structtensor/core/column/abi/string_ref.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace column_internal {
class ColumnTree;
struct ColumnBuffer;
struct TreeNode;
}  // namespace column_internal

// One column. A column that no data touched looks like a touched column that is empty or default everywhere.
//
// Shapes: a singular field has nrows rows, and nvals of them are present (dense and compact values: docs/glossary.md):
//   values        [nrows]: dense values                           compact_values  [nvals]
//   offsets       [nrows + 1], strings and bytes                  compact_offsets [nvals + 1]
//   validity      [nrows] bits, null if all rows are present      value_rowids    [nvals]: the row of each compact value
// A repeated field has nvals elements in nrows rows:
//   values [nvals], or offsets [nvals + 1];  row_splits [nrows + 1]
// Both kinds of offsets point into `bytes`. Messages have only validity, value_rowids and row_splits.
// Strings that were left in the input (NodeView::column_in_place) have `refs` instead of offsets and bytes: as many as
// `values`, empty where absent. Present string i is refs[value_rowids[i]].
struct ColumnView {
  const plan::FieldPlan* field = nullptr;
  bool opaque = false;  // a message kept as serialized bytes: read it as a bytes column
  uint32_t nrows = 0;
  uint32_t nvals = 0;
  const void* values = nullptr;
  const int32_t* offsets = nullptr;
  const char* bytes = nullptr;
  const column_internal::StringRef* refs = nullptr;
  const uint8_t* validity = nullptr;
  const void* compact_values = nullptr;
  const int32_t* compact_offsets = nullptr;
  const uint32_t* value_rowids = nullptr;
  const int64_t* row_splits = nullptr;

  bool is_text() const { return opaque || field->element == plan::Element::kString || field->element == plan::Element::kBytes; }
  // Number of elements of values, or of offsets minus one.
  uint32_t size() const { return field->is_repeated() ? nvals : nrows; }
  bool has(uint32_t row) const { return validity == nullptr || (validity[row >> 3] >> (row & 7) & 1) != 0; }
  std::string_view text(uint32_t i) const {
    if (refs != nullptr) return {refs[i].data, refs[i].size_bytes};
    return {bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
  }
};

// The columns of one message type at one field path.
class NodeView {
 public:
  NodeView() = default;
  // `node` is null if no data reached it.
  NodeView(const column_internal::ColumnTree* tree, const plan::MessagePlan* plan, const column_internal::TreeNode* node,
           uint32_t nrows)
      : tree_(tree), plan_(plan), node_(node), nrows_(nrows) {}
  // The root. Requires: the tree is finished.
  explicit NodeView(const column_internal::ColumnTree& tree);

  const plan::MessagePlan& plan() const { return *plan_; }
  uint32_t nrows() const { return nrows_; }
  // Whether this batch's data reached the node.
  bool touched() const { return node_ != nullptr; }

  // For the library: the tree and node of this view. node() is null if no data reached it.
  const column_internal::ColumnTree* tree() const { return tree_; }
  const column_internal::TreeNode* node() const { return node_; }
  bool is_root() const;

  // Whether this batch's data reached the column. If not, it is absent, empty or default in all rows.
  bool touched(size_t field_index) const;

  ColumnView column(size_t field_index) const;

  // Returns the column without copying strings: if the tree was finished with views, they are read from the input. column()
  // copies the strings of a column on the first call for this column.
  ColumnView column_in_place(size_t field_index) const;

  // The fields that the message type does not know, serialized as they were read, as a bytes column with nrows values, which
  // are empty unless the decoder kept the fields.
  ColumnView unknown_fields() const;

  // The node below a message field: in the same rows if it is singular, in a row space of its own if it is repeated. Below an
  // opaque column it is untouched, and has no rows if the field is repeated.
  NodeView child(size_t field_index) const;

 private:
  const column_internal::ColumnBuffer* Touched(const plan::FieldPlan& field) const;
  ColumnView View(const plan::FieldPlan& field, const column_internal::ColumnBuffer* column) const;

  const column_internal::ColumnTree* tree_ = nullptr;
  const plan::MessagePlan* plan_ = nullptr;
  const column_internal::TreeNode* node_ = nullptr;
  uint32_t nrows_ = 0;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_COLUMN_VIEW_H_
