// What encode functions read: the columns of a finished tree, each with a cursor.
//
// Messages are written back to front, into memory that ends where the batch ends. So a submessage is complete when its length
// is written in front of it, and no length is computed beforehand. How the value of a row is found, by message type:
//   - With presence words, the row's word says which singular fields it has, and values lie at their rows.
//   - Else the rows of every row space were appended in ascending order, depth first; visited in descending order, each column
//     is read from its end to its beginning, and one cursor a column finds the value of a row. So it is for all repeated
//     fields.
//   - With more than 64 singular fields of which a row has few, the values of all columns are written beforehand, column by
//     column, and linked to a list for each row (row_values.h): a row visits what it has.
#ifndef STRUCTTENSOR_ENCODE_INTERNAL_NODE_H_
#define STRUCTTENSOR_ENCODE_INTERNAL_NODE_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/column/internal/column.h"
#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::encode_internal {

struct EncodeNode;
struct RowValue;

// One column; all zero where the tree has no data. It stands at the offset at which the decoded node has its column.
struct EncodeColumn {
  union {
    const void* values;      // [number of values]; singular with presence words: [number of rows]
    const int32_t* offsets;  // strings, bytes and opaque messages: one more than there would be values, into `bytes`
    EncodeNode* child;       // messages that were not kept as bytes
  };
  union {
    const uint32_t* rows;       // appended singular: the row of each value; null where every row has one
    const int64_t* row_splits;  // repeated
  };
  const char* bytes;  // null where there are no offsets
  uint32_t left;      // values that are not written yet: the first ones
  uint32_t next_row;  // appended singular: 1 + the row of the last one of these; 0 = none is left
};
static_assert(sizeof(EncodeColumn) <= sizeof(column_internal::ColumnBuffer));

struct EncodeNode : plan::EncodeSource {
  const plan::MessagePlan* plan;
  const uint32_t* present;  // indices of the fields with data, ascending
  uint64_t present_size;
  const uint64_t* presence;  // with presence words: one for each row, of which the bits of `presence_mask` count
  uint64_t presence_mask;
  const RowValue* row_values;   // null if the rows have no lists
  const uint32_t* last_value;   // of each row: 1 + its index in row_values; 0 for none
  EncodeColumn unknown_fields;  // offsets: [nrows + 1]
};
static_assert(sizeof(EncodeNode) <= sizeof(column_internal::TreeNode));

// One value of a row, or all elements of a repeated field: written, tag and all, or yet to be written.
struct RowValue {
  static constexpr uint8_t kUnwritten = 0xff;
  static constexpr size_t kMaxBytes = 27;

  uint32_t next;             // 1 + index of the one in front of it, whose field has the next lower number; 0 for none
  uint8_t size_bytes;        // or kUnwritten
  uint8_t bytes[kMaxBytes];  // the last ones; an unwritten value has an Unwritten at the end
};
static_assert(sizeof(RowValue) == 32);

struct Unwritten {
  uint32_t field;  // its index
  uint32_t left;   // what Column::left is in front of the value
};

struct EncodeContext : plan::EncodeState {
  bool sort_map_keys = false;
};

// What generated functions are called with.
inline EncodeNode* NodeOf(plan::EncodeSource* source) { return static_cast<EncodeNode*>(source); }
inline EncodeContext* ContextOf(plan::EncodeState* state) { return static_cast<EncodeContext*>(state); }

inline EncodeColumn& At(EncodeNode* node, size_t column_offset) {
  return *reinterpret_cast<EncodeColumn*>(reinterpret_cast<uint8_t*>(node) + column_offset);
}

}  // namespace structtensor::encode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_ENCODE_INTERNAL_NODE_H_
