// The leaves of a batch as Parquet stores them: values, with repetition and definition levels, which say where lists begin and
// what is absent (https://github.com/apache/parquet-format, "Nested Encoding").
//
// The levels of a list or struct are also the levels of its leaves, except for absent values of the leaves themselves. So they
// are computed once, on the way down, and shared. Leaves without absent values in one struct have the same levels, too. A leaf
// that is never or always absent costs nothing here. Neither do the leaves below a list without elements or below a struct that
// is never present.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_LEAVES_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_LEAVES_H_

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace structtensor::column_files_internal {

// Levels of one kind, [number of levels] or longer, shared by the leaves that have the same levels.
using ParquetLevels = std::shared_ptr<const int16_t[]>;

struct ParquetLeaf {
  ParquetLevels definition;  // null if nothing above or at the leaf may be absent or repeated
  ParquetLevels repetition;  // null if nothing above is repeated
  int64_t number_of_levels = 0;
  int16_t max_definition = 0;
  int16_t max_repetition = 0;
  int16_t element_definition = 0;  // levels from this one on have an element in `values`
  // One value for each level, except the levels of absent and empty lists. Where a struct or the value itself is absent, the
  // value has no meaning.
  std::shared_ptr<arrow::Array> values;  // may be null without has_values
  bool has_values = true;                // false if all values are known to be absent
  bool all_present = true;               // true if no element of `values` is absent
};

// Returns the leaves in the order of the file's columns, whose schema is `schema`. They refer to the batch's memory. Fields
// that the batch or a struct in it does not have are absent, or lists without elements.
// Requires: the fields that the batch has are in the order of `schema`, and of its types. The others are nullable, or lists.
// Errors: Invalid if the batch has a field that `schema` does not have, or lacks one that cannot be absent; NotImplemented for
//   types that our batches do not have. Throws std::bad_alloc.
// Cost: O(levels of all nodes of the batch + leaves of the schema).
arrow::Result<std::vector<ParquetLeaf>> ParquetLeavesOf(const arrow::RecordBatch& batch, const arrow::Schema& schema);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_LEAVES_H_
