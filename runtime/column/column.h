// What decoders append to: columns, and the nodes that hold them. Plain data whose all-zero state means "untouched", so that a
// node is made by clearing memory. Read tree.h for how it all hangs together; users read columns through column_view.h.
#ifndef STRUCTTENSOR_COLUMN_COLUMN_H_
#define STRUCTTENSOR_COLUMN_COLUMN_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/plan/plan.h"

namespace structtensor {

// A string or bytes value while its batch is being decoded: a range of the input.
struct StringRef {
  const char* data;
  uint32_t size_bytes;
  uint32_t joined;  // opaque columns: 1 + index of the block that holds the joined bytes; 0 for a range of the input
};
static_assert(sizeof(StringRef) == 16);

struct Node;
struct ColumnStorage;

// The append cursor of one column, kept to 40 bytes because a decoder's working set is made of these.
//
// Cost follows the values that are present, never the fields declared: a singular field stores each value it sees and, beside
// it, the row it belongs to; a repeated field stores its elements and fills row_splits when it meets a new row. Dense
// values and validity are made in one pass at the end of the batch (finish.cc), for touched columns only.
//
// By the field it belongs to:                    values       rows / row_splits           size
//   singular scalar, oneof case                  values       rows: the row of each value number of values
//   repeated scalar                              elements     row_splits                  number of elements
//   singular message                             child node   rows: where it is present   number of rows where present
//   repeated message, map                        child node   row_splits                  rows of the child
//   message beyond the recursion depth           as a singular or repeated bytes field ("opaque")
//   unknown fields of a message, if kept         as a repeated bytes field
struct Column {
  union {
    void* values;
    Node* child;
  };
  union {
    uint32_t* rows;  // rows[-1] is kNoRow, so that rows[size - 1] may always be read
    int64_t* row_splits;
  };
  uint32_t size;
  uint32_t limit;         // values (and rows) that fit; 0 while untouched, and always for an opaque column
  uint32_t filled;        // row_splits[0, filled) are final
  uint32_t next_touched;  // list of the node's touched columns: field index + 1 of the next; 0 = not in the list
  ColumnStorage* storage;
};
static_assert(sizeof(Column) == 40);

inline constexpr uint32_t kNoRow = 0xffffffff;
inline constexpr uint32_t kEndOfTouched = 0xffffffff;

// Behind the `limit` elements of a repeated scalar column there are this many more bytes, which decoders may overwrite with anything
// while they append: packed runs are stored by whole vectors.
inline constexpr size_t kValuesSlackBytes = 64;

// A block of a ColumnMemory.
struct Block {
  void* data;
  size_t size_bytes;
};

// What a column owns and the decode loop does not look at.
struct ColumnStorage {
  Block values;       // of `capacity` values, or nothing for messages
  Block rows;         // rows or row_splits, with 64 bytes in front of rows for rows[-1]
  uint32_t capacity;  // what `limit` becomes when the column is touched
  uint32_t opaque_capacity;
  bool opaque;

  // Results of finishing; they stand until the tree is reset.
  Block dense;          // singular numeric columns with absent rows: [nrows], zero where absent
  Block validity;       // singular columns with absent rows: bitmap of nrows bits
  Block offsets;        // strings and bytes: int32 [size + 1] into `bytes`
  Block dense_offsets;  // singular strings with absent rows, and unknown fields: int32 [nrows + 1]
  Block bytes;
  bool all_present;  // singular: size == nrows
};

// The columns of one message type at one field path. Generated code derives a struct from this for each message type, with one
// Column per field; everything else reaches them through the plan's offsets.
struct Node {
  const plan::Message* plan;
  Node* parent;            // null for the root
  const uint32_t* nrows;   // rows of the row space that the columns lie in
  uint32_t first_touched;  // field index + 1; 0 or kEndOfTouched = none
  uint32_t unused;
  Column unknown_fields;  // kept on request only; its field index is one past the plan's last
};

// The unknown fields of a message as a field: pieces of the input (whole fields, or a tag and a value), as many a row as there
// were, which make up the row's bytes one behind the other. Once finished, storage->dense_offsets tells the rows apart: [nrows + 1].
inline constexpr plan::Field kUnknownFields = {
    .name = "unknown_fields",
    .number = 0,
    .kind = plan::Kind::kBytes,
    .element = plan::Element::kBytes,
    .cardinality = plan::Cardinality::kRepeated,
    .presence = plan::Presence::kImplicit,
    .packed = false,
    .validate_utf8 = false,
    .closed_enum = false,
    .oneof_case = -1,
    .message = nullptr,
    .enumeration = nullptr,
    .column_offset = offsetof(Node, unknown_fields),
    .default_value = {},
};

// The field that is `index` in the lists of touched columns.
inline const plan::Field& FieldAt(const Node* node, uint32_t index) {
  return index < node->plan->fields.size() ? node->plan->fields[index] : kUnknownFields;
}

inline Column& ColumnAt(Node* node, const plan::Field& field) {
  return *reinterpret_cast<Column*>(reinterpret_cast<uint8_t*>(node) + field.column_offset);
}
inline const Column& ColumnAt(const Node* node, const plan::Field& field) {
  return *reinterpret_cast<const Column*>(reinterpret_cast<const uint8_t*>(node) + field.column_offset);
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_COLUMN_COLUMN_H_
