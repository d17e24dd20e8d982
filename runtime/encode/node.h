// What encode functions read: the columns of a finished tree, each with a cursor.
//
// Messages are written back to front, into memory that ends where the batch ends. So a submessage is complete when its length is
// written in front of it, and no length is computed beforehand. The rows of every row space were appended in ascending order,
// depth first; visited in descending order, each column is read from its end to its beginning, and one cursor a column finds
// the value of a row.
#ifndef STRUCTTENSOR_ENCODE_NODE_H_
#define STRUCTTENSOR_ENCODE_NODE_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/column/column.h"
#include "structtensor/plan/plan.h"

namespace structtensor::encode {

struct Node;

// One column; all zero where the tree has no data. It stands at the offset at which the decoded node has its column.
struct Column {
  union {
    const void* values;      // compact: [number of values]
    const int32_t* offsets;  // strings, bytes and opaque messages: [number of values + 1] into `bytes`
    Node* child;             // messages that were not kept as bytes
  };
  union {
    const uint32_t* rows;       // singular: the row of each value; null where every row has one
    const int64_t* row_splits;  // repeated
  };
  const char* bytes;  // null where there are no offsets
  uint32_t left;      // values that are not written yet: the first ones
  uint32_t next_row;  // singular: 1 + the row of the last one of these; 0 = none is left
};
static_assert(sizeof(Column) <= sizeof(structtensor::Column));

struct Node {
  const plan::Message* plan;
  const uint32_t* present;  // indices of the fields with data, ascending
  uint64_t present_size;
  Column unknown_fields;  // offsets: [nrows + 1]
};
static_assert(sizeof(Node) <= sizeof(structtensor::Node));

struct Context {
  bool sort_map_keys;
};

inline Column& At(Node* node, size_t column_offset) {
  return *reinterpret_cast<Column*>(reinterpret_cast<uint8_t*>(node) + column_offset);
}

}  // namespace structtensor::encode

#endif  // STRUCTTENSOR_ENCODE_NODE_H_
