// The input of encode functions: the columns of a finished tree, each with a cursor.
//
// Messages are written back to front, into memory that ends where the batch ends. So a submessage is complete when its length
// is written before it, and no length is computed in advance. The way to find the value of a row depends on the message type:
//   - With presence words, the row's word says which singular fields it has, and values are stored at their rows.
//   - Else the rows of every row space were appended in ascending order, depth first. They are visited in descending order, so
//     each column is read from end to beginning, and one cursor a column finds the value of a row. Repeated fields always work
//     like this.
//   - With more than 64 singular fields, few of them present in a row, the values of all columns are written in advance, column
//     by column, and linked to a list for each row (row_values.h). A row visits only the values that it has.
#ifndef STRUCTTENSOR_CORE_ENCODE_ABI_NODE_H_
#define STRUCTTENSOR_CORE_ENCODE_ABI_NODE_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::encode_internal {

struct EncodeNode;
struct RowValue;

// One column; all zero if the tree has no data for it. It has the same offset as the column in the decoded node.
struct EncodeColumn {
  union {
    const void* values;      // [number of values]; singular with presence words: [number of rows]
    const int32_t* offsets;  // strings, bytes and opaque messages: one more than `values` would have, into `bytes`
    EncodeNode* child;       // messages that were not kept as bytes
  };
  union {
    const uint32_t* rows;       // appended singular: the row of each value; null where every row has one
    const int64_t* row_splits;  // repeated
  };
  const char* bytes;  // null where there are no offsets
  uint32_t left;      // number of values not written yet: the first values
  uint32_t next_row;  // appended singular: 1 + the row of the last of these values; 0 = none is left
};
static_assert(sizeof(EncodeColumn) <= sizeof(column_internal::ColumnBuffer));

struct EncodeNode : plan::EncodeSource {
  const plan::MessagePlan* plan;
  const uint32_t* present;  // indices of the fields with data, ascending
  uint64_t present_size;
  const uint64_t* presence;  // with presence words: one for each row; only the bits of `presence_mask` count
  uint64_t presence_mask;
  const RowValue* row_values;   // null if the rows have no lists
  const uint32_t* last_value;   // of each row: 1 + its index in row_values; 0 = none
  EncodeColumn unknown_fields;  // offsets: [nrows + 1]
};
static_assert(sizeof(EncodeNode) <= sizeof(column_internal::TreeNode));

// One value of a row, or all elements of a repeated field: written, tag and all, or yet to be written.
struct RowValue {
  static constexpr uint8_t kUnwritten = 0xff;
  static constexpr size_t kMaxBytes = 27;

  uint32_t next;             // 1 + index of the value before it, whose field has the next lower number; 0 = none
  uint8_t size_bytes;        // or kUnwritten
  uint8_t bytes[kMaxBytes];  // filled from the end; an unwritten value has an Unwritten at the end
};
static_assert(sizeof(RowValue) == 32);

struct Unwritten {
  uint32_t field;  // its index
  uint32_t left;   // Column::left before the value is written
};

struct EncodeContext : plan::EncodeState {
  bool sort_map_keys = false;
};

// The arguments of generated functions, with their real types.
inline EncodeNode* NodeOf(plan::EncodeSource* source) { return static_cast<EncodeNode*>(source); }
inline EncodeContext* ContextOf(plan::EncodeState* state) { return static_cast<EncodeContext*>(state); }

inline EncodeColumn& At(EncodeNode* node, size_t column_offset) {
  return *reinterpret_cast<EncodeColumn*>(reinterpret_cast<uint8_t*>(node) + column_offset);
}

}  // namespace structtensor::encode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENCODE_ABI_NODE_H_
