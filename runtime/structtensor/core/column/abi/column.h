// Decoders append to these columns, and to the nodes that hold them. They are plain data whose all-zero state means
// "untouched", so that a node is made by clearing memory. Read tree.h for how the parts fit together; users read columns
// through column_view.h.
#ifndef STRUCTTENSOR_CORE_COLUMN_ABI_COLUMN_H_
#define STRUCTTENSOR_CORE_COLUMN_ABI_COLUMN_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/core/column/abi/string_ref.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::column_internal {

struct TreeNode;
struct ColumnStorage;

// Where decoders store the values of one column, kept to 40 bytes because these make up a decoder's working set.
//
// Cost follows the present values, not the declared fields: columns without data are not allocated and not finished. The
// message type decides how a column notes which rows have a singular field (plan::MessagePlan::presence_words):
//   - With up to 64 singular fields, a row has one *presence word*, a bit for each of them. The decoder keeps it in a register
//     while it reads the message, and a value is stored at its row, so the last one wins without a check. (Measured on
//     GoogleMessage1, 19 fields: 14 instructions for a small field, 21 the other way.)
//   - With more, a value is appended, and so is the row that it belongs to.
// A repeated field stores its elements and fills row_splits when it meets a new row. Finishing (finish.cc) makes the same
// arrays for both ways: values with and without the absent rows, validity, and the rows of the values.
//
// While decoding, by the field it belongs to:    values       rows / row_splits           size
//   singular scalar, with presence words         a value a row                            unused
//   singular message, with presence words        child node                               unused
//   singular scalar, oneof case                  values       rows: the row of each value number of values
//   repeated scalar                              elements     row_splits                  number of elements
//   singular message                             child node   rows: where it is present   number of rows where present
//   repeated message, map                        child node   row_splits                  rows of the child
//   message beyond the recursion depth           as appended or repeated bytes ("opaque")
//   unknown fields of a message, if kept         as a repeated bytes field
// The case column of a oneof with presence words is made when the node is finished.
// Once finished, a singular column has `size` values: the values of `rows`, or of all rows if storage->all_present. A column of
// a message field has only rows.
struct ColumnBuffer {
  union {
    void* values;
    TreeNode* child;
  };
  union {
    uint32_t* rows;  // appended: rows[-1] is kNoRow, so that rows[size - 1] may always be read
    int64_t* row_splits;
  };
  uint32_t size;
  uint32_t limit;   // values (and rows) that fit, or, with presence words, rows; 0 unless active, and for an opaque column
  uint32_t filled;  // row_splits[0, filled) are final
  uint32_t splits_limit;  // rows whose start may be noted without making room first; 0 unless active
  ColumnStorage* storage;
};
static_assert(sizeof(ColumnBuffer) == 40);

inline constexpr uint32_t kNoRow = 0xffffffff;

// After the `limit` elements of a repeated scalar column there are this many more bytes. Decoders may overwrite them with
// anything while they append, because packed runs are stored as whole vectors.
inline constexpr size_t kValuesSlackBytes = 64;

// A block of a ColumnMemory.
struct Block {
  void* data;
  size_t size_bytes;
};

// The parts of a column that the decode loop does not read. Each batch reads the first cache line.
struct ColumnStorage {
  Block values;       // of `capacity` values, or nothing for messages
  Block rows;         // rows or row_splits, with 64 bytes before rows for rows[-1]
  uint32_t capacity;  // what `limit` becomes when the column is active
  uint32_t opaque_capacity;
  bool active;          // in TreeNode::active
  plan::Layout layout;  // the field's, or the layout for a message field kept as bytes

  // Results of finishing, valid until the tree is reset.
  bool all_present;      // singular: size == nrows
  bool expanded;         // appended: finished_values, validity and dense_offsets are filled (ColumnTree::Expand)
  uint32_t expand_rows;  // appended: rows that there is memory for to expand
  // Strings and bytes that are not copied. `values` then keeps their references (with presence words, empty in absent rows).
  // For appended values, finished_values has the references of all rows, [nrows]. Finishing fills `offsets`;
  // ColumnTree::CopyStrings fills `bytes` and dense_offsets.
  bool views;
  bool copied;  // CopyStrings has been done
  // Singular numeric columns with absent rows, and strings that are not copied: the values in the other of two forms
  // (docs/glossary.md). Where values are appended, `values` has compact values, [size], and finishing makes dense values,
  // [nrows]. With presence words it is the other way round.
  Block finished_values;
  Block validity;       // singular columns with absent rows: bitmap of nrows bits
  Block offsets;        // strings and bytes: int32 [size + 1] into `bytes`
  Block dense_offsets;  // singular strings with absent rows, and unknown fields: int32 [nrows + 1]
  Block bytes;
};

// An entry in a node's list of columns that data has touched.
struct ActiveColumn {
  uint32_t field : 31;  // its index; one past the last field: the unknown fields
  uint32_t is_message : 1;
  uint32_t column_offset;
};

// The columns of one message type at one field path. Generated code derives a struct from this for each message type, with one
// ColumnBuffer per field; everything else reaches them through the plan's offsets.
struct TreeNode : plan::DecodeTarget {
  const plan::MessagePlan* plan;
  TreeNode* parent;       // null for the root
  const uint32_t* nrows;  // rows of the row space that the columns are in

  // The columns that data has touched in this batch or the one before. They stay ready for appending: batches tend to have the
  // same fields, and listing a column costs as much as about ten values (GoogleMessage1, ten messages a batch).
  ActiveColumn* active;  // room for all fields
  uint32_t active_size;

  bool has_maps;  // in this node, or in a node below

  // With presence words only: `presence` has the words of the rows [0, rows_entered). Bit plan::FieldPlan::presence_bit is
  // set if the row has that field. Later rows have no word yet. Once finished, every row has its word.
  uint32_t rows_entered;
  uint32_t next_key;  // of a struct of chosen keys: index of the key expected next
  uint64_t required;  // bits of fields that every row must have
  uint64_t* presence;
  size_t presence_limit;        // rows whose words fit
  size_t presence_bytes;        // of the block that holds them
  ColumnBuffer unknown_fields;  // kept on request only; its field index is one past the plan's last
};

// The unknown fields of a message as a field: pieces of the input (whole fields, or a tag and a value), any number per row.
// Joined in order, the pieces make up the row's bytes. Once finished, storage->dense_offsets separates the rows: [nrows + 1].
inline constexpr plan::FieldPlan kUnknownFields = {
    .name = "unknown_fields",
    .number = 0,
    .kind = plan::Kind::kBytes,
    .element = plan::Element::kBytes,
    .cardinality = plan::Cardinality::kRepeated,
    .presence = plan::Presence::kImplicit,
    .layout = plan::Layout::kElements,
    .packed = false,
    .validate_utf8 = false,
    .closed_enum = false,
    .oneof_case = -1,
    .presence_bit = -1,
    .message = nullptr,
    .enumeration = nullptr,
    .column_offset = offsetof(TreeNode, unknown_fields),
    .default_value = {},
};

// The field with this index; kUnknownFields for the index after the last.
inline const plan::FieldPlan& FieldAt(const TreeNode* node, uint32_t index) {
  return index < node->plan->fields.size() ? node->plan->fields[index] : kUnknownFields;
}

// `place` has a column_offset: a plan::FieldPlan or a ActiveColumn.
template <typename Place>
inline ColumnBuffer& ColumnAt(TreeNode* node, const Place& place) {
  return *reinterpret_cast<ColumnBuffer*>(reinterpret_cast<uint8_t*>(node) + place.column_offset);
}
template <typename Place>
inline const ColumnBuffer& ColumnAt(const TreeNode* node, const Place& place) {
  return *reinterpret_cast<const ColumnBuffer*>(reinterpret_cast<const uint8_t*>(node) + place.column_offset);
}

inline bool IsActive(const ColumnBuffer& column) { return column.storage != nullptr && column.storage->active; }

// Whether the field's node has data in this batch. Requires: a message field whose column is active and not opaque.
inline bool HasChildData(const ColumnBuffer& column) { return column.size != 0 || column.child->rows_entered != 0; }

}  // namespace structtensor::column_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_COLUMN_ABI_COLUMN_H_
