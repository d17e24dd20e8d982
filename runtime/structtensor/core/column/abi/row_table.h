// Reading a finished tree row by row: each node has a table of where its columns are, so that two loads find the value of a
// row.
//
//     table of Recipe            field 0, title         first: offsets       bytes: "sugar cookiestoast..."
//                                field 1, minutes       first: values        validity
//                                field 2, ingredients   first: row_splits    second: table of Ingredient
//
// Tables are made when a row is first asked for. Those of narrow message types (plan::kMaxNarrowColumns) are filled at once, so
// that compilers may keep values read from them. The fields of wide types are filled one by one, each when it is first read: a
// wide type costs nothing for fields that are never read. Tables of inner messages are always made on first read, because
// recursive types have no end. Tables belong to the tree, and last until it is reset.
#ifndef STRUCTTENSOR_CORE_COLUMN_ABI_ROW_TABLE_H_
#define STRUCTTENSOR_CORE_COLUMN_ABI_ROW_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {
class NodeView;
}

namespace structtensor::column_internal {

class ColumnTree;
struct TreeNode;

// One field of a table. The meaning of `first` and `second` depends on the field:
//
//   singular scalar          first: values [nrows]
//   singular string, bytes   first: offsets [nrows + 1] into `bytes`; where `bytes` is null, StringRefs [nrows]
//   singular message         first: not null; second: its RowTable, which has the same rows
//   repeated, map            first: row_splits [nrows + 1]; second: values, offsets, StringRefs, or the elements'
//                            RowTable
struct RowField {
  mutable const void* first;   // null: the field is not filled, and the other members are not valid
  mutable const void* second;  // of messages: null until they are first read
  const char* bytes;
  const uint8_t* validity;  // of singular fields: one bit a row; null: all rows have it
};

// The table of a node. Its RowFields follow it in memory: one for each field of the plan, and one for the unknown fields.
struct RowTable {
  const ColumnTree* tree;
  const plan::MessagePlan* plan;
  const TreeNode* node;  // null if no data reached it
  uint32_t nrows;

  const RowField* fields() const { return reinterpret_cast<const RowField*>(this + 1); }
  RowField* fields() { return reinterpret_cast<RowField*>(this + 1); }
};
static_assert(sizeof(RowTable) % alignof(RowField) == 0);

// Fill field `index` of `table`, or make the table of its messages. Several threads may call these at once.
void FillRowField(const RowTable& table, size_t index);
const RowTable* MakeRowTableBelow(const RowTable& table, size_t index);

// Field `index` of `table`, filled. Requires: the plan has it, or `index` is the number of its fields.
inline const RowField& RowFieldAt(const RowTable& table, size_t index) {
  const RowField& field = table.fields()[index];
  if (std::atomic_ref(field.first).load(std::memory_order_acquire) == nullptr) [[unlikely]]
    FillRowField(table, index);
  return field;
}

// RowFieldAt for a type with at most plan::kMaxNarrowColumns columns, whose fields are always filled.
inline const RowField& NarrowRowFieldAt(const RowTable& table, size_t index) { return table.fields()[index]; }

// The table of a field's messages. Requires: the field is filled.
inline const RowTable& RowTableBelow(const RowTable& table, size_t index) {
  const RowField& field = table.fields()[index];
  const void* below = std::atomic_ref(field.second).load(std::memory_order_acquire);
  if (below == nullptr) [[unlikely]]
    return *MakeRowTableBelow(table, index);
  return *static_cast<const RowTable*>(below);
}

// The table of `node`, always the same one until the tree is reset. Several threads may call it at once.
const RowTable* RowTableOf(const NodeView& node);

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_ABI_ROW_TABLE_H_
