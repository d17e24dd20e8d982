// The column tree: one node per message type at a field path, made when data first reaches it.
//
// The batch and each repeated message field (or map) make a *row space*. A singular submessage does not: its columns are in its
// parent's rows, so a second occurrence just continues in the same row, which is protobuf's merge. Rows of a row space are
// filled one after another, depth first. So undoing a broken message or a replaced oneof member cuts everything back to the
// start of a row, and touches only the ends of columns.
//
//     message Recipe { string title = 1; repeated Ingredient ingredients = 2; Nutrition nutrition = 3; }
//
//     root node (Recipe)          rows of the batch          title, ingredients.row_splits
//       +- node (Nutrition)       the same rows              kcal
//       +- node (Ingredient)      a row per ingredient       name, amount
//
// A tree is used by one decoder at a time until it is finished; then it is read-only, by any number of threads, until Reset.
#ifndef STRUCTTENSOR_CORE_COLUMN_ABI_TREE_H_
#define STRUCTTENSOR_CORE_COLUMN_ABI_TREE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/column/abi/memory.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::column_internal {

class RowTables;

struct TreeLimits {
  size_t memory_bytes = size_t{1} << 32;  // of all columns of the tree
  uint32_t rows = uint32_t{1} << 30;      // of any one row space, against messages crafted to expand
  uint64_t cells = uint64_t{1} << 32;     // rows of a message field within repeated ones, times the fields of its type
  uint32_t paths = 0xffffffff;            // of message fields that have a node
  int recursion_depth = 0;  // how often a message type may occur on its own path before it is kept as bytes; 0 = no limit
  bool keeps_unknown_fields = false;  // whether the tree has the unknown fields of its messages
};

class ColumnTree {
 public:
  // Null if limits.memory_bytes is too small for the root.
  static std::unique_ptr<ColumnTree> Make(const plan::MessagePlan& root, const TreeLimits& limits);
  ~ColumnTree();
  ColumnTree(const ColumnTree&) = delete;
  ColumnTree& operator=(const ColumnTree&) = delete;

  const plan::MessagePlan& plan() const { return *root_->plan; }
  TreeNode* root() { return root_; }
  const TreeNode* root() const { return root_; }
  uint32_t nrows() const { return nrows_; }
  const TreeLimits& limits() const { return limits_; }
  // How many nodes there are below the root: one for each path of a message field that data has reached. Reset keeps them.
  uint32_t paths() const { return paths_; }
  // Makes room for `more` nodes beside those that there are.
  void AllowMorePaths(uint32_t more) { limits_.paths = paths_ + more < more ? 0xffffffff : paths_ + more; }
  // A field whose messages got no node because of limits().paths, and the node that it is a field of. Null if there is none.
  struct RefusedPath {
    const TreeNode* node = nullptr;
    const plan::FieldPlan* field = nullptr;
  };
  const RefusedPath& refused_path() const { return refused_path_; }
  // How many rows a field of this type may have before it exceeds the limit on rows or the limit on cells.
  uint32_t RowLimit(const plan::MessagePlan& message) const;
  // Whether the rows of `node` are those of the batch itself: one row for each message of the input.
  bool IsInBatchRows(const TreeNode* node) const { return node->nrows == &nrows_; }

  // --- While decoding. False from any of these: a limit is reached, that of memory unless there is a refused_path(); the tree
  // stays consistent.

  void set_nrows(uint32_t nrows) { nrows_ = nrows; }

  // Enters `row` of a node with presence words, with a zero word, and so all skipped rows before it. Requires: `row` is not
  // entered yet.
  bool EnterRow(TreeNode* node, uint32_t row);

  // Makes room for the value of `row` in a singular scalar column of a node with presence words. Lists the column if needed.
  bool GrowRows(TreeNode* node, uint32_t field_index, uint32_t row);

  // Without presence words: makes room for at least one more value of a singular column. Lists the column if needed.
  bool GrowSingular(TreeNode* node, uint32_t field_index);

  // Makes room for `additional` more elements of a repeated scalar column. Requires: the column is active.
  bool GrowRepeated(TreeNode* node, uint32_t field_index, size_t additional);

  // Fills row_splits up to `row`, whose first element is about to be appended. Makes the child of a message column on its
  // first use.
  bool StartRow(TreeNode* node, uint32_t field_index, uint32_t row);

  // Like GrowSingular, for a singular message column. Makes the child on its first use.
  bool GrowMessage(TreeNode* node, uint32_t field_index);

  // Appends serialized bytes to an opaque message column. In a singular column, the second occurrence in a row is joined to the
  // first, which merges serialized messages. `bytes` must live until the tree is finished.
  bool AppendOpaque(TreeNode* node, uint32_t field_index, uint32_t row, const uint8_t* bytes, uint32_t size_bytes);
  // Adds `bytes`, which must live until the tree is finished, to the unknown fields of `row`.
  bool AppendUnknown(TreeNode* node, uint32_t row, const uint8_t* bytes, uint32_t size_bytes);
  // Room for bytes that live until Reset, or null.
  uint8_t* KeepRoom(size_t size_bytes);
  // A copy of `bytes` that lives until Reset, or null.
  const uint8_t* KeepBytes(const uint8_t* bytes, uint32_t size_bytes);
  static bool IsOpaque(const ColumnBuffer& column) {
    return column.storage != nullptr && plan::IsOpaque(column.storage->layout);
  }

  // Cuts `node` and all below it back to rows [0, row). Cost: O(active columns + values removed).
  void Truncate(TreeNode* node, uint32_t row);
  // Cuts one column of `node` and all below it back in this way.
  void TruncateColumn(TreeNode* node, const plan::FieldPlan& field, uint32_t row);

  // --- Between decoding and finishing.

  // Removes rows from the batch. Requires: `rows` are ascending, distinct and below nrows(). Cost: O(size of the tree).
  void RemoveRows(std::span<const uint32_t> rows);
  // Clears these rows and leaves them in the batch. Requires and cost: as for RemoveRows.
  void ClearRows(std::span<const uint32_t> rows);

  // Keeps only the last of the entries with equal keys in every map. False: the memory limit is reached, and the tree cannot be
  // used any more.
  bool DropDuplicateMapKeys();

  // Where required fields are missing, by ascending row of the batch, once for each row, node and field. Cost: nothing for
  // types without required fields.
  struct MissingRequired {
    uint32_t row;  // of the batch
    const TreeNode* node;
    const plan::FieldPlan* field;
  };
  std::vector<MissingRequired> FindMissingRequired() const;

  // --- Finishing: makes row_splits complete, copies strings out of the input, and makes dense values and validity.

  // With kViews strings stay references into the input, which must live until Reset.
  enum class Strings { kCopy, kViews };
  // A message that was decoded from a copy.
  struct CopiedMessage {
    const char* copy;
    const char* message;
    size_t size_bytes;
  };
  // `copied`: with kViews, messages whose strings are to refer to the message and not to its copy, in any order. Nothing refers
  // to these copies any more. No byte past the strings is read from then on, in any message of the batch.
  bool Finish(Strings strings = Strings::kCopy, std::vector<CopiedMessage> copied = {});

  // Fills the arrays of an appended singular column that have an entry for each row, unless this has been done. Readers call
  // it.
  // Requires: the tree is finished. Several threads may call it at once.
  void Expand(const plan::FieldPlan& field, const ColumnBuffer& column, uint32_t nrows) const;

  // Copies the strings of a column with views out of the input, unless this has been done. Readers call it. The memory was set
  // aside when the tree was finished, so this cannot fail. Requires: the tree is finished. Several threads may call it at once.
  void CopyStrings(const plan::FieldPlan& field, const ColumnBuffer& column, uint32_t nrows) const;
  // Copies the strings of all columns.
  void CopyStrings() const;

  // Forgets all rows and keeps all memory. Columns that this batch did not touch leave the lists of columns.
  void Reset();

  // See ColumnMemory. Requires: the tree has been reset.
  void Poison() const { memory_.Poison(); }
  void Unpoison() const { memory_.Unpoison(); }

  // Zero bytes, at least (largest number of rows in a row space + 1) * 8 of them. Valid after Finish.
  const void* zeros() const { return zeros_.data; }
  // 0, 1, 2...: the rows of a column with a value in every row. As many as the largest row space has, plus rows[-1]. Valid
  // after Finish.
  uint32_t* all_rows() const { return static_cast<uint32_t*>(all_rows_.data); }
  // Bits that are all 1, one for each row of the largest row space. Valid after Finish.
  const uint8_t* ones() const { return static_cast<const uint8_t*>(ones_.data); }
  size_t used_bytes() const { return memory_.used_bytes(); }

  // For reading by rows (row_table.h). Requires: the tree is finished.
  RowTables& row_tables() const { return *row_tables_; }

 private:
  explicit ColumnTree(const TreeLimits& limits);
  friend class Finisher;
  struct MapScratch;  // map_keys.cc
  void List(TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column);
  ColumnStorage* StorageOf(const TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column);
  TreeNode* NewNode(const plan::MessagePlan& plan, TreeNode* parent, const uint32_t* nrows);
  bool MakeChild(TreeNode* node, const plan::FieldPlan& field, ColumnBuffer& column, const uint32_t* child_nrows);
  bool BeyondRecursionDepth(const TreeNode* node, const plan::FieldPlan& field) const;
  bool Reserve(Block& block, size_t size_bytes, size_t keep_bytes);
  bool Grow(Block& block, size_t wanted_bytes, size_t least_bytes, size_t keep_bytes);
  bool ReserveRows(ColumnBuffer& column, ColumnStorage& storage, size_t capacity, size_t least);
  bool ReserveSplits(ColumnBuffer& column, ColumnStorage& storage, size_t size_elements);
  void ResetNode(TreeNode* node);

  TreeLimits limits_;
  ColumnMemory memory_;
  uint32_t paths_ = 0;
  RefusedPath refused_path_;
  uint32_t nrows_ = 0;
  Strings strings_ = Strings::kCopy;
  bool read_past_strings_ = true;  // copying strings may read up to kReadPastBytes past each
  TreeNode* root_ = nullptr;
  Block zeros_{};
  Block ones_{};
  Block all_rows_{};
  mutable std::mutex expand_mutex_;
  std::unique_ptr<MapScratch> map_scratch_;
  std::unique_ptr<RowTables> row_tables_;
  bool Join(StringRef& first, const uint8_t* bytes, uint32_t size_bytes);

  // Blocks of bytes that are not in the input, kept until Reset: joined bytes of opaque columns, and bytes of KeepBytes. The
  // latest block for KeepBytes is `kept_`, and `kept_used_bytes_` of it are in use.
  std::vector<Block> joined_;
  Block kept_{};
  size_t kept_used_bytes_ = 0;
};

// Calls visit(field, column) for every active column of `node`: the columns that this batch has touched, and some that it has
// not.
template <typename NodePointer, typename Visit>
void ForEachActive(NodePointer node, Visit visit) {
  for (uint32_t i = 0; i < node->active_size; ++i) {
    const ActiveColumn entry = node->active[i];
    visit(FieldAt(node, entry.field), ColumnAt(node, entry));
  }
}

// Whether there is a node below a column. Requires: the column has its storage.
inline bool HasChild(const ColumnBuffer& column) { return plan::HasNode(column.storage->layout) && column.child != nullptr; }

// Calls visit(field, column) for every active column with a node below it.
template <typename NodePointer, typename Visit>
void ForEachChild(NodePointer node, Visit visit) {
  for (uint32_t i = 0; i < node->active_size; ++i) {
    const ActiveColumn entry = node->active[i];
    auto& column = ColumnAt(node, entry);
    if (HasChild(column)) visit(FieldAt(node, entry.field), column);
  }
}

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_ABI_TREE_H_
